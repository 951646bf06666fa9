//! The dispatches of a [`Scatter`]: the result begins as what it was, places are looked up and sorted, and what goes to
//! each place is walked over. Entries that cannot meet are not sorted.

use fx::Arg;
use inductor::device::{Access, Refusal, Task};
use inductor::plan::{Layout, View};

use super::super::builder::{Builder, joined};
use super::super::call::Given;
use super::super::coordinates::{Dims, with_dims};
use super::super::elements::Element;
use super::super::sorting::{Items, Runs};
use super::super::{BEGIN, THREADS, spread};
use super::{Combine, Index, Scatter, Source};
use crate::Gpu;
use crate::work::Work;

impl Scatter {
    /// All of it.
    pub(super) fn work(&self, gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
        self.check(gpu)?;
        let mut tasks = vec![self.base(gpu, given)?];
        if self.entries.count() > 0 && self.rows.count() > 0 {
            let runs = Runs::of(gpu, Items::Narrow, self.entries.count(), 1)?;
            tasks.push(self.look_up(gpu, given, runs)?);
            if !self.apart {
                tasks.extend(runs.sorted(gpu, given.plan)?);
            }
            tasks.push(self.walk(gpu, given, runs)?);
            let mut all = joined(tasks);
            all.work.temporaries = vec![runs.bytes()];
            return Ok(all);
        }
        Ok(joined(tasks))
    }

    /// The result as it is where nothing goes.
    fn base(&self, gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
        let dims = Dims::new('d', &self.out.layout.sizes);
        let mut builder = Builder::new(gpu, given.plan);
        builder.int("count", dims.count())?;
        dims.declare(&mut builder)?;
        builder.writes("out", &self.out, &dims.names())?;
        let value = match &self.base {
            None => format!("{}(0)", Element::of(gpu, self.out.dtype)?.value()),
            Some(base) => {
                builder.reads("base", base, &dims.names())?;
                format!("base_get(p.base_offset{})", dims.place("base"))
            }
        };
        let (apart, place) = (dims.apart("number"), dims.place("out"));
        let text = format!("{BEGIN}{apart}    out_put(p.out_offset{place}, {value});\n}}\n");
        builder.finish(&text, spread(dims.count(), THREADS)?)
    }

    /// An item for each entry: where it goes, and its number. The items that fill the run go nowhere.
    fn look_up(&self, gpu: &Gpu, given: &Given<'_>, runs: Runs) -> Result<Task<Work>, Refusal> {
        let mut builder = Builder::new(gpu, given.plan);
        builder.int("count", runs.length)?;
        builder.int("entries", self.entries.count())?;
        self.entries.declare(&mut builder)?;
        builder.places("out", &self.over_entries(), &self.entries.names())?;
        builder.faults();
        let mut text = format!(
            "{BEGIN}    items[number] = vec2<u32>(0xffffffffu, number);
    if (number >= p.entries) {{ return; }}
{}    var place = 0u{};\n",
            self.entries.apart("number"),
            self.entries.place("out"),
        );
        for (at, index) in self.indices.iter().enumerate() {
            text += &self.one_look_up(gpu, &mut builder, at, index)?;
        }
        text += "    items[number] = vec2<u32>(place, number);\n}\n";
        runs.bind(&mut builder, Access::Write);
        builder.finish(&text, spread(runs.length, THREADS)?)
    }

    /// The statements that look up an index and add its offset to `place`.
    fn one_look_up(&self, gpu: &Gpu, builder: &mut Builder<'_>, at: usize, index: &Index) -> Result<String, Refusal> {
        let (name, of) = (format!("index{at}"), Element::of(gpu, index.view.dtype)?.value());
        builder.reads(&name, &index.view, &self.entries.names())?;
        builder.int(&format!("{name}_size"), index.size)?;
        builder.int(&format!("{name}_step"), index.stride)?;
        let place = self.entries.place(&name);
        let mut text = format!("    var at{at} = {name}_get(p.{name}_offset{place});\n");
        if let Some(padding) = self.padding {
            builder.int("padding", padding)?;
            text += &format!("    if (at{at} == {of}(p.padding)) {{ return; }}\n");
        }
        if index.wraps {
            text += &format!("    if (at{at} < {of}(0)) {{ at{at} += {of}(p.{name}_size); }}\n");
        }
        Ok(text
            + &format!(
                "    if (at{at} < {of}(0) || at{at} >= {of}(p.{name}_size)) {{ out_of_bounds(); return; }}
    place += u32(at{at}) * p.{name}_step;\n"
            ))
    }

