//! The dimensions that a convolution or pooling goes over, and the texts that name one of them after the other.
//!
//! A plane of the larger tensor has the sizes `p.size_y` and so on, one of the smaller tensor (which a convolution
//! writes and a transposed one reads) `p.out_size_y`, a filter `p.filter_y`.

use inductor::device::Refusal;
use inductor::plan::{Layout, View};

use super::builder::Builder;

/// The dimensions of tensors over as many as a convolution may go, images and channels first.
const DIMS: [[&str; 5]; 3] =
    [["image", "channel", "x", "", ""], ["image", "channel", "y", "x", ""], ["image", "channel", "z", "y", "x"]];

/// The dimensions after images and channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Space {
    rank: usize,
}

impl Space {
    /// The space of a tensor.
    pub(super) fn of(view: &View) -> Result<Space, Refusal> {
        match view.layout.sizes.len() {
            dims @ 3..=5 => Ok(Space { rank: dims - 2 }),
            dims => Refusal::because(format!("a convolution over tensors of {dims} dimensions")),
        }
    }

    /// So many dimensions: 1, 2 or 3.
    pub(super) fn over(rank: usize) -> Space {
        Space { rank: rank.clamp(1, DIMS.len()) }
    }

    /// The tensor with images before channels, of which there is one where it has none.
    pub(super) fn of_images(self, view: &View) -> Result<View, Refusal> {
        let Layout { sizes, strides, offset } = &view.layout;
        let missing = (self.rank + 2).checked_sub(sizes.len()).filter(|&missing| missing <= 1);
        let missing = missing.ok_or_else(|| Refusal(format!("pooling of tensors of {} dimensions", sizes.len())))?;
        let pad = |fill: i64, of: &[i64]| std::iter::repeat_n(fill, missing).chain(of.iter().copied()).collect();
        let layout = Layout { sizes: pad(1, sizes), strides: pad(0, strides), offset: *offset };
        Ok(View { layout, ..view.clone() })
    }

    /// All dimensions of a tensor.
    pub(super) fn dims(self) -> &'static [&'static str] {
        &DIMS[self.rank - 1][..self.rank + 2]
    }

    fn own(self) -> &'static [&'static str] {
        &self.dims()[2..]
    }

    /// The sizes of a tensor, images and channels apart.
    pub(super) fn sizes(self, view: &View) -> Result<(i64, i64, Vec<i64>), Refusal> {
        match &view.layout.sizes[..] {
            [images, channels, plane @ ..] if plane.len() == self.rank => Ok((*images, *channels, plane.to_vec())),
            _ => Refusal::because("tensors of different dimensions"),
        }
    }

    /// Declares the numbers `name_y` and so on, where one number stands for all.
    pub(super) fn declare(self, builder: &mut Builder<'_>, name: &str, numbers: &[i64]) -> Result<(), Refusal> {
        let numbers = match *numbers {
            [all] => vec![all; self.rank],
            _ if numbers.len() == self.rank => numbers.to_vec(),
            _ => return Refusal::because(format!("a convolution over {} dimensions", numbers.len())),
        };
        self.own().iter().zip(numbers).try_for_each(|(dim, number)| builder.int(&format!("{name}_{dim}"), number))
    }

    /// A line for each dimension: `D` stands for its name.
    pub(super) fn each(self, line: &str) -> String {
        self.own().iter().map(|dim| format!("    {}\n", line.replace('D', dim))).collect()
    }

    /// Loops, the first dimension outermost: `head` begins one, `body` is what is done in the innermost.
    pub(super) fn loops(self, head: &str, body: &str) -> String {
        format!("{}{body}\n{}", self.each(head), "    }\n".repeat(self.rank))
    }

    /// The product of something over the dimensions.
    pub(super) fn product(self, factor: &str) -> String {
        let factors: Vec<String> = self.own().iter().map(|dim| factor.replace('D', dim)).collect();
        factors.join(" * ")
    }

    /// The number that a place in a plane has there, the last dimension fastest.
    pub(super) fn flat(self, place: &str, size: &str) -> String {
        let one = |sum: String, dim: &&str| {
            let at = place.replace('D', dim);
            if sum.is_empty() { at } else { format!("({sum}) * p.{size}_{dim} + {at}") }
        };
        self.own().iter().fold(String::new(), one)
    }

    /// True in WGSL where it is for all dimensions.
    pub(super) fn all(self, condition: &str) -> String {
        let conditions: Vec<String> = self.own().iter().map(|dim| condition.replace('D', dim)).collect();
        conditions.join(" && ")
    }

    /// Declares what `number` counts: `lead`, and within it places in something of the sizes `p.size_D`, as `at_D`.
    pub(super) fn apart(self, number: &str, size: &str, lead: &str, at: &str) -> String {
        let product = |dims: &[&str]| dims.iter().map(|dim| format!("p.{size}_{dim}")).collect::<Vec<_>>().join(" * ");
        let mut text = format!("    let {lead} = {number} / ({});\n", product(self.own()));
        for (place, dim) in self.own().iter().enumerate() {
            let within = &self.own()[place + 1..];
            let rest =
                if within.is_empty() { number.to_owned() } else { format!("({number} / ({}))", product(within)) };
            text += &format!("    let {at}_{dim} = {rest} % p.{size}_{dim};\n");
        }
        text
    }

    /// The number of an element of a tensor: its image, its channel, and its place, where `D` stands for a dimension.
    pub(super) fn element(self, name: &str, image: &str, channel: &str, place: &str) -> String {
        let own = |dim: &&str| format!(" + {} * p.{name}_{dim}", place.replace('D', dim));
        let places: String = self.own().iter().map(own).collect();
        format!("p.{name}_offset + {image} * p.{name}_image + {channel} * p.{name}_channel{places}")
    }
}
