//! A plan as text, for logs and golden files.

use std::fmt::{self, Display, Formatter};

use symshapes::DType;

use super::{BufData, Call, Epilogue, Fate, Launch, Layout, Output, Plan, Step, Storage, View};
use crate::calls::Joined;

/// `f32[128, 768]`, with strides where they are not row-major and the offset where there is one.
struct Shape<'a>(DType, &'a Layout);

impl Display for Shape<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Shape(dtype, layout) = self;
        write!(f, "{dtype}{:?}", layout.sizes)?;
        if !layout.is_row_major() {
            write!(f, "{{{}}}", Joined(&layout.strides))?;
        }
        if layout.offset != 0 {
            write!(f, "+{}", layout.offset)?;
        }
        Ok(())
    }
}

impl Display for BufData {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", Shape(self.dtype, &self.layout))?;
        match self.storage {
            Storage::Input(number) => write!(f, "input {number}"),
            Storage::Arena(offset) => write!(f, "arena {offset}"),
            Storage::Lent(offset) => write!(f, "lent {offset}"),
            Storage::Owned => f.write_str("owned"),
            Storage::Result => f.write_str("result"),
            Storage::Constant(number) => write!(f, "constant {number}"),
        }
    }
}

impl Display for View {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.buf, Shape(self.dtype, &self.layout))
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", Joined(&self.results))?;
        self.write(f, "")
    }
}

impl Display for Launch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Launch { kernel, args, sizes } = self;
        write!(f, "{kernel}({}", Joined(args))?;
        if !sizes.is_empty() {
            write!(f, "; {}", Joined(sizes))?;
        }
        f.write_str(")")
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Step::Launch(launch) => write!(f, "launch {launch}"),
            Step::Group(launches) => write!(f, "launch {}", Joined(launches)),
            Step::Call(call) => write!(f, "{call}"),
            Step::Fused(call, Epilogue { kernel, args, sizes, into, .. }) => {
                write!(f, "{call}")?;
                if let Some(into) = into {
                    write!(f, " in {}", args[*into])?;
                }
                write!(f, " then {kernel}({}", Joined(args))?;
                if !sizes.is_empty() {
                    write!(f, "; {}", Joined(sizes))?;
                }
                f.write_str(")")
            }
            Step::Free(buf) => write!(f, "free {buf}"),
            Step::Check(buf) => write!(f, "check {buf}"),
            Step::Write { into, from } => write!(f, "write {into} = {from}"),
        }
    }
}

impl Display for Output {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Output::Tensor(view) => write!(f, "{view}"),
            Output::Plain(arg) => write!(f, "{arg:?}"),
            Output::Object(object) => write!(f, "{object}"),
        }
    }
}

impl Display for Fate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Kernel(kernels) => write!(f, "kernel {}", Joined(kernels)),
            Fate::Extern => f.write_str("extern"),
            Fate::Fallback(reason) => write!(f, "fallback: {reason}"),
            Fate::View => f.write_str("view"),
            Fate::Constant => f.write_str("constant"),
            Fate::Write => f.write_str("write"),
            Fate::Dead => f.write_str("dead"),
        }
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "plan({} inputs, arena of {} bytes", self.inputs, self.arena_bytes)?;
        if let Some(lender) = self.lender {
            write!(f, ", {lender} lends its memory")?;
        }
        f.write_str(")\n")?;
        for (buf, data) in self.bufs.iter() {
            writeln!(f, "  {buf}: {data}")?;
        }
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        writeln!(f, "  return [{}]", Joined(&self.outputs))?;
        for (id, kernel) in self.kernels.iter() {
            writeln!(f, "{id}: {kernel}")?;
        }
        Ok(())
    }
}
