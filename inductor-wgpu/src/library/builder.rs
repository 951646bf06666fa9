//! One dispatch in the making: its buffers and numbers, and the declarations and functions that they have in WGSL.

use std::fmt::Write;

use inductor::device::{Access, Refusal, Task};
use inductor::plan::{Buf, Layout, Plan, View};
use smallvec::smallvec;
use symshapes::DType;

use super::elements::{Element, Windows};
use crate::Gpu;
use crate::memory::whole_words;
use crate::pipeline::{BindingKind, Shader};
use crate::work::{Dispatch, Operand, Work};

/// The dispatch.
pub(super) struct Builder<'a> {
    gpu: &'a Gpu,
    plan: &'a Plan,
    args: Vec<(Buf, Access)>,
    /// The bindings after that of the numbers.
    bindings: Vec<Binding>,
    /// WGSL declaration and bits of each number.
    numbers: Vec<(String, u32)>,
    /// The functions that elements are converted by, each once.
    conversions: Vec<&'static str>,
    /// The functions that get at elements.
    accessors: String,
}

/// The operand at a binding, and its declaration.
struct Binding {
    name: String,
    element: String,
    operand: Operand,
    kind: BindingKind,
}

/// The kinds of access that a shader has to a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    Writes,
    /// It reads what it has written.
    Updates,
}

