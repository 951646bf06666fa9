//! Elements of tensors over any dimensions, in WGSL: a number taken apart into coordinates, and coordinates put
//! together with a tensor's strides.
//!
//! A set of dimensions has a letter. Its sizes are the numbers `p.size_e0` and so on, its coordinates `e0` and so on,
//! the strides that a tensor `x` has along them `p.x_e0`.

use inductor::device::Refusal;
use inductor::plan::{Layout, View};

use super::builder::Builder;

/// Dimensions by a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dims {
    names: Vec<String>,
    sizes: Vec<i64>,
}

impl Dims {
    /// The dimensions of these sizes.
    pub(super) fn new(letter: char, sizes: &[i64]) -> Dims {
        Dims { names: (0..sizes.len()).map(|dim| format!("{letter}{dim}")).collect(), sizes: sizes.to_vec() }
    }

    /// The number of elements that they have.
    pub(super) fn count(&self) -> i64 {
        self.sizes.iter().fold(1, |all, &size| all.saturating_mul(size))
    }

    /// Their sizes.
    pub(super) fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The names of the dimensions where a tensor is bound.
    pub(super) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Declares the sizes.
    pub(super) fn declare(&self, builder: &mut Builder<'_>) -> Result<(), Refusal> {
        self.names.iter().zip(&self.sizes).try_for_each(|(name, &size)| builder.int(&format!("size_{name}"), size))
    }

    /// Statements that declare the coordinates of the element with this number, the last dimension fastest.
    pub(super) fn apart(&self, number: &str) -> String {
        let Some((first, rest)) = self.names.split_first() else { return String::new() };
        let mut text = String::new();
        let mut within = format!("({number})");
        for name in rest.iter().rev() {
            text += &format!(
                "    let {name} = {within} % p.size_{name};\n    let above_{name} = {within} / p.size_{name};\n"
            );
            within = format!("above_{name}");
        }
        text + &format!("    let {first} = {within};\n")
    }

    /// The coordinates' terms in the number of an element of a tensor: nothing, or a sum that begins with a plus.
    pub(super) fn place(&self, tensor: &str) -> String {
        self.names.iter().map(|name| format!(" + {name} * p.{tensor}_{name}")).collect()
    }
}

/// The tensor with these dimensions for its own.
pub(super) fn with_dims(view: &View, sizes: Vec<i64>, strides: Vec<i64>) -> View {
    View { layout: Layout { sizes, strides, offset: view.layout.offset }, ..view.clone() }
}

/// The tensor with at least one dimension.
pub(super) fn at_least_one(view: &View) -> View {
    if view.layout.sizes.is_empty() { with_dims(view, vec![1], vec![1]) } else { view.clone() }
}

/// The strides of a tensor that is stretched to these sizes; dimensions that it lacks come first.
pub(super) fn stretched(layout: &Layout, sizes: &[i64]) -> Result<Vec<i64>, Refusal> {
    let other = || Refusal(format!("{:?} is not stretched to {sizes:?}", layout.sizes));
    let missing = sizes.len().checked_sub(layout.sizes.len()).ok_or_else(other)?;
    let mut strides = vec![0; missing];
    for ((&size, &stride), &wanted) in layout.sizes.iter().zip(&layout.strides).zip(&sizes[missing..]) {
        match size {
            1 => strides.push(0),
            _ if size == wanted => strides.push(stride),
            _ => return Err(other()),
        }
    }
    Ok(strides)
}
