//! Stages of grid kernels as CUDA C++: printing, with no decisions left.
//!
//! - A stage is an `extern "C"` kernel of the stage's name. Its parameters are pointers to the buffers of
//!   [`Stage::bindings`], in order, then the kernel's launch arguments as `int`s, where the stage takes any.
//! - Integers wrap: what may overflow is computed unsigned.
//! - No header is included: half floats are bits by the time they get here.
//!
//! Absent: what a kernel may contain (`inductor::grid`).

mod expr;

use inductor::grid::{Access, AtomicOp, GridKernel, Mem, Stage, Stmt, Ty, VECTOR};

/// The program of a kernel: a function for each stage.
pub fn print(kernel: &GridKernel) -> String {
    let stages = kernel.stages.iter().map(|stage| {
        let mut printer = Printer { kernel, stage, out: String::new(), depth: 0 };
        printer.function();
        printer.out
    });
    stages.collect::<Vec<String>>().join("\n")
}

/// Prints one stage.
struct Printer<'a> {
    kernel: &'a GridKernel,
    stage: &'a Stage,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn function(&mut self) {
        let mut params: Vec<String> = self
            .stage
            .bindings
            .iter()
            .map(|&(binding, access)| {
                let ty = mem_name(self.kernel.bindings[binding].mem);
                let constant = if access == Access::Read { "const " } else { "" };
                format!("{constant}{ty}* __restrict__ {binding}")
            })
            .collect();
        if self.stage.takes_args() {
            params.extend(self.kernel.args.keys().map(|arg| format!("int {arg}")));
        }
        self.line(&format!("extern \"C\" __global__ void __launch_bounds__({})", self.stage.threads));
        self.line(&format!("{}({}) {{", self.stage.name, params.join(", ")));
        self.depth = 1;
        for (shared, data) in self.stage.shared.iter() {
            self.line(&format!("__shared__ {} {shared}[{}];", ty_name(data.ty), data.len));
        }
        self.line("const int thread = threadIdx.x;");
        self.line("const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);");
        for (var, &ty) in self.stage.vars.iter() {
            self.line(&format!("{} {var} = 0;", ty_name(ty)));
        }
        self.block(&self.stage.body);
        self.depth = 0;
        self.line("}");
    }

    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn nested(&mut self, head: &str, stmts: &[Stmt]) {
        self.line(head);
        self.depth += 1;
        self.block(stmts);
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(val) => {
                let text = format!("const {} {val} = {};", ty_name(self.stage.vals[*val].ty), self.op(*val));
                self.line(&text);
            }
            Stmt::Set(var, val) => self.line(&format!("{var} = {};", self.val(*val))),
            Stmt::Store { binding, index, value } => {
                let ty = mem_name(self.kernel.bindings[*binding].mem);
                self.line(&format!("{binding}[{}] = ({ty}){};", self.val(*index), self.val(*value)));
            }
            Stmt::LoadVector { binding, index, lanes } => {
                let vector = vector_name(self.kernel.bindings[*binding].mem);
                let whole = format!("{}_all", lanes[0]);
                self.line(&format!("const {vector} {whole} = *(const {vector}*)&{binding}[{}];", self.val(*index)));
                for (lane, field) in lanes.iter().zip(FIELDS) {
                    let ty = ty_name(self.stage.vals[*lane].ty);
                    self.line(&format!("const {ty} {lane} = {whole}.{field};"));
                }
            }
            Stmt::StoreVector { binding, index, lanes } => {
                let mem = self.kernel.bindings[*binding].mem;
                let (vector, ty) = (vector_name(mem), mem_name(mem));
                let values = lanes.map(|lane| format!("({ty}){}", self.val(lane))).join(", ");
                self.line(&format!("*({vector}*)&{binding}[{}] = make_{vector}({values});", self.val(*index)));
            }
            Stmt::StoreShared { shared, index, value } => {
                self.line(&format!("{shared}[{}] = {};", self.val(*index), self.val(*value)));
            }
            Stmt::Atomic { op, binding, index, value } => {
                let name = match op {
                    AtomicOp::Add => "atomicAdd",
                    AtomicOp::And => "atomicAnd",
                    AtomicOp::Or => "atomicOr",
                };
                self.line(&format!("{name}(&{binding}[{}], {});", self.val(*index), self.val(*value)));
            }
            Stmt::If { cond, then } => self.nested(&format!("if ({}) {{", self.val(*cond)), then),
            Stmt::For { counter, start, end, step, body } => {
                let [start, end, step] = [start, end, step].map(|&val| self.val(val));
                let head = format!("for (int {counter} = {start}; {counter} < {end}; {counter} += {step}) {{");
                self.nested(&head, body);
            }
            Stmt::While { head, cond, body } => {
                self.line("for (;;) {");
                self.depth += 1;
                self.block(head);
                self.line(&format!("if (!{}) break;", self.val(*cond)));
                self.block(body);
                self.depth -= 1;
                self.line("}");
            }
            Stmt::Barrier => self.line("__syncthreads();"),
        }
    }
}

/// The name of a register type.
fn ty_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        Ty::I32 => "int",
        Ty::U32 => "unsigned",
        Ty::I64 => "long long",
        Ty::F32 => "float",
        Ty::F64 => "double",
    }
}

/// The name of an array's element type.
fn mem_name(mem: Mem) -> &'static str {
    match mem {
        Mem::I8 => "signed char",
        Mem::U8 => "unsigned char",
        Mem::I16 => "short",
        Mem::U16 => "unsigned short",
        Mem::I32 => "int",
        Mem::U32 => "unsigned",
        Mem::I64 => "long long",
        Mem::F32 => "float",
        Mem::F64 => "double",
    }
}

/// The fields of a vector.
const FIELDS: [&str; VECTOR] = ["x", "y", "z", "w"];

/// The name of a vector of an array's elements.
fn vector_name(mem: Mem) -> &'static str {
    match mem {
        Mem::I8 => "char4",
        Mem::U8 => "uchar4",
        Mem::I16 => "short4",
        Mem::U16 => "ushort4",
        Mem::I32 => "int4",
        Mem::U32 => "uint4",
        Mem::I64 => "longlong4",
        Mem::F32 => "float4",
        Mem::F64 => "double4",
    }
}
