//! Convolutions: products of the weight with patches of the image, which are gathered while they are packed.
//!
//! A lane is a pixel of the result, a step an element of the window in one channel, in the weight's own order. Where
//! the window moves by one pixel at a time and the result is as wide as the image, neighbouring lanes read neighbouring
//! elements, from one row of the image into the next; else they do within a row. Elements beyond the image are masked
//! off.

use super::micro::{Gather, Micro};
use super::{Fold, Lanes, Matrices, Matrix, Operands};
use inductor::convolution::Convolution;
use smallvec::SmallVec;

/// Images convolved with a window: `out = bias + weight * patches`, all groups, for `float32`.
///
/// The weight lies in rows without gaps, one for each channel of the result; pixels of the result and columns of the
/// image lie side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convolve {
    /// Stride, padding and dilation of the window, and the groups.
    pub numbers: Convolution,
    /// The number of images.
    pub images: usize,
    /// Channels of the image and of the result in one group.
    pub channels: [usize; 2],
    /// Rows and columns of an image.
    pub size: [usize; 2],
    /// Rows and columns of the window.
    pub window: [usize; 2],
    /// Rows and columns of a result.
    pub out_size: [usize; 2],
    /// Elements between images, channels and rows of what is convolved.
    pub image: [usize; 3],
    /// Elements between images and channels of the result.
    pub out: [usize; 2],
    /// Elements between the biases of channels, if there are any.
    pub bias: Option<usize>,
}

impl Convolve {
    /// Elements of the window in all channels of a group.
    pub(super) fn steps(&self) -> usize {
        self.channels[0] * self.window[0] * self.window[1]
    }

    /// Pixels of one result.
    pub(super) fn pixels(&self) -> usize {
        self.out_size[0] * self.out_size[1]
    }

    /// The product of a group.
    ///
    /// # Safety
    /// The operands are a weight, images, biases and results of this form, and there are more groups than `group`.
    pub(super) unsafe fn matrices(&self, at: Operands, group: usize) -> Matrices {
        let ([channels, rows], steps, pixels) = (self.channels, self.steps(), self.pixels());
        let first = group * rows;
        // SAFETY: the first elements that the group has of each operand.
        let (weight, image, init, out) = unsafe {
            (
                at.a.add(first * steps),
                at.b.add(group * channels * self.image[1]),
                self.bias.map(|stride| (at.init.add(first * stride), stride)),
                at.out.add(first * self.out[1]),
            )
        };
        Matrices {
            rows,
            lanes: self.images * pixels,
            steps,
            left: Matrix { start: weight, across: steps, along: 1 },
            right: Lanes::Patches(Patches { image, form: *self }),
            init: init.map(|(start, across)| Matrix { start, across, along: 0 }),
            out: Matrix { start: out, across: self.out[1], along: 1 },
            fold: Fold { lanes: pixels, stride: self.out[0] },
        }
    }
}

/// The patches of some images as a matrix: for each lane the elements under the window.
#[derive(Clone, Copy)]
pub(super) struct Patches {
    /// The first element of the group's first channel.
    image: *const f32,
    form: Convolve,
}

/// Neighbouring lanes whose elements lie at equal distances.
struct Run {
    /// A bit for each lane of the panel.
    lanes: u64,
    /// The place of the panel's first lane's window in the first channel, were it one of this run.
    start: isize,
}

impl Patches {
    /// Fills a panel with `count` lanes from `first` on.
    ///
    /// # Safety
    /// The images have these lanes; `to` is a panel of `width` lanes that nobody else writes into.
    pub(super) unsafe fn pack(&self, micro: &Micro, (first, count): (usize, usize), to: *mut f32, width: usize) {
        let Convolve { numbers, channels: [channels, _], window, image, .. } = self.form;
        let runs = self.runs(first, count, width);
        let [rows, columns] = self.inside(first, count);
        for (at, (row, column)) in (0..window[0]).flat_map(|y| (0..window[1]).map(move |x| (y, x))).enumerate() {
            let inside = rows[row] & columns[column];
            let shift = (row * numbers.dilation[0] * image[2] + column * numbers.dilation[1]) as isize;
            for run in &runs {
                let gather = Gather {
                    from: self.image.wrapping_offset(run.start + shift),
                    channel: image[1],
                    lane: numbers.stride[1],
                    to: to.wrapping_add(at * width),
                    step: window[0] * window[1] * width,
                    reads: run.lanes & inside,
                    writes: run.lanes,
                };
                // SAFETY: lanes that are read lie in the images, those that are written in the panel.
                unsafe { micro.gather(gather, channels) };
            }
        }
    }

    /// Lanes of a panel, cut where the distance of their elements changes. The last run has what the panel has too
    /// many.
    fn runs(&self, first: usize, count: usize, width: usize) -> SmallVec<[Run; 8]> {
        let Convolve { numbers, size, out_size, image, .. } = self.form;
        let pixels = self.form.pixels();
        let flows = numbers.stride == [1, 1] && out_size[1] == size[1] && image[2] == size[1];
        let length = if flows { pixels } else { out_size[1] };
        let mut runs = SmallVec::new();
        let mut lane = 0;
        while lane < count {
            let (which, pixel) = ((first + lane) / pixels, (first + lane) % pixels);
            let (row, column) = (pixel / out_size[1], pixel % out_size[1]);
            let end = (lane + length - pixel % length).min(count);
            let last = if end == count { width } else { end };
            let signed = |n: usize| n as isize;
            let y = signed(row * numbers.stride[0]) - signed(numbers.padding[0]);
            let x = signed(column * numbers.stride[1]) - signed(numbers.padding[1] + lane * numbers.stride[1]);
            let start = signed(which * image[0]) + y * signed(image[2]) + x;
            runs.push(Run { lanes: bits(last) & !bits(lane), start });
            lane = end;
        }
        runs
    }

    /// For each row of the window, and for each of its columns, the lanes for which it lies in the image.
    fn inside(&self, first: usize, count: usize) -> [SmallVec<[u64; 8]>; 2] {
        let Convolve { numbers, size, window, out_size, .. } = self.form;
        let pixels = (first..first + count).map(|lane| lane % self.form.pixels());
        let places: SmallVec<[[usize; 2]; 64]> =
            pixels.map(|pixel| [pixel / out_size[1], pixel % out_size[1]]).collect();
        [0, 1].map(|dim| {
            let lies_inside = |place: usize, element: usize| {
                let at = place * numbers.stride[dim] + element * numbers.dilation[dim];
                at >= numbers.padding[dim] && at < numbers.padding[dim] + size[dim]
            };
            let lanes = |element| {
                let each = places.iter().enumerate();
                each.fold(0, |lanes, (lane, place)| lanes | u64::from(lies_inside(place[dim], element)) << lane)
            };
            (0..window[dim]).map(lanes).collect()
        })
    }
}

/// So many bits from the lowest on.
fn bits(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}
