//! Memory planning: offsets in one arena for buffers with known lifetimes.
//!
//! First the largest buffer, then the next, each at the lowest offset where no buffer that lives at the same time is in
//! the way. Offsets are multiples of 64 bytes.

/// Alignment of every buffer, in bytes: a cache line, and the widest vector.
pub const ALIGN: usize = 64;

/// A buffer's lifetime, in steps, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The step that first writes it.
    pub start: usize,
    /// The step that last uses it.
    pub end: usize,
    /// Its size in bytes.
    pub bytes: usize,
}

/// True if all buffers have addresses, wherever they come to lie.
pub fn fits<'a>(intervals: impl IntoIterator<Item = &'a Interval>) -> bool {
    let total =
        intervals.into_iter().try_fold(0usize, |total, i| total.checked_add(i.bytes.checked_next_multiple_of(ALIGN)?));
    total.is_some_and(|total| isize::try_from(total).is_ok())
}

/// An offset for each interval, and the size of the arena. The buffers [fit](fits).
pub fn plan(intervals: &[Interval]) -> (Vec<usize>, usize) {
    let (offsets, total) = plan_within(intervals, usize::MAX);
    (offsets.into_iter().flatten().collect(), total)
}

/// An offset for each interval that has room in an arena of so many bytes beside those that are larger, and how many of
/// the bytes are used.
pub fn plan_within(intervals: &[Interval], bytes: usize) -> (Vec<Option<usize>>, usize) {
    let mut order: Vec<usize> = (0..intervals.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(intervals[i].bytes), intervals[i].start));
    let mut offsets = vec![0; intervals.len()];
    let mut found = vec![None; intervals.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut total = 0;
    for i in order {
        let offset = lowest_gap(&intervals[i], &placed, intervals, &offsets);
        if bytes.checked_sub(offset).is_none_or(|room| room < intervals[i].bytes) {
            continue;
        }
        (offsets[i], found[i]) = (offset, Some(offset));
        total = total.max(offset + round_up(intervals[i].bytes));
        // By offsets, so that the gaps are met in order.
        placed.insert(placed.partition_point(|&j| offsets[j] <= offset), i);
    }
    (found, total)
}

fn lowest_gap(interval: &Interval, placed: &[usize], intervals: &[Interval], offsets: &[usize]) -> usize {
    let bytes = round_up(interval.bytes);
    let mut offset = 0;
    for &j in placed {
        let other = &intervals[j];
        let meets = other.start <= interval.end && interval.start <= other.end;
        if meets && offsets[j] < offset + bytes {
            offset = offset.max(offsets[j] + round_up(other.bytes));
        }
    }
    offset
}

fn round_up(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn living_buffers_never_overlap(raw in prop::collection::vec((0usize..20, 0usize..8, 1usize..4000), 1..40)) {
            let intervals: Vec<Interval> =
                raw.iter().map(|&(start, len, bytes)| Interval { start, end: start + len, bytes }).collect();
            let (offsets, total) = plan(&intervals);
            for (i, a) in intervals.iter().enumerate() {
                prop_assert!(offsets[i] % ALIGN == 0 && offsets[i] + a.bytes <= total);
                for (j, b) in intervals.iter().enumerate().skip(i + 1) {
                    let meets = a.start <= b.end && b.start <= a.end;
                    let apart = offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
                    prop_assert!(!meets || apart);
                }
            }
        }
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let lives = |bytes| Interval { start: 0, end: 1, bytes };
        assert_eq!(plan_within(&[lives(64), lives(300), lives(100)], 200), (vec![Some(128), None, Some(0)], 192));
        assert_eq!(plan_within(&[lives(201)], 200), (vec![None], 0));
    }

    #[test]
    fn what_leaves_the_address_space_does_not_fit() {
        let lives = |bytes| Interval { start: 0, end: 1, bytes };
        let half = usize::MAX / 4;
        assert!(fits(&[lives(half)]) && !fits(&[lives(half), lives(half), lives(half)]));
        assert!(!fits(&[lives(usize::MAX)]));
    }

    #[test]
    fn a_chain_needs_two_buffers() {
        let chain: Vec<Interval> = (0..10).map(|k| Interval { start: k, end: k + 1, bytes: 256 }).collect();
        assert_eq!(plan(&chain).1, 512);
    }
}
