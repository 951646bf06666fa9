//! The device on which functions make tensors that are told of none: `with torch.device(...)`.
//!
//! The graph says the device at each call that makes a tensor. So the mode itself, which is a matter of Python's, is
//! not entered when the graph runs; code that goes on inside of a context enters it anew.
//!
//! Invariant: a function with Python code of its own, which would ask the mode when the graph runs, is not put into the
//! graph where the mode is not what it was when the trace began.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{self, Value},
    },
};
use guards::Constant;

/// Functions of torch that ask where to make their result.
const ASKING: &str = "empty empty_permuted empty_strided ones arange bartlett_window blackman_window eye full \
    hamming_window hann_window kaiser_window linspace logspace rand randn randint randperm range tril_indices \
    triu_indices zeros asarray tensor as_tensor scalar_tensor";

impl Tracer<'_> {
    /// The keyword arguments of a call of torch, with the device that the mode says.
    pub(in crate::trace) fn placed(&mut self, target: &str, mut keywords: value::Keywords) -> Traced<value::Keywords> {
        let has_code = ["torch.nn.functional.", "torch.functional."].iter().any(|module| target.starts_with(module));
        if has_code && self.modes.device != self.host.default_device() {
            return Err(Reason::new(Kind::Context, format!("`{target}` on another default device.")));
        }
        let name = target.strip_prefix("torch.").unwrap_or_default();
        let asks =
            matches!(name, "fft.fftfreq" | "fft.rfftfreq") || ASKING.split_whitespace().any(|known| known == name);
        let Some(device) = self.modes.device.filter(|_| asks) else { return Ok(keywords) };
        let given = keywords.iter().position(|(name, _)| name == "device");
        if let Some(at) = given
            && !matches!(self.get(keywords[at].1)?, Value::Const(Constant::None))
        {
            return Ok(keywords);
        }
        let device = self.constant(Constant::Device(device));
        match given {
            Some(at) => keywords[at].1 = device,
            None => keywords.push(("device".to_owned(), device)),
        }
        Ok(keywords)
    }
}
