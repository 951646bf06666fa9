//! `sort` and `topk`: the lines of a tensor by a [network](super::sorting), NaN behind all else, equal elements in the
//! order that they had.
//!
//! An element's key is a number without a sign that is ordered as the element is; descending, it is the complement.
//! The element itself is stored, from the place that was sorted with its key: no bit of it changes.

use inductor::device::{Access, Refusal, Task};
use inductor::plan::View;
use symshapes::DType;

use super::builder::{Builder, joined};
use super::call::Given;
use super::coordinates::{Dims, at_least_one, with_dims};
use super::elements::Element;
use super::sorting::{Items, Runs};
use super::{BEGIN, THREADS, spread};
use crate::Gpu;
use crate::work::Work;

/// `sort`, stable or not.
pub(super) fn sort(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    ordered(gpu, given, given.bool("descending")?)
}

/// `topk`, sorted or not.
pub(super) fn topk(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    if given.any("self")?.dtype == DType::Bool {
        return Refusal::because("the greatest of truth values, which eager does not take");
    }
    ordered(gpu, given, given.bool("largest")?)
}

/// The lines in order, as many elements of each as the results have.
fn ordered(gpu: &Gpu, given: &Given<'_>, descends: bool) -> Result<Task<Work>, Refusal> {
    let input = at_least_one(given.any("self")?);
    let lines = Lines::of(given, &input)?;
    let value = Element::of(gpu, input.dtype)?.value();
    let items = if value == "i64" { Items::Wide } else { Items::Narrow };
    let extent = input.layout.sizes[lines.dim];
    let runs = Runs::of(gpu, items, extent, lines.dims.count())?;
    let mut tasks = vec![keys(gpu, given, &lines, &input, runs, descends)?];
    tasks.extend(runs.sorted(gpu, given.plan)?);
    let [values, indices] = [given.opt_result(0)?, given.opt_result(1)?].map(|out| out.map(|out| at_least_one(&out)));
    tasks.push(taken(gpu, given, &lines, &input, runs, [values, indices])?);
    let mut all = joined(tasks);
    all.work.temporaries = vec![runs.bytes()];
    Ok(all)
}

/// A tensor as lines along a dimension.
pub(super) struct Lines {
    /// The dimension.
    pub(super) dim: usize,
    /// The others.
    pub(super) dims: Dims,
}

impl Lines {
    /// The lines of a tensor of at least one dimension, along the dimension that a call names.
    pub(super) fn of(given: &Given<'_>, view: &View) -> Result<Lines, Refusal> {
        let dim = given.dimension(view.layout.sizes.len())?;
        Ok(Lines { dim, dims: Dims::new('d', &others(&view.layout.sizes, dim)) })
    }

    /// A tensor with the line's dimension last, as `along`.
    pub(super) fn arranged(&self, view: &View) -> View {
        let last = |of: &[i64]| [others(of, self.dim), vec![of[self.dim]]].concat();
        with_dims(view, last(&view.layout.sizes), last(&view.layout.strides))
    }

    /// The names of the dimensions of an [arranged](Lines::arranged) tensor.
    pub(super) fn names(&self) -> Vec<&str> {
        [self.dims.names(), vec!["along"]].concat()
    }

    /// The number of the element at a place of a line, whose coordinates are declared.
    pub(super) fn element(&self, tensor: &str, place: &str) -> String {
        format!("p.{tensor}_offset{} + {place} * p.{tensor}_along", self.dims.place(tensor))
    }
}

fn others(of: &[i64], dim: usize) -> Vec<i64> {
    of.iter().enumerate().filter(|&(d, _)| d != dim).map(|(_, &n)| n).collect()
}

/// An item for each element: its key, and its place in the line.
fn keys(
    gpu: &Gpu,
    given: &Given<'_>,
    lines: &Lines,
    input: &View,
    runs: Runs,
    descends: bool,
) -> Result<Task<Work>, Refusal> {
    let mut builder = Builder::new(gpu, given.plan);
    let count = lines.dims.count().saturating_mul(runs.length);
    for (name, value) in [("count", count), ("length", runs.length), ("extent", input.layout.sizes[lines.dim])] {
        builder.int(name, value)?;
    }
    lines.dims.declare(&mut builder)?;
    builder.reads("input", &lines.arranged(input), &lines.names())?;
    runs.bind(&mut builder, Access::Write);
    let not = if descends { "~" } else { "" };
    let (item, key, filler) = match runs.items {
        Items::Narrow => ("vec2<u32>", format!("{not}key, at"), "0xffffffffu, at"),
        Items::Wide => ("vec4<u32>", format!("{not}key.x, {not}key.y, at, 0u"), "0xffffffffu, 0xffffffffu, at, 0u"),
    };
    let text = format!(
        "{BEGIN}    let at = number % p.length;
    items[number] = {item}({filler});
    if (at >= p.extent) {{ return; }}
{}    let value = input_get({});
    {}
    items[number] = {item}({key});
}}
",
        lines.dims.apart("number / p.length"),
        lines.element("input", "at"),
        key_of(Element::of(gpu, input.dtype)?.value()),
    );
    builder.finish(&text, spread(count, THREADS)?)
}

/// The statements that declare `key`. Zeros of both signs are equal, and so is every NaN.
fn key_of(value: &str) -> &'static str {
    match value {
        "f32" => {
            "var bits = bitcast<u32>(value);
    if ((bits << 1u) == 0u) { bits = 0u; }
    var key = select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { key = 0xffffffffu; }"
        }
        "i64" => "let key = vec2<u32>(u32(value >> 32u) ^ 0x80000000u, u32(value & 0xffffffffli));",
        _ => "let key = bitcast<u32>(value) ^ 0x80000000u;",
    }
}

/// The elements that the results have, and their places.
fn taken(
    gpu: &Gpu,
    given: &Given<'_>,
    lines: &Lines,
    input: &View,
    runs: Runs,
    [values, indices]: [Option<View>; 2],
) -> Result<Task<Work>, Refusal> {
    let kept = values.as_ref().or(indices.as_ref()).map(|out| out.layout.sizes[lines.dim]);
    let kept = kept.ok_or_else(|| Refusal("nothing uses its results".to_owned()))?;
    let mut builder = Builder::new(gpu, given.plan);
    let count = lines.dims.count().saturating_mul(kept);
    for (name, value) in [("count", count), ("length", runs.length), ("kept", kept)] {
        builder.int(name, value)?;
    }
    lines.dims.declare(&mut builder)?;
    runs.bind(&mut builder, Access::Read);
    let mut stores = String::new();
    if let Some(values) = values {
        builder.reads("input", &lines.arranged(input), &lines.names())?;
        builder.writes("values", &lines.arranged(&values), &lines.names())?;
        let (from, to) = (lines.element("input", "from_place"), lines.element("values", "at"));
        stores += &format!("    values_put({to}, input_get({from}));\n");
    }
    if let Some(indices) = indices {
        let of = Element::of(gpu, indices.dtype)?.value();
        builder.writes("indices", &lines.arranged(&indices), &lines.names())?;
        stores += &format!("    indices_put({}, {of}(from_place));\n", lines.element("indices", "at"));
    }
    let place = match runs.items {
        Items::Narrow => "y",
        Items::Wide => "z",
    };
    let text = format!(
        "{BEGIN}    let at = number % p.kept;
    let line = number / p.kept;
{}    let from_place = items[line * p.length + at].{place};
{stores}}}
",
        lines.dims.apart("line"),
    );
    builder.finish(&text, spread(count, THREADS)?)
}
