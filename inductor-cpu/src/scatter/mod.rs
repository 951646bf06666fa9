//! Sums at places that tensors of indices name, which libtorch adds up on one thread.
//!
//! An operator is told as loops over its source. Along the *free* ones the place moves on with the loop, so that no two
//! iterations of them meet: threads share these. What goes to one place is added in the program's order, so that sums
//! are rounded as eager's are, and the same in every run.
//!
//! An index out of bounds makes the kernel refuse: whoever launched it asks libtorch, which says which index it is.

mod call;

pub(crate) use call::of_call;

use crate::heuristics;
use crate::launch::{Pool, in_pieces};
use inductor::backend::CompiledKernel;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symshapes::DType;

/// Stands for the place of what goes nowhere.
const NOWHERE: u32 = u32::MAX;

/// Places that are looked up at a time where each serves once.
const BLOCK: usize = 512;

/// A loop over the source; strides are in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Axis {
    size: usize,
    source: usize,
    /// Of the result; 0 where the place is looked up, or where it does not move.
    out: usize,
    /// Of each tensor of indices.
    indices: Vec<usize>,
}

impl Axis {
    fn is_looked_up(&self) -> bool {
        self.indices.iter().any(|&stride| stride != 0)
    }
}

/// The lookup of places by the indices of one tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lookup {
    /// Indices are below this.
    size: i64,
    /// Of the result, in elements.
    stride: usize,
    /// The treatment of indices that name no place.
    strays: Strays,
}

/// Indices that name no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strays {
    /// There are none.
    Refused,
    /// Negative ones count from the end.
    Wrapped,
    /// Elements with this index go nowhere.
    Dropped(i64),
}

/// The initial value of the result, before anything is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    Zero,
    /// One number everywhere.
    Uniform,
    /// A tensor that lies as the result.
    Tensor,
}

impl Lookup {
    /// Moves each place to what an index names. False if one is out of bounds.
    fn add_to(self, places: &mut [u32], indices: impl Iterator<Item = i64>) -> bool {
        let stride = self.stride as u32;
        let places = places.iter_mut().zip(indices);
        if let Strays::Dropped(padding) = self.strays {
            let mut is_inside = true;
            for (place, index) in places {
                is_inside &= (0..self.size).contains(&index);
                *place =
                    if index == padding { NOWHERE } else { place.wrapping_add((index as u32).wrapping_mul(stride)) };
            }
            return is_inside;
        }
        let wrap = if self.strays == Strays::Wrapped { self.size } else { 0 };
        // Negative if any index is below 0 or above the last: no branch stands in the way of vectors.
        let outside = wide(|| {
            places.fold(0, |outside, (place, index)| {
                let index = index + ((index >> 63) & wrap);
                *place = place.wrapping_add((index as u32).wrapping_mul(stride));
                outside | index | (self.size - 1).wrapping_sub(index)
            })
        });
        outside >= 0
    }
}

/// A sum at places. Its arguments are what it adds to, if that is anything, the tensors of indices (`int64`), the
/// source, the result, and a byte that it sets if it refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Scatter {
    dtype: DType,
    /// Elements of the result, which has no gaps and lies as what it adds to.
    elements: usize,
    base: Base,
    lookups: Vec<Lookup>,
    /// Free loops on which no index depends, then free ones on which one does, then those along which places repeat.
    rows: Vec<Axis>,
    groups: Vec<Axis>,
    entries: Vec<Axis>,
}

/// The number of iterations of nested loops.
fn count(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.size).product()
}

/// The distance of an iteration of nested loops from the first.
fn offset(axes: &[Axis], mut iteration: usize, stride: impl Fn(&Axis) -> usize) -> usize {
    axes.iter().rev().fold(0, |offset, axis| {
        let at = iteration % axis.size;
        iteration /= axis.size;
        offset + at * stride(axis)
    })
}

/// Sums as a kernel.
pub(crate) struct Scatters {
    pub(crate) scatter: Scatter,
    pub(crate) pool: Arc<dyn Pool>,
}

impl CompiledKernel for Scatters {
    unsafe fn launch(&self, args: &[*mut u8], _sizes: &[i64], threads: usize) {
        let on = (threads, &*self.pool);
        // SAFETY: the caller promises addresses of tensors with the layouts that the sum was made from.
        unsafe {
            match self.scatter.dtype {
                DType::F32 => self.scatter.run::<f32>(args, on),
                DType::F64 => self.scatter.run::<f64>(args, on),
                dtype => unreachable!("sums of {dtype} are left to libtorch"),
            }
        }
    }

    fn listing(&self) -> String {
        format!("{:?}", self.scatter)
    }
}

/// Addresses, for all threads of a launch.
#[derive(Clone, Copy)]
struct Shared<T>(*mut T);

// SAFETY: an address only; threads write apart from each other, which each use says.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn start(&self) -> *mut T {
        self.0
    }
}

