//! Stages of grid kernels as WGSL: printing, with no decisions left.
//!
//! - A stage is a module with one entry point, [`ENTRY`]. Its storage bindings have the numbers of
//!   [`Stage::bindings`], all in group 0; the launch arguments, where the stage takes any, are a uniform struct of `i32`
//!   at the number after the last.
//! - NaN and infinities, which WGSL has no literals for, are made from their bits by an expression that no compiler may
//!   evaluate beforehand.
//! - No `enable` directive is printed: 64-bit integers are used where the kernel has them.
//!
//! Absent: what a kernel may contain (`inductor::grid`), pipelines and buffers (the rest of this crate).

mod expr;

use inductor::grid::{Access, AtomicOp, GridKernel, Mem, Op, Stage, Stmt, Ty};

/// The name of the entry point.
pub const ENTRY: &str = "main";

/// The module of a stage.
pub fn print(kernel: &GridKernel, stage: &Stage) -> String {
    let mut printer = Printer { kernel, stage, out: String::new(), depth: 1 };
    printer.module();
    printer.out
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

    fn module(&mut self) {
        self.depth = 0;
        self.line(&format!("// {}", self.stage.name));
        self.args();
        for (number, &(binding, access)) in self.stage.bindings.iter().enumerate() {
            let ty = mem_name(self.kernel.bindings[binding].mem);
            let (mode, ty) = match access {
                Access::Read => ("read", ty.to_owned()),
                Access::Write => ("read_write", ty.to_owned()),
                Access::Atomic => ("read_write", format!("atomic<{ty}>")),
            };
            self.line(&format!("@group(0) @binding({number}) var<storage, {mode}> {binding}: array<{ty}>;"));
        }
        for (shared, data) in self.stage.shared.iter() {
            self.line(&format!("var<workgroup> {shared}: array<{}, {}>;", ty_name(data.ty), data.len));
        }
        self.entry();
    }

    fn args(&mut self) {
        if !self.stage.takes_args() {
            return;
        }
        let fields: Vec<String> = self.kernel.args.keys().map(|arg| format!("{arg}: i32")).collect();
        self.line(&format!("struct Args {{ {} }}", fields.join(", ")));
        let number = self.stage.bindings.len();
        self.line(&format!("@group(0) @binding({number}) var<uniform> args: Args;"));
    }

    fn entry(&mut self) {
        self.line("");
        self.line(&format!("@compute @workgroup_size({})", self.stage.threads));
        self.line(&format!("fn {ENTRY}("));
        self.line("  @builtin(local_invocation_index) local: u32,");
        self.line("  @builtin(workgroup_id) here: vec3<u32>,");
        self.line("  @builtin(num_workgroups) all: vec3<u32>,");
        self.line(") {");
        self.depth = 1;
        self.line("let thread = i32(local);");
        self.line("let group = i32(here.x + all.x * (here.y + all.y * here.z));");
        self.specials();
        for (var, &ty) in self.stage.vars.iter() {
            self.line(&format!("var {var}: {};", ty_name(ty)));
        }
        self.block(&self.stage.body);
        self.depth = 0;
        self.line("}");
    }

    /// NaN and infinities: a thread's number has no highest bit, so that their bits are what they are.
    fn specials(&mut self) {
        for (val, data) in self.stage.vals.iter() {
            if let (Op::Const(bits), Ty::F32) = (&data.op, data.ty)
                && !f32::from_bits(*bits as u32).is_finite()
            {
                self.line(&format!("let {val} = bitcast<f32>({bits:#x}u | (local >> 31u));"));
            }
        }
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
                let text = format!("let {val}: {} = {};", ty_name(self.stage.vals[*val].ty), self.op(*val));
                self.line(&text);
            }
            Stmt::Set(var, val) => self.line(&format!("{var} = {};", self.val(*val))),
            Stmt::Store { binding, index, value } => {
                let (index, value) = (self.val(*index), self.val(*value));
                if self.is_atomic(*binding) {
                    self.line(&format!("atomicStore(&{binding}[{index}], {value});"));
                } else {
                    self.line(&format!("{binding}[{index}] = {value};"));
                }
            }
            // The language has no way to see an array of numbers as one of vectors.
            Stmt::LoadVector { binding, index, lanes } => {
                for (k, lane) in lanes.iter().enumerate() {
                    let ty = ty_name(self.stage.vals[*lane].ty);
                    self.line(&format!("let {lane}: {ty} = {binding}[{} + {k}i];", self.val(*index)));
                }
            }
            Stmt::StoreVector { binding, index, lanes } => {
                for (k, lane) in lanes.iter().enumerate() {
                    self.line(&format!("{binding}[{} + {k}i] = {};", self.val(*index), self.val(*lane)));
                }
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
            Stmt::If { cond, then } => self.nested(&format!("if {} {{", self.val(*cond)), then),
            Stmt::For { counter, start, end, step, body } => {
                let [start, end, step] = [start, end, step].map(|&val| self.val(val));
                let head = format!("for (var {counter}: i32 = {start}; {counter} < {end}; {counter} += {step}) {{");
                self.nested(&head, body);
            }
            Stmt::While { head, cond, body } => {
                self.line("loop {");
                self.depth += 1;
                self.block(head);
                self.line(&format!("if !{} {{ break; }}", self.val(*cond)));
                self.block(body);
                self.depth -= 1;
                self.line("}");
            }
            Stmt::Barrier => {
                if self.stage.bindings.iter().any(|&(_, access)| access != Access::Read) {
                    self.line("storageBarrier();");
                }
                self.line("workgroupBarrier();");
            }
        }
    }
}

/// The name of a register type.
fn ty_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        Ty::I32 => "i32",
        Ty::U32 => "u32",
        Ty::I64 => "i64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
    }
}

/// The name of an array's element type. Narrow ones are packed into words before they get here.
fn mem_name(mem: Mem) -> &'static str {
    match mem {
        Mem::I8 | Mem::I16 | Mem::I32 => "i32",
        Mem::U8 | Mem::U16 | Mem::U32 => "u32",
        Mem::I64 => "i64",
        Mem::F32 => "f32",
        Mem::F64 => "f64",
    }
}
