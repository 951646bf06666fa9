//! Tensor IR as text: one line a tensor or call, in dependency order, for logs and golden files. It is not parsed.
//!
//! ```text
//! tensors(2 inputs) {
//!   t0: f32[4, 8] = input 0
//!   t1: f32[8] = input 1
//!   t2: f32[4, 8] = expand t1
//!   t3: f32[4, 8] = map add t0, t2
//!   return [t3]
//! }
//! ```
//!
//! Strides stand in braces after the sizes where the graph promises others than row-major ones.

use std::fmt::{self, Display, Formatter};

use symshapes::{Expr, Pool};

use super::{Call, GatherDim, Op, Output, Tensor, TensorData, TensorGraph, View, Write, contiguous_strides};
use crate::calls::Joined;
use crate::loop_ir::text::dtype_name;

/// Sizes with commas between them.
struct Sizes<'a>(&'a Pool, &'a [Expr]);

impl Display for Sizes<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (k, &size) in self.1.iter().enumerate() {
            write!(f, "{}{}", if k == 0 { "" } else { ", " }, self.0.display(size))?;
        }
        Ok(())
    }
}

impl Display for TensorGraph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut pool = self.pool.clone();
        writeln!(f, "tensors({} inputs) {{", self.inputs)?;
        let mut called = None;
        for (t, data) in self.tensors.iter() {
            if let Op::Result(call, _) = data.op
                && called < Some(call)
            {
                writeln!(f, "  {call}: {}", self.calls[call])?;
                called = Some(call);
            }
            write!(f, "  {t}: ")?;
            data.write(&mut pool, f)?;
            f.write_str("\n")?;
        }
        let silent = |call: &Call| call.result_tensors().next().is_none();
        for (id, call) in self.calls.iter().filter(|(_, call)| silent(call)) {
            writeln!(f, "  {id}: {call}")?;
        }
        for Write { input, value } in &self.writes {
            writeln!(f, "  {input} := {value}")?;
        }
        writeln!(f, "  return [{}]", Joined(&self.outputs))?;
        f.write_str("}\n")
    }
}

impl TensorData {
    fn write(&self, pool: &mut Pool, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", dtype_name(self.dtype), Sizes(pool, &self.sizes))?;
        let row_major = contiguous_strides(pool, &self.sizes);
        if let Some(strides) = &self.strides
            && !super::same_strides(&self.sizes, strides, &row_major)
        {
            write!(f, "{{{}}}", Sizes(pool, strides))?;
        }
        f.write_str(" = ")?;
        self.op.write(pool, f)
    }
}

impl Op {
    fn write(&self, pool: &Pool, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Op::Input(number) => write!(f, "input {number}"),
            Op::Constant(number) => write!(f, "constant {number}"),
            Op::Result(call, number) => write!(f, "result {number} of {call}"),
            Op::Full(value) => write!(f, "full {value}"),
            Op::Size(e) => write!(f, "size {}", pool.display(*e)),
            Op::Iota { start, step } => write!(f, "iota from {} by {step}", pool.display(*start)),
            Op::Map(op, args) => write!(f, "map {op} {}", Joined(args)),
            Op::Convert(x) => write!(f, "convert {x}"),
            Op::View(x, view) => view.write(*x, pool, f),
            Op::Reduce(kind, x, dims) => write!(f, "reduce {kind} {x} over [{}]", Joined(dims)),
            Op::Gather { source, dims } => write!(f, "gather {source}[{}]", Joined(dims)),
            Op::Cat(parts, dim) => write!(f, "cat {} along {dim}", Joined(parts)),
            Op::Pad { source, low, value } => {
                write!(f, "pad {source} with {value}, [{}] in front", Sizes(pool, low))
            }
            Op::Cumsum(x, dim) => write!(f, "cumsum {x} along {dim}"),
        }
    }
}

impl View {
    fn write(&self, source: Tensor, pool: &Pool, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            View::Reshape => write!(f, "reshape {source}"),
            View::Permute(perm) => write!(f, "permute {source} to [{}]", Joined(perm)),
            View::Expand => write!(f, "expand {source}"),
            View::Slice { start, step } => {
                write!(f, "slice {source} from [{}]{}", Sizes(pool, start), Steps(step))
            }
            View::Diagonal(dims) => write!(f, "diagonal {source} of [{}]", Joined(dims)),
            View::Windows { dim, step } => write!(f, "windows {source} along {dim} step {step}"),
        }
    }
}

/// The steps of a slice, unless all are 1.
struct Steps<'a>(&'a [i64]);

impl Display for Steps<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.iter().all(|&s| s == 1) { Ok(()) } else { write!(f, " by [{}]", Joined(self.0)) }
    }
}

impl Display for GatherDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            GatherDim::Out(dim) => write!(f, "#{dim}"),
            GatherDim::Index(index) => write!(f, "{index}"),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}) = ", Joined(&self.results))?;
        self.write(f, if self.ordered { ", in order" } else { "" })
    }
}

impl Display for Output {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Output::Tensor(t) => write!(f, "{t}"),
            Output::Plain(arg) => write!(f, "{arg:?}"),
            Output::Object(object) => write!(f, "{object}"),
        }
    }
}