    /// A thread for each entry and element of a row; the one of the first entry that goes to a place does all of them.
    fn walk(&self, gpu: &Gpu, given: &Given<'_>, runs: Runs) -> Result<Task<Work>, Refusal> {
        let (entries, rows) = (&self.entries, &self.rows);
        let mut builder = Builder::new(gpu, given.plan);
        let threads = entries.count().saturating_mul(rows.count());
        builder.int("count", threads)?;
        builder.int("entries", entries.count())?;
        builder.int("width", rows.count())?;
        entries.declare(&mut builder)?;
        rows.declare(&mut builder)?;
        runs.bind(&mut builder, Access::Read);
        let names = [entries.names(), rows.names()].concat();
        builder.updates("out", &self.out_view(), &names)?;
        let element = Element::of(gpu, self.out.dtype)?;
        let value = match &self.source {
            Source::Tensor(view) => {
                builder.reads("source", view, &names)?;
                format!("source_get(p.source_offset{}{})", entries.place("source"), rows.place("source"))
            }
            Source::Number(number) => constant(&mut builder, element.value(), number)?,
        };
        let [begin, each, end] = self.combine.text(element.value(), self.with_base);
        let text = format!(
            "{BEGIN}    let first = number / p.width;
    let goes_to = items[first].x;
    if (goes_to == 0xffffffffu || (first > 0u && items[max(first, 1u) - 1u].x == goes_to)) {{ return; }}
    let row = number % p.width;
{}    let place = p.out_offset + goes_to{};
    var result = {begin};
    var met = {}u;
    for (var at = first; at < p.entries && items[at].x == goes_to; at++) {{
        let entry = items[at].y;
{}        let value = {value};
        {each}
        met++;
    }}
    out_put(place, {end});
}}
",
            rows.apart("row"),
            rows.place("out"),
            u32::from(self.with_base),
            entries.apart("entry"),
        );
        builder.finish(&text, spread(threads, THREADS)?)
    }

    /// The result over what is looked up and rows: how far its elements reach.
    fn out_view(&self) -> View {
        let sizes = [self.entries.sizes(), self.rows.sizes()].concat();
        let (looked_up, steps): (Vec<i64>, Vec<i64>) =
            self.indices.iter().map(|index| (index.size, index.stride)).unzip();
        let layout = Layout {
            sizes: [sizes, looked_up].concat(),
            strides: [&self.out_strides[..], &steps].concat(),
            offset: self.out.layout.offset,
        };
        View { layout, ..self.out.clone() }
    }

    /// The result's strides along the entries.
    fn over_entries(&self) -> View {
        let rank = self.entries.sizes().len();
        with_dims(&self.out, self.entries.sizes().to_vec(), self.out_strides[..rank].to_vec())
    }
}

impl Combine {
    /// The WGSL of a place's initial value, of the step for an entry, and of the value that is stored in the end; with
    /// `with_base` a place begins with what was there, otherwise with its first entry.
    fn text(self, of: &str, with_base: bool) -> [String; 3] {
        let step = match self {
            Combine::Last => "result = value;",
            Combine::Sum | Combine::Mean => "result += value;",
            Combine::Product => "result *= value;",
            Combine::Greatest if of == "f32" => "if (value > result || is_nan(value)) { result = value; }",
            Combine::Least if of == "f32" => "if (value < result || is_nan(value)) { result = value; }",
            Combine::Greatest => "result = max(result, value);",
            Combine::Least => "result = min(result, value);",
        };
        let is_nan = "(bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u";
        let step = step.replace("is_nan(value)", is_nan);
        let each = if with_base { step } else { format!("if (met == 0u) {{ result = value; }} else {{ {step} }}") };
        let begin = if with_base { "out_get(place)".to_owned() } else { format!("{of}(0)") };
        let end = if self == Combine::Mean { "result / f32(met)" } else { "result" };
        [begin, each, end.to_owned()]
    }
}

/// A number as a value of this type.
fn constant(builder: &mut Builder<'_>, of: &str, number: &Arg) -> Result<String, Refusal> {
    let too_large = || Refusal("a number that does not fit".to_owned());
    if of == "f32" {
        let value = number.as_float().or_else(|| number.as_bool().map(|flag| f64::from(u8::from(flag))));
        builder.float("value", value.ok_or_else(too_large)?);
        return Ok("p.value".to_owned());
    }
    let value = number.as_int().or_else(|| number.as_bool().map(i64::from));
    let value = value.and_then(|value| i32::try_from(value).ok()).ok_or_else(too_large)?;
    builder.signed("value", value);
    Ok(format!("{of}(p.value)"))
}
