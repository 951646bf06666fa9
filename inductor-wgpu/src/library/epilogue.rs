//! The store of an element of a product: to memory, or to a kernel that the middle wants computed with it.

use inductor::device::{Access, Refusal};
use inductor::grid;
use inductor::plan::{Epilogue, View};

use super::builder::Builder;
use super::call::Given;
use super::elements::Element;
use crate::wgsl;
use crate::{Gpu, kernel};

/// Declarations, and the statement that an element ends in.
pub(super) struct Store {
    /// Functions that the statement calls.
    pub(super) functions: String,
    /// The element type that the kernel would have loaded from the result; `None` where there is no kernel.
    element: Option<Element>,
}

impl Store {
    /// Binds what the elements of the call's result are stored to: the result, with the strides of these dimensions as
    /// numbers, or the buffers of the kernel that is computed with it.
    pub(super) fn bind(
        gpu: &Gpu,
        builder: &mut Builder<'_>,
        given: &Given<'_>,
        out: &View,
        dims: &[&str],
    ) -> Result<Store, Refusal> {
        let Some(epilogue) = given.epilogue else {
            builder.writes("out", out, dims)?;
            return Ok(Store { functions: String::new(), element: None });
        };
        builder.places("out", out, dims)?;
        let functions = function(gpu, builder, given, epilogue)?;
        let element = Element::of(gpu, out.dtype)?;
        builder.converts(element);
        Ok(Store { functions, element: Some(element) })
    }

    /// The statement for an element's place in the result and its value, both in WGSL.
    pub(super) fn statement(&self, place: &str, value: &str) -> String {
        match self.element {
            None => format!("out_put({place}, {value});"),
            Some(element) => format!("epilogue(i32({place}), {});", element.as_loaded(value)),
        }
    }
}

/// The kernel as a function, with its buffers and numbers bound.
fn function(gpu: &Gpu, builder: &mut Builder<'_>, given: &Given<'_>, epilogue: &Epilogue) -> Result<String, Refusal> {
    let Epilogue { kernel, args, sizes, product, .. } = epilogue;
    let kernel = &given.plan.kernels[*kernel];
    let capabilities = kernel::capabilities(gpu);
    let items = grid::lower_items(kernel, &capabilities).map_err(|error| Refusal(error.to_string()))?;
    let too_large = || Refusal(format!("kernel {}: {sizes:?} is too large for 32 bits", items.name));
    let numbers = items.arguments(sizes).filter(|_| items.admits(sizes)).ok_or_else(too_large)?;
    let [stage] = &items.stages[..] else { return Refusal::because("a kernel of several stages") };
    let mut result = None;
    for (binding, data) in items.bindings.iter() {
        let grid::Source::Param(param) = data.source else { return Refusal::because("a kernel with temporaries") };
        let place = kernel.arguments().position(|(argument, _)| argument == param);
        let place = place.ok_or_else(|| Refusal(format!("{param} is no argument")))?;
        let access = stage.bindings.iter().find(|(other, _)| *other == binding).map(|&(_, access)| access);
        match access {
            _ if place == *product => result = Some(binding),
            Some(access) => {
                let kind = if access == grid::Access::Read { Access::Read } else { Access::Write };
                builder.binds(&binding.to_string(), &wgsl::element(&items, binding, access), args[place], kind)?;
            }
            None => {}
        }
    }
    for (arg, number) in items.args.keys().zip(numbers) {
        builder.signed(&arg.to_string(), number);
    }
    let result = result.ok_or_else(|| Refusal("a kernel that does not read the product".to_owned()))?;
    Ok(wgsl::print_function(&items, stage, result))
}
