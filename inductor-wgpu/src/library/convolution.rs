//! The operators of convolution: a convolution of the larger tensor, or a gradient of one.
//!
//! A transposed convolution is the gradient of a convolution's input, so its own input's gradient is that convolution,
//! and the gradient of its filters is that of the convolution's with the two tensors in each other's place.

use inductor::device::{Refusal, Task};

use super::builder::joined;
use super::call::Given;
use super::convolution_backward::{of_bias, of_input, of_weight};
use super::convolution_forward::{Shape, forward};
use crate::Gpu;
use crate::work::Work;

/// `convolution` over one, two or three dimensions.
pub(super) fn convolution(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (input, weight, out) = (given.tensor("input")?, given.tensor("weight")?, given.result()?);
    let bias = given.opt_tensor("bias")?;
    if given.has("transposed") && given.bool("transposed")? {
        let shape = Shape::of(given, &out, weight, input)?;
        return of_input(gpu, given, &shape, [input, weight, &out], bias);
    }
    let shape = Shape::of(given, input, weight, &out)?;
    forward(gpu, given, &shape, [input, weight, &out], bias)
}

/// `convolution_backward`, of which only the gradients that are asked for are computed.
pub(super) fn backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let (grad, input, weight) = (given.tensor("grad_output")?, given.tensor("input")?, given.tensor("weight")?);
    let is_transposed = given.bool("transposed")?;
    let (large, small) = if is_transposed { (grad, input) } else { (input, grad) };
    let shape = Shape::of(given, large, weight, small)?;
    let [of_input_too, of_weight_too, of_bias_too] = given.bools("output_mask")?[..] else {
        return Refusal::because("its mask");
    };
    let mut tasks = Vec::new();
    if let Some(out) = given.result_if(of_input_too, 0)? {
        let write = if is_transposed { forward } else { of_input };
        tasks.push(write(gpu, given, &shape, [grad, weight, &out], None)?);
    }
    if let Some(out) = given.result_if(of_weight_too, 1)? {
        tasks.push(of_weight(gpu, given, &shape, [small, large, &out])?);
    }
    if let Some(out) = given.result_if(of_bias_too, 2)? {
        tasks.push(of_bias(gpu, given, &shape, [grad, &out])?);
    }
    Ok(joined(tasks))
}
