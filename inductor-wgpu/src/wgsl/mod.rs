//! Stages of grid kernels as WGSL: printing, with no decisions left.
//!
//! - A stage is a module with one entry point, [`ENTRY`]. Its storage bindings have the numbers of [`Stage::bindings`],
//!   all in group 0; the launch arguments, where the stage takes any, are a uniform struct of `i32` at the number after
//!   the last.
//! - NaN and infinities, which WGSL has no literals for, are made from their bits by an expression that no compiler may
//!   evaluate beforehand.
//! - No `enable` directive is printed: 64-bit integers are used where the kernel has them.
//!
//! Absent: what a kernel may contain and the walk over it (`inductor::grid`), pipelines and buffers (the rest of this
//! crate).

mod words;

use inductor::grid::print::Printer;
use inductor::grid::{Access, Binding, GridKernel, Mem, Op, Stage, Ty};
use words::Wgsl;

/// The name of the entry point.
pub const ENTRY: &str = "main";

/// The name of a function that does one item.
pub const EPILOGUE: &str = "epilogue";

/// The module of a stage.
pub fn print(kernel: &GridKernel, stage: &Stage) -> String {
    let mut printer = Printer::new(kernel, stage, Wgsl { args: "args", given: None });
    printer.line(&format!("// {}", stage.name));
    args(&mut printer);
    for (number, &(binding, access)) in stage.bindings.iter().enumerate() {
        let ty = element(kernel, binding, access);
        let mode = if access == Access::Read { "read" } else { "read_write" };
        printer.line(&format!("@group(0) @binding({number}) var<storage, {mode}> {binding}: array<{ty}>;"));
    }
    printer.shared(|shared, data| format!("var<workgroup> {shared}: array<{}, {}>;", ty_name(data.ty), data.len));
    entry(&mut printer);
    printer.out
}

/// A stage of [`lower_items`](inductor::grid::lower_items) as a function [`EPILOGUE`] of the group's number, an `i32`,
/// and of the element of one buffer that it loads there. Other buffers are bound by the numbers' names, and launch
/// arguments are fields of `p`.
pub fn print_function(kernel: &GridKernel, stage: &Stage, given: Binding) -> String {
    let mut printer = Printer::new(kernel, stage, Wgsl { args: "p", given: Some(given) });
    let ty = ty_name(kernel.bindings[given].mem.register());
    printer.line(&format!("fn {EPILOGUE}(group: i32, given: {ty}) {{"));
    printer.depth = 1;
    printer.line("let local = u32(group);");
    body(&mut printer);
    printer.out
}

/// The WGSL type of a buffer's elements, as a stage sees it.
pub fn element(kernel: &GridKernel, binding: Binding, access: Access) -> String {
    let ty = mem_name(kernel.bindings[binding].mem);
    if access == Access::Atomic { format!("atomic<{ty}>") } else { ty.to_owned() }
}

fn args(printer: &mut Printer<'_, Wgsl>) {
    if !printer.stage.takes_args() {
        return;
    }
    let fields: Vec<String> = printer.kernel.args.keys().map(|arg| format!("{arg}: i32")).collect();
    printer.line(&format!("struct Args {{ {} }}", fields.join(", ")));
    let number = printer.stage.bindings.len();
    printer.line(&format!("@group(0) @binding({number}) var<uniform> args: Args;"));
}

fn entry(printer: &mut Printer<'_, Wgsl>) {
    printer.line("");
    printer.line(&format!("@compute @workgroup_size({})", printer.stage.threads));
    printer.line(&format!("fn {ENTRY}("));
    printer.line("  @builtin(local_invocation_index) local: u32,");
    printer.line("  @builtin(workgroup_id) here: vec3<u32>,");
    printer.line("  @builtin(num_workgroups) all: vec3<u32>,");
    printer.line(") {");
    printer.depth = 1;
    printer.line("let thread = i32(local);");
    printer.line("let group = i32(here.x + all.x * (here.y + all.y * here.z));");
    body(printer);
}

fn body(printer: &mut Printer<'_, Wgsl>) {
    specials(printer);
    printer.body(|var, ty| format!("var {var}: {};", ty_name(ty)));
}

/// NaN and infinities: `local` has no highest bit, so that their bits are what they are.
fn specials(printer: &mut Printer<'_, Wgsl>) {
    let stage = printer.stage;
    for (val, data) in stage.vals.iter() {
        if let (Op::Const(bits), Ty::F32) = (&data.op, data.ty)
            && !f32::from_bits(*bits as u32).is_finite()
        {
            printer.line(&format!("let {val} = bitcast<f32>({bits:#x}u | (local >> 31u));"));
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
