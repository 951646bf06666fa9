//! A sorting network over memory of the step's own: what `sort` and scattering have in common.
//!
//! Sorted are items of a key and a place, in runs of a power of two each. Places of a run differ, and decide between
//! equal keys, so that the order is that of a stable sort on every device. What lies within a [block](Items::block) is
//! compared in workgroup memory; pairs that are further apart are a dispatch for each distance.

use inductor::device::{Access, Refusal, Task};
use inductor::plan::Plan;

use super::builder::Builder;
use super::spread;
use crate::Gpu;
use crate::work::Work;

/// The kinds of items that are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Items {
    /// `vec2<u32>`: a key and a place.
    Narrow,
    /// `vec4<u32>`: the upper and the lower half of a key, and a place.
    Wide,
}

/// Items in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Runs {
    /// The kind of the items.
    pub(super) items: Items,
    /// Items of a run: a power of two.
    pub(super) length: i64,
    /// The number of runs.
    pub(super) count: i64,
    /// The number of the step's own memory that they are in.
    pub(super) temporary: u32,
}

/// Threads of a workgroup.
const THREADS: i64 = 256;

impl Items {
    /// The type of one.
    pub(super) fn element(self) -> &'static str {
        match self {
            Items::Narrow => "vec2<u32>",
            Items::Wide => "vec4<u32>",
        }
    }

    /// Its bytes.
    fn bytes(self) -> i64 {
        match self {
            Items::Narrow => 8,
            Items::Wide => 16,
        }
    }

    /// Items that a workgroup has at once: 8 KiB, which every device has.
    fn block(self) -> i64 {
        8192 / self.bytes()
    }

    /// True for two items in this order.
    fn before(self) -> &'static str {
        match self {
            Items::Narrow => "a.x < b.x || (a.x == b.x && a.y < b.y)",
            Items::Wide => "a.x < b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z < b.z)))",
        }
    }
}

impl Runs {
    /// So many runs, each long enough for `items` of them.
    pub(super) fn of(gpu: &Gpu, items: Items, length: i64, count: i64) -> Result<Runs, Refusal> {
        let length = length.max(1).cast_unsigned().checked_next_power_of_two().and_then(|n| i64::try_from(n).ok());
        let runs = Runs { items, length: length.unwrap_or(i64::MAX), count, temporary: 0 };
        let bytes = runs.all().and_then(|all| all.checked_mul(items.bytes())).and_then(|n| u64::try_from(n).ok());
        match bytes {
            Some(bytes) if bytes <= gpu.longest_binding() => Ok(runs),
            _ => Refusal::because("sorting more than the device binds at once"),
        }
    }

    /// All items, with those that fill the last block.
    fn all(self) -> Option<i64> {
        let all = self.length.checked_mul(self.count)?;
        Some(all.checked_add(self.items.block() - 1)? / self.items.block() * self.items.block())
    }

    /// The bytes that they take.
    pub(super) fn bytes(self) -> usize {
        usize::try_from(self.all().unwrap_or(0) * self.items.bytes()).unwrap_or(usize::MAX)
    }

    /// Binds them as `items`.
    pub(super) fn bind(self, builder: &mut Builder<'_>, access: Access) {
        builder.temporary("items", self.items.element(), self.temporary, access);
    }

    /// The dispatches that sort every run.
    pub(super) fn sorted(self, gpu: &Gpu, plan: &Plan) -> Result<Vec<Task<Work>>, Refusal> {
        let block = self.items.block();
        let mut tasks = vec![self.within(gpu, plan, [2, self.length.min(block)])?];
        let mut size = 2 * block;
        while size <= self.length {
            let mut apart = size / 2;
            while apart >= block {
                tasks.push(self.across(gpu, plan, size, apart)?);
                apart /= 2;
            }
            tasks.push(self.within(gpu, plan, [size, size])?);
            size *= 2;
        }
        Ok(tasks)
    }

    /// The stages of these sizes, as far as they stay within a block.
    fn within(self, gpu: &Gpu, plan: &Plan, [from, to]: [i64; 2]) -> Result<Task<Work>, Refusal> {
        let mut builder = self.stage(gpu, plan)?;
        builder.int("from_size", from)?;
        builder.int("to_size", to)?;
        builder.int("all", self.all().unwrap_or(0))?;
        let text = WITHIN.replace("BLOCK", &self.items.block().to_string()).replace("ITEM", self.items.element());
        let blocks = self.all().unwrap_or(0) / self.items.block();
        builder.finish(&self.with_order(&text), spread(blocks, 1)?)
    }

    /// One step of a stage: pairs that are so far apart.
    fn across(self, gpu: &Gpu, plan: &Plan, size: i64, apart: i64) -> Result<Task<Work>, Refusal> {
        let mut builder = self.stage(gpu, plan)?;
        let pairs = self.all().unwrap_or(0) / 2;
        for (name, value) in [("size", size), ("apart", apart), ("pairs", pairs)] {
            builder.int(name, value)?;
        }
        builder.finish(&self.with_order(ACROSS), spread(pairs, THREADS)?)
    }

    fn stage<'a>(self, gpu: &'a Gpu, plan: &'a Plan) -> Result<Builder<'a>, Refusal> {
        let mut builder = Builder::new(gpu, plan);
        self.bind(&mut builder, Access::Write);
        builder.int("mask", self.length - 1)?;
        Ok(builder)
    }

    fn with_order(self, text: &str) -> String {
        let (item, before) = (self.items.element(), self.items.before());
        format!("fn before(a: {item}, b: {item}) -> bool {{ return {before}; }}{text}")
    }
}

const WITHIN: &str = "
var<workgroup> slab: array<ITEM, BLOCK>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let start = (group.x + group.y * 0x8000u) * BLOCKu;
    if (start >= p.all) { return; }
    for (var i = thread; i < BLOCKu; i += 256u) { slab[i] = items[start + i]; }
    workgroupBarrier();
    for (var size = p.from_size; size <= p.to_size; size = size << 1u) {
        for (var apart = min(size, BLOCKu) >> 1u; apart > 0u; apart = apart >> 1u) {
            for (var pair = thread; pair < BLOCKu / 2u; pair += 256u) {
                let low = ((pair & ~(apart - 1u)) << 1u) | (pair & (apart - 1u));
                let ascends = ((start + low) & p.mask & size) == 0u;
                let a = slab[low];
                let b = slab[low + apart];
                if (before(b, a) == ascends) {
                    slab[low] = b;
                    slab[low + apart] = a;
                }
            }
            workgroupBarrier();
        }
    }
    for (var i = thread; i < BLOCKu; i += 256u) { items[start + i] = slab[i]; }
}
";

const ACROSS: &str = "
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let pair = (group.x + group.y * 0x8000u) * 256u + thread;
    if (pair >= p.pairs) { return; }
    let low = ((pair & ~(p.apart - 1u)) << 1u) | (pair & (p.apart - 1u));
    let ascends = (low & p.mask & p.size) == 0u;
    let a = items[low];
    let b = items[low + p.apart];
    if (before(b, a) == ascends) {
        items[low] = b;
        items[low + p.apart] = a;
    }
}
";
