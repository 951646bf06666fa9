//! Layouts and memory formats as arguments of torch's functions.

use crate::{
    host::Obj,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use fx::{Arg, TensorMeta};
use guards::GuardKind;

/// The memory formats, by their names in `torch`.
const MEMORY_FORMATS: [&str; 4] = ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"];

/// The layouts of the tensors that are traced.
const LAYOUTS: [&str; 1] = ["strided"];

/// The classes of what torch says of element types: objects that are as good as constants.
pub(in crate::trace) const LIMITS: [&str; 2] = ["torch.finfo", "torch.iinfo"];

/// The classes of torch's whose objects are as good as constants: there is one of each kind, equal to itself only.
pub(in crate::trace) fn is_singleton(class: &str) -> bool {
    matches!(class, "torch.layout" | "torch.memory_format" | "torch.qscheme")
}

impl Tracer<'_> {
    /// A layout or a memory format as an argument, under a guard on its identity.
    pub(in crate::trace) fn singleton_arg(&mut self, value: ValueId, class: &str, obj: Obj) -> Traced<Arg> {
        let name = self.singleton_name(value, class, obj)?.to_owned();
        Ok(if class == "torch.layout" { Arg::Layout(name) } else { Arg::MemoryFormat(name) })
    }

    /// Whether a tensor of known sizes and strides is contiguous in a memory format; `None` where that is not known.
    pub(in crate::trace) fn is_contiguous_in(&mut self, meta: &TensorMeta, format: ValueId) -> Traced<Option<bool>> {
        let Value::Object(class, obj) = self.get(format)? else { return Ok(None) };
        let name = self.singleton_name(format, &class, obj)?;
        let known = |exprs: &[symshapes::Expr]| exprs.iter().map(|&e| self.shapes.env.pool().as_int(e)).collect();
        let (Some(sizes), Some(strides)): (Option<Vec<i64>>, Option<Vec<i64>>) =
            (known(&meta.sizes), known(&meta.strides))
        else {
            return Ok(None);
        };
        let rank = sizes.len();
        let order: Vec<usize> = match name {
            "contiguous_format" => (0..rank).collect(),
            // Of what is empty each format has a rule of its own.
            _ if sizes.contains(&0) => return Ok(None),
            "channels_last" if rank == 4 => vec![0, 2, 3, 1],
            "channels_last_3d" if rank == 5 => vec![0, 2, 3, 4, 1],
            "channels_last" | "channels_last_3d" => return Ok(Some(false)),
            _ => return Ok(None),
        };
        let of = |values: &[i64]| order.iter().map(|&dim| values[dim]).collect::<Vec<_>>();
        Ok(Some(is_contiguous(&of(&sizes), &of(&strides))))
    }

    fn singleton_name(&mut self, value: ValueId, class: &str, obj: Obj) -> Traced<&'static str> {
        let names: &[&str] = match class {
            "torch.layout" => &LAYOUTS,
            "torch.memory_format" => &MEMORY_FORMATS,
            _ => &[],
        };
        let name = names.iter().find(|name| self.host.class_named(&format!("torch.{name}")) == Some(obj));
        let name = name.ok_or_else(|| Reason::new(Kind::Call, format!("torch is given a `{class}`.")))?;
        let forced = self.force(value)?;
        if let Some(source) = self.source(forced) {
            let kind = GuardKind::IdMatch(self.object(obj));
            self.guard(source, kind);
        }
        Ok(name)
    }
}

/// True if the elements follow each other, the last dimension's first.
pub(in crate::trace) fn is_contiguous(sizes: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    let mut dims = sizes.iter().zip(strides).rev();
    sizes.contains(&0)
        || dims.all(|(&size, &stride)| {
            let fits = size == 1 || stride == expected;
            expected *= size;
            fits
        })
}
