//! One dispatch in the making: its buffers and numbers, and the declarations that they have in WGSL.

use std::fmt::Write;

use inductor::device::{Access, Refusal, Task};
use inductor::plan::{Buf, View};
use smallvec::smallvec;

use crate::Gpu;
use crate::pipeline::{BindingKind, Shader};
use crate::work::{Dispatch, Operand, Work};

/// The dispatch.
#[derive(Default)]
pub(super) struct Builder {
    args: Vec<(Buf, Access)>,
    /// The bindings after that of the numbers: WGSL name, element type, argument, kind.
    bindings: Vec<(String, String, u32, BindingKind)>,
    /// WGSL declaration and bits of each number.
    numbers: Vec<(String, u32)>,
}

impl Builder {
    /// Binds a tensor that is read as `name`, with the numbers `name_offset` and, for each of `dims`,
    /// `name_<dim>`: the stride.
    pub(super) fn reads(&mut self, name: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, "f32", view, dims, Access::Read)
    }

    /// The same for elements of another type.
    pub(super) fn reads_as(&mut self, name: &str, element: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, element, view, dims, Access::Read)
    }

    /// Binds a tensor that is written, with elements of this type.
    pub(super) fn writes(&mut self, name: &str, element: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, element, view, dims, Access::Write)
    }

    fn tensor(&mut self, name: &str, element: &str, view: &View, dims: &[&str], access: Access) -> Result<(), Refusal> {
        self.binds(name, element, view.buf, access)?;
        self.places(name, view, dims)
    }

    /// Binds a buffer without numbers.
    pub(super) fn binds(&mut self, name: &str, element: &str, buf: Buf, access: Access) -> Result<(), Refusal> {
        let known = self.args.iter().position(|&(other, _)| other == buf);
        let arg = known.unwrap_or(self.args.len());
        match known {
            None => self.args.push((buf, access)),
            Some(at) if self.args[at].1 != access => {
                return Refusal::because(format!("{buf} is read and written"));
            }
            Some(_) => {}
        }
        let kind = if access.writes() { BindingKind::ReadWrite } else { BindingKind::Read };
        self.bindings.push((name.to_owned(), element.to_owned(), arg as u32, kind));
        Ok(())
    }

    /// The numbers of a tensor, without its buffer.
    pub(super) fn places(&mut self, name: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.int(&format!("{name}_offset"), view.layout.offset)?;
        for (dim, &stride) in dims.iter().zip(&view.layout.strides) {
            self.int(&format!("{name}_{dim}"), stride)?;
        }
        Ok(())
    }

    /// A number that is not negative.
    pub(super) fn int(&mut self, name: &str, value: i64) -> Result<(), Refusal> {
        let fits = u32::try_from(value).ok().filter(|&value| value < 1 << 31);
        let bits = fits.ok_or_else(|| Refusal(format!("`{name}` is {value}, which is too large")))?;
        self.numbers.push((format!("{name}: u32"), bits));
        Ok(())
    }

    /// A float.
    pub(super) fn float(&mut self, name: &str, value: f64) {
        self.numbers.push((format!("{name}: f32"), (value as f32).to_bits()));
    }

    /// A number with a sign.
    pub(super) fn signed(&mut self, name: &str, value: i32) {
        self.numbers.push((format!("{name}: i32"), value.cast_unsigned()));
    }

    /// The dispatch of a shader with this text after the declarations.
    pub(super) fn finish(self, gpu: &Gpu, body: &str, groups: [u32; 3]) -> Result<Task<Work>, Refusal> {
        let most = gpu.limits().max_compute_workgroups_per_dimension;
        if groups.iter().any(|&n| n > most) {
            return Refusal::because(format!("{groups:?} workgroups, and the device starts {most} along a dimension"));
        }
        let fields: Vec<&str> = self.numbers.iter().map(|(field, _)| field.as_str()).collect();
        let mut text = format!("struct Numbers {{ {} }}\n", fields.join(", "));
        text.push_str("@group(0) @binding(0) var<uniform> p: Numbers;\n");
        let (mut kinds, mut operands) = (vec![BindingKind::Uniform], smallvec![Operand::Params]);
        for (at, (name, element, arg, kind)) in self.bindings.iter().enumerate() {
            let access = if *kind == BindingKind::ReadWrite { "read_write" } else { "read" };
            let number = at + 1;
            // Writing to a string does not fail.
            let _ = writeln!(text, "@group(0) @binding({number}) var<storage, {access}> {name}: array<{element}>;");
            kinds.push(*kind);
            operands.push(Operand::Arg(*arg));
        }
        text.push_str(body);
        let shader = gpu.shader(Shader { text, bindings: kinds })?;
        let params = self.numbers.iter().map(|&(_, bits)| bits).collect();
        Ok(Task { work: Work::of(Dispatch { shader, operands, params, groups }), args: self.args })
    }
}

/// Several dispatches as one step, in this order.
pub(super) fn joined(tasks: Vec<Task<Work>>) -> Task<Work> {
    let mut all = Task { work: Work::default(), args: Vec::new() };
    for task in tasks {
        let places: Vec<u32> = task.args.iter().map(|&arg| place(&mut all.args, arg)).collect();
        for mut dispatch in task.work.dispatches {
            for operand in &mut dispatch.operands {
                if let Operand::Arg(at) | Operand::Window(at, ..) = operand {
                    *at = places[*at as usize];
                }
            }
            all.work.dispatches.push(dispatch);
        }
    }
    all
}

/// Where a buffer stands among the arguments, which it joins if it is new.
fn place(args: &mut Vec<(Buf, Access)>, (buf, access): (Buf, Access)) -> u32 {
    let known = args.iter().position(|&(other, _)| other == buf);
    let at = known.unwrap_or(args.len());
    match args.get_mut(at) {
        Some((_, known)) if *known != access => *known = Access::ReadWrite,
        Some(_) => {}
        None => args.push((buf, access)),
    }
    at as u32
}