impl<'a> Builder<'a> {
    pub(super) fn new(gpu: &'a Gpu, plan: &'a Plan) -> Builder<'a> {
        let (args, bindings, numbers) = (Vec::new(), Vec::new(), Vec::new());
        Builder { gpu, plan, args, bindings, numbers, conversions: Vec::new(), accessors: String::new() }
    }

    /// Binds a tensor whose elements are read by `<name>_get`, with the numbers `<name>_offset` and, for each of
    /// `dims`, `<name>_<dim>`: the stride.
    pub(super) fn reads(&mut self, name: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, view, dims, Use::Reads)
    }

    /// Binds a tensor whose elements are written by `<name>_put`.
    pub(super) fn writes(&mut self, name: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, view, dims, Use::Writes)
    }

    /// Binds a tensor that work before has written, to be read and written.
    pub(super) fn updates(&mut self, name: &str, view: &View, dims: &[&str]) -> Result<(), Refusal> {
        self.tensor(name, view, dims, Use::Updates)
    }

    fn tensor(&mut self, name: &str, view: &View, dims: &[&str], usage: Use) -> Result<(), Refusal> {
        let element = Element::of(self.gpu, view.dtype)?;
        let is_written = usage != Use::Reads;
        let arg = self.argument(view.buf, if is_written { Access::Write } else { Access::Read })?;
        let (start, end) = extent(view)?;
        let held = self.bytes(view.buf)?;
        let memory = element.memory(is_written).to_owned();
        let kind = if is_written { BindingKind::ReadWrite } else { BindingKind::Read };
        let (windows, start) = if held <= self.gpu.longest_binding() {
            let (name, operand) = (name.to_owned(), Operand::Arg(arg));
            self.bindings.push(Binding { name, element: memory, operand, kind });
            (Windows::WHOLE, 0)
        } else {
            let alignment = u64::from(self.gpu.limits().min_storage_buffer_offset_alignment).max(element.bytes());
            let most = self.gpu.longest_binding() / alignment * alignment;
            if most == 0 {
                return Refusal::because("no window is short enough to be bound");
            }
            let first = start * element.bytes() / alignment * alignment;
            let last = whole_words((end * element.bytes()).min(held) as usize).max(first + 4);
            let windows = Windows { count: (last - first).div_ceil(most), each: most / element.bytes() };
            for number in 0..windows.count {
                let at = first + number * most;
                let operand = Operand::Window(arg, at, most.min(last - at));
                self.bindings.push(Binding {
                    name: windows.array(name, number),
                    element: memory.clone(),
                    operand,
                    kind,
                });
            }
            (windows, first / element.bytes())
        };
        self.converts(element);
        if usage != Use::Writes {
            self.accessors += &element.getter(name, is_written, &windows);
        }
        if is_written {
            self.accessors += &element.setter(name, &windows);
        }
        let layout = Layout { offset: view.layout.offset - start as i64, ..view.layout.clone() };
        self.places(name, &View { layout, ..view.clone() }, dims)
    }

    /// Declares the functions that elements are converted by.
    pub(super) fn converts(&mut self, element: Element) {
        let functions = element.conversions();
        if !self.conversions.contains(&functions) {
            self.conversions.push(functions);
        }
    }

    /// Bytes of a buffer on the device.
    fn bytes(&self, buf: Buf) -> Result<u64, Refusal> {
        let data = &self.plan.bufs[buf];
        let bytes = data.bytes().ok_or_else(|| Refusal(format!("{buf} is too long")))?;
        let narrows = data.dtype == DType::I64 && !self.gpu.has_wide_ints();
        Ok(whole_words(if narrows { bytes / 2 } else { bytes }))
    }

    /// Binds a whole buffer, without functions and numbers.
    pub(super) fn binds(&mut self, name: &str, element: &str, buf: Buf, access: Access) -> Result<(), Refusal> {
        let (bytes, most) = (self.bytes(buf)?, self.gpu.longest_binding());
        if bytes > most {
            return Refusal::because(format!("{buf} is longer than the {most} bytes that the device binds"));
        }
        let operand = Operand::Arg(self.argument(buf, access)?);
        let kind = if access.writes() { BindingKind::ReadWrite } else { BindingKind::Read };
        self.bindings.push(Binding { name: name.to_owned(), element: element.to_owned(), operand, kind });
        Ok(())
    }

    /// Binds memory that only this step uses: the piece of this number.
    pub(super) fn temporary(&mut self, name: &str, element: &str, number: u32, access: Access) {
        let kind = if access.writes() { BindingKind::ReadWrite } else { BindingKind::Read };
        let operand = Operand::Temporary(number);
        self.bindings.push(Binding { name: name.to_owned(), element: element.to_owned(), operand, kind });
    }

    /// Declares the function `out_of_bounds`, which a shader calls where an index is.
    pub(super) fn faults(&mut self) {
        let (name, element) = ("fault".to_owned(), "atomic<u32>".to_owned());
        self.bindings.push(Binding { name, element, operand: Operand::Fault, kind: BindingKind::ReadWrite });
        self.accessors += "fn out_of_bounds() { atomicStore(&fault[0], 1u); }\n";
    }

    /// The number of a buffer among the arguments.
    fn argument(&mut self, buf: Buf, access: Access) -> Result<u32, Refusal> {
        let known = self.args.iter().position(|&(other, _)| other == buf);
        let arg = known.unwrap_or(self.args.len());
        match known {
            None => self.args.push((buf, access)),
            Some(at) if self.args[at].1 != access => {
                return Refusal::because(format!("{buf} is read and written"));
            }
            Some(_) => {}
        }
        Ok(arg as u32)
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
    pub(super) fn finish(self, body: &str, groups: [u32; 3]) -> Result<Task<Work>, Refusal> {
        let most = self.gpu.limits().max_compute_workgroups_per_dimension;
        if groups.iter().any(|&n| n > most) {
            return Refusal::because(format!("{groups:?} workgroups, and the device starts {most} along a dimension"));
        }
        let fields: Vec<&str> = self.numbers.iter().map(|(field, _)| field.as_str()).collect();
        let mut text = format!("struct Numbers {{ {} }}\n", fields.join(", "));
        text.push_str("@group(0) @binding(0) var<uniform> p: Numbers;\n");
        let (mut kinds, mut operands) = (vec![BindingKind::Uniform], smallvec![Operand::Params]);
        for (at, Binding { name, element, operand, kind }) in self.bindings.iter().enumerate() {
            let access = if *kind == BindingKind::ReadWrite { "read_write" } else { "read" };
            let number = at + 1;
            // Writing to a string does not fail.
            let _ = writeln!(text, "@group(0) @binding({number}) var<storage, {access}> {name}: array<{element}>;");
            kinds.push(*kind);
            operands.push(*operand);
        }
        self.conversions.iter().for_each(|functions| text.push_str(functions));
        text.push_str(&self.accessors);
        text.push_str(body);
        let shader = self.gpu.shader(Shader { text, bindings: kinds })?;
        let params = self.numbers.iter().map(|&(_, bits)| bits).collect();
        Ok(Task { work: Work::of(Dispatch { shader, operands, params, groups }), args: self.args })
    }
}

/// The first element that a view may have in its buffer, and the one behind its last.
fn extent(view: &View) -> Result<(u64, u64), Refusal> {
    let Layout { sizes, strides, offset } = &view.layout;
    let far: Option<i64> = sizes
        .iter()
        .zip(strides)
        .try_fold(*offset, |far, (&size, &stride)| far.checked_add((size - 1).max(0).checked_mul(stride)?));
    let end = far.filter(|&far| far < i64::from(i32::MAX)).and_then(|far| u64::try_from(far + 1).ok());
    let (start, end) = (u64::try_from(*offset).ok(), end);
    start.zip(end).ok_or_else(|| Refusal("elements whose numbers do not fit 32 bits".to_owned()))
}

/// Several dispatches as one step, in this order. Memory that only the step uses is the same for all of them.
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

/// The index of a buffer among the arguments, which it joins if it is new.
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