impl Scatter {
    /// # Safety
    /// `args` are addresses of tensors of `T` and of indices, as the sum was made from them.
    unsafe fn run<T: Copy + AddAssign>(&self, args: &[*mut u8], on: (usize, &dyn Pool)) {
        let (base, rest) = args.split_at(usize::from(self.base != Base::Zero));
        let (indices, rest) = rest.split_at(self.lookups.len());
        let &[source, out, refused] = rest else { panic!("a source, a result and a byte") };
        let indices = indices.iter().map(|&at| Shared(at.cast())).collect();
        let base = base.first().map(|&base| Shared(base.cast::<T>()));
        let sum = Sum { scatter: self, indices, base, source: Shared(source.cast()), out: Shared(out.cast()) };
        // SAFETY: the caller's promise.
        unsafe {
            let done = match count(&self.rows) {
                1 => sum.add_once(on),
                _ => sum.add_rows(on),
            };
            if !done {
                refused.write(1);
            }
        }
    }

    /// Partitions the work. Where the steps of the outermost of these free loops divide all of the result among them,
    /// each begins its part of the result just before it adds to that.
    fn share(&self, outermost: Option<&Axis>, iterations: usize, threads: usize) -> Share {
        match outermost {
            Some(axis)
                if axis.out * axis.size == self.elements
                    && axis.out >= heuristics::scatter_strip()
                    && axis.size >= threads =>
            {
                Share { each: iterations / axis.size, part: Some(axis.out) }
            }
            _ => Share { each: 1, part: None },
        }
    }
}

/// A partition of the work.
#[derive(Clone, Copy)]
struct Share {
    /// Iterations that go together.
    each: usize,
    /// Elements of the result that are theirs, if any are.
    part: Option<usize>,
}

/// A sum with its tensors: addresses of ones that are as it was told, with places that lie in the result.
struct Sum<'a, T> {
    scatter: &'a Scatter,
    indices: Vec<Shared<i64>>,
    base: Option<Shared<T>>,
    source: Shared<T>,
    out: Shared<T>,
}

