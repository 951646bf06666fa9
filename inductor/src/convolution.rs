//! Recognition of convolutions that are stacks of matrix products, which a device may compute itself.
//!
//! The planner asks, since such a convolution writes into memory of the plan's; a backend asks for the numbers.

use crate::heuristics;
use fx::Arg;

/// The numbers of a convolution over two dimensions that is not transposed; each pair is of rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Convolution {
    /// Steps of the window in the image.
    pub stride: [usize; 2],
    /// Rows and columns of zeros on each side of the image.
    pub padding: [usize; 2],
    /// Distance of the window's elements in the image.
    pub dilation: [usize; 2],
    /// Parts of the channels that do not meet.
    pub groups: usize,
}

impl Convolution {
    /// The numbers of a call of `aten.convolution.default`, from its arguments without tensors: all from the fourth on.
    pub fn of<'a>(plain: impl Iterator<Item = Option<&'a Arg>>) -> Option<Convolution> {
        let plain: Vec<&Arg> = plain.collect::<Option<_>>()?;
        let &[stride, padding, dilation, Arg::Bool(false), _, groups] = plain.as_slice() else { return None };
        let (stride, padding, dilation) = (pair(stride)?, pair(padding)?, pair(dilation)?);
        let groups = number(groups)?;
        (groups > 0 && !stride.contains(&0)).then_some(Convolution { stride, padding, dilation, groups })
    }

    /// True if a convolution with a weight of these sizes has enough to compute for each group, as depthwise ones have
    /// not.
    pub fn is_product(&self, weight: [usize; 4]) -> bool {
        let [channels, inputs, rows, columns] = weight;
        channels / self.groups >= heuristics::product_least_side()
            && inputs * rows * columns >= heuristics::product_least_side()
    }

    /// True if each pixel of the result comes from one pixel, the one at its place.
    pub fn is_pointwise(&self, window: [usize; 2]) -> bool {
        window == [1, 1] && self.stride == [1, 1] && self.padding == [0, 0] && self.groups == 1
    }
}

/// One number for both dimensions, or one for each.
fn pair(arg: &Arg) -> Option<[usize; 2]> {
    let Arg::List(items) = arg else { return None };
    match items.as_slice() {
        [both] => Some([number(both)?; 2]),
        [rows, columns] => Some([number(rows)?, number(columns)?]),
        _ => None,
    }
}

fn number(arg: &Arg) -> Option<usize> {
    if let Arg::Int(number) = arg { usize::try_from(*number).ok() } else { None }
}