impl<T: Copy + AddAssign> Sum<'_, T> {
    /// Runs so many iterations, each with elements of the result that no other adds to, after the result was given what
    /// they add to.
    fn share(
        &self,
        outermost: Option<&Axis>,
        (iterations, elements): (usize, usize),
        (threads, pool): (usize, &dyn Pool),
        run: &(dyn Fn(usize) + Sync),
    ) {
        let Share { each, part } = self.scatter.share(outermost, iterations, threads);
        if part.is_none() {
            in_pieces(
                self.scatter.elements as i64,
                heuristics::scatter_piece() as i64,
                threads,
                pool,
                &|begin, end| {
                    self.begin(begin as usize, end as usize);
                },
            );
        }
        let length = heuristics::scatter_piece().div_ceil(each * elements) as i64;
        in_pieces((iterations / each) as i64, length, threads, pool, &|begin, end| {
            let (begin, end) = (begin as usize, end as usize);
            if let Some(part) = part {
                self.begin(begin * part, end * part);
            }
            (begin * each..end * each).for_each(run);
        });
    }

    /// Gives elements of the result what is added to.
    fn begin(&self, begin: usize, end: usize) {
        // SAFETY: elements of the result, which are this thread's; a float whose bytes are 0 is 0.
        unsafe {
            let (out, length) = (self.out.start().add(begin), end - begin);
            match (self.scatter.base, &self.base) {
                (Base::Tensor, Some(base)) => out.copy_from_nonoverlapping(base.start().add(begin), length),
                (Base::Uniform, Some(base)) => std::slice::from_raw_parts_mut(out, length).fill(*base.start()),
                _ => out.write_bytes(0, length),
            }
        }
    }

    /// Writes the places of neighbours along `inner`, from the one numbered `from`, for an iteration of the loops
    /// around. False if an index is out of bounds.
    ///
    /// # Safety
    /// The iterations are some of the sum's.
    unsafe fn look_up(
        &self,
        (outer, inner): (&[Axis], &Axis),
        iteration: usize,
        from: usize,
        places: &mut [u32],
    ) -> bool {
        let moved = offset(outer, iteration, |axis| axis.out);
        for (at, place) in places.iter_mut().enumerate() {
            *place = (moved + (from + at) * inner.out) as u32;
        }
        let mut is_inside = true;
        for (number, (lookup, index)) in self.scatter.lookups.iter().zip(&self.indices).enumerate() {
            let stride = inner.indices[number];
            let first = offset(outer, iteration, |axis| axis.indices[number]) + from * stride;
            // SAFETY: within the tensor of indices, by the caller's promise.
            let index = unsafe { index.start().add(first) };
            is_inside &= match stride {
                // SAFETY: as many indices as places, side by side.
                1 => lookup.add_to(places, unsafe { std::slice::from_raw_parts(index, places.len()) }.iter().copied()),
                // SAFETY: as above, `stride` apart.
                _ => lookup.add_to(places, (0..).map(|at: usize| unsafe { *index.add(at * stride) })),
            };
        }
        is_inside
    }

    /// Adds neighbours `stride` apart to their places.
    ///
    /// # Safety
    /// Source and places are the sum's, and no other thread's.
    unsafe fn add(&self, from: usize, stride: usize, to: usize, places: &[u32]) {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, to) = (self.source.start().add(from), self.out.start().add(to));
            for (at, &place) in places.iter().enumerate() {
                if place != NOWHERE {
                    *to.add(place as usize) += *from.add(at * stride);
                }
            }
        }
    }

    /// Adds a source each of whose places serves once. False if an index is out of bounds.
    ///
    /// # Safety
    /// Nobody else writes the result.
    unsafe fn add_once(&self, on: (usize, &dyn Pool)) -> bool {
        let Scatter { groups, entries, .. } = self.scatter;
        let Some((inner, outer)) = entries.split_last() else { return true };
        let (around, rounds) = ([&groups[..], outer].concat(), count(outer));
        let is_inside = AtomicBool::new(true);
        self.share(groups.first(), (count(groups), count(entries)), on, &|group| {
            let mut places = [0; BLOCK];
            for iteration in group * rounds..(group + 1) * rounds {
                let source = offset(&around, iteration, |axis| axis.source);
                for from in (0..inner.size).step_by(BLOCK) {
                    let places = &mut places[..BLOCK.min(inner.size - from)];
                    // SAFETY: threads have groups of their own, and no places out of bounds are added to.
                    unsafe {
                        if !self.look_up((&around, inner), iteration, from, places) {
                            return is_inside.store(false, Ordering::Relaxed);
                        }
                        self.add(source + from * inner.source, inner.source, 0, places);
                    }
                }
            }
        });
        is_inside.into_inner()
    }

    /// Adds rows of a source. False if an index is out of bounds.
    ///
    /// # Safety
    /// Nobody else writes the result.
    unsafe fn add_rows(&self, on: (usize, &dyn Pool)) -> bool {
        let Scatter { rows, groups, entries, .. } = self.scatter;
        let Some((inner, outer)) = entries.split_last() else { return true };
        let (around, length) = ([&groups[..], outer].concat(), count(entries));
        let mut places = vec![NOWHERE; count(groups) * length];
        for (iteration, places) in places.chunks_mut(inner.size).enumerate() {
            // SAFETY: all iterations of the loops around the innermost one.
            if !unsafe { self.look_up((&around, inner), iteration, 0, places) } {
                return false;
            }
        }
        // What an iteration of rows and groups reads and writes: where neighbours along `inner` begin, and the places.
        let each = |rows: &[Axis], iteration: usize, add: &dyn Fn(usize, usize, &[u32])| {
            let (group, row) = (iteration % count(groups), iteration / count(groups));
            let to = offset(rows, row, |axis| axis.out);
            let from = offset(rows, row, |axis| axis.source) + offset(groups, group, |axis| axis.source);
            for (round, places) in places[group * length..][..length].chunks(inner.size).enumerate() {
                add(from + offset(outer, round, |axis| axis.source), to, places);
            }
        };
        match rows.split_last() {
            // Rows that lie side by side, in strips.
            Some((last, rows)) if last.source == 1 && last.out == 1 => {
                let iterations = count(groups) * count(rows);
                let strips = (on.0 * 4).div_ceil(iterations).min(last.size.div_ceil(heuristics::scatter_strip()));
                let strip = last.size.div_ceil(strips);
                self.share(rows.first(), (iterations * strips, strip * length), on, &|piece| {
                    let at = piece % strips * strip;
                    let count = strip.min(last.size.saturating_sub(at));
                    each(rows, piece / strips, &|from, to, places| {
                        for (entry, &place) in places.iter().enumerate().filter(|&(_, &place)| place != NOWHERE) {
                            // SAFETY: a strip of a row, to which no other thread adds.
                            unsafe {
                                let from = self.source.start().add(from + entry * inner.source + at);
                                let to = self.out.start().add(to + place as usize + at);
                                add_strip(to, from, count);
                            }
                        }
                    });
                });
            }
            _ => self.share(rows.first(), (count(groups) * count(rows), length), on, &|iteration| {
                // SAFETY: threads have rows and groups of their own.
                each(rows, iteration, &|from, to, places| unsafe { self.add(from, inner.source, to, places) });
            }),
        }
        true
    }
}

/// Adds elements that lie side by side.
///
/// # Safety
/// Both addresses have so many elements, and nobody else writes the first's.
unsafe fn add_strip<T: Copy + AddAssign>(to: *mut T, from: *const T, length: usize) {
    // SAFETY: the caller's promise.
    let (to, from) = unsafe { (std::slice::from_raw_parts_mut(to, length), std::slice::from_raw_parts(from, length)) };
    let add = || to.iter_mut().zip(from).for_each(|(to, &from)| *to += from);
    wide(add);
}

/// Runs a loop, with the widest vectors that the host has if the compiler finds them of use.
#[inline(always)]
fn wide<R>(run: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<R>(run: impl FnOnce() -> R) -> R {
            run()
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the host has the instructions.
            return unsafe { with_avx2(run) };
        }
    }
    run()
}
