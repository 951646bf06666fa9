//! Plans whose sizes are expressions, and the plan for given values of their symbols.

use crate::heuristics;
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, SecondaryMap};
use fx::{Arg, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use symshapes::{Expr, Pool, Sym};

use super::launch_groups;
use super::sizes::{Result, SizeError, Values};
use super::{Buf, BufData, Call, CallArg, Epilogue, Fate, KernelId, Launch, Output, Plan, Step, Storage, View};
use crate::loop_ir::Kernel;
use crate::memory::{self, Interval};

/// The choices that suit plans for given sizes to their device and to their caller.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub struct Choices {
    /// Buffers of at least so many bytes are tensors of their own, which come and go, not parts of the arena.
    pub own_from: Option<usize>,
    /// Buffers of at least so many bytes in all lie in the memory of a result that is written after their last use.
    pub lends_from: Option<usize>,
    /// The device launches several kernels at once ([`Step::Group`]).
    pub groups_launches: bool,
}

/// A plan for all values of its symbols. Its arena is laid out when they are known.
#[derive(Clone, Debug)]
pub struct SymbolicPlan {
    /// The expressions.
    pub pool: Pool,
    /// Every buffer; the offsets of those in the arena are 0.
    pub bufs: PrimaryMap<Buf, BufData<Expr>>,
    /// The distinct kernels.
    pub kernels: Arc<PrimaryMap<KernelId, Kernel>>,
    /// The steps, in order, but for [`Step::Free`].
    pub steps: Vec<Step<Expr>>,
    /// The number of leading steps that follow from weights alone ([`freeze`](crate::freeze)).
    pub frozen: usize,
    /// The choices that are applied when sizes are known.
    pub choices: Choices,
    /// Number of inputs.
    pub inputs: usize,
    /// The buffers of inputs that the graph changes.
    pub written: Vec<Buf>,
    /// The outputs that are returned.
    pub outputs: Vec<Output<Expr>>,
    /// The fate of each node, in the order of the graph.
    pub fates: Arc<[(NodeId, Fate)]>,
}

impl SymbolicPlan {
    /// The plan for these values of the symbols.
    ///
    /// # Errors
    /// A value outside its symbol's range, a size that has no value or a negative one, memory beyond 64 bits.
    pub fn at(&self, value: &dyn Fn(Sym) -> Option<i64>) -> Result<Plan> {
        self.rewritten_at(value, |_| {})
    }

    /// The plan for these values of the symbols, rewritten before its arena is laid out.
    ///
    /// # Errors
    /// As [`SymbolicPlan::at`].
    pub(crate) fn rewritten_at(
        &self,
        value: &dyn Fn(Sym) -> Option<i64>,
        rewrite: impl FnOnce(&mut Plan),
    ) -> Result<Plan> {
        let values = Values::new(&self.pool, value);
        let mut bufs: Vec<BufData> =
            self.bufs.iter().map(|(buf, data)| values.buf(buf, data)).collect::<Result<_>>()?;
        if let Some(limit) = self.choices.own_from {
            let is_large = |data: &&mut BufData| data.bytes().is_some_and(|bytes| bytes >= limit);
            let in_arena = |data: &&mut BufData| matches!(data.storage, Storage::Arena(_));
            bufs.iter_mut().filter(in_arena).filter(is_large).for_each(|data| data.storage = Storage::Owned);
        }
        let mut plan = Plan {
            bufs: bufs.into_iter().collect(),
            kernels: Arc::clone(&self.kernels),
            steps: self.steps.iter().map(|step| values.step(step)).collect::<Result<_>>()?,
            frozen: self.frozen,
            inputs: self.inputs,
            written: self.written.clone(),
            outputs: self.outputs.iter().map(|output| values.output(output)).collect::<Result<_>>()?,
            arena_bytes: 0,
            lender: None,
            fates: Arc::clone(&self.fates),
        };
        rewrite(&mut plan);
        if self.choices.groups_launches {
            launch_groups::group(&mut plan);
        }
        plan.place_buffers(self.choices.lends_from)?;
        Ok(plan)
    }

    /// The plan for typical values, for people to read.
    ///
    /// # Errors
    /// A size that has no value: a symbol of which nothing is known.
    pub fn typical(&self) -> Result<Plan> {
        self.at(&|sym| self.pool.symbol_hint(sym))
    }
}

impl Values<'_> {
    fn view(&self, view: &View<Expr>) -> Result<View> {
        Ok(View { buf: view.buf, dtype: view.dtype, layout: self.layout(&view.layout)? })
    }

    fn buf(&self, buf: Buf, data: &BufData<Expr>) -> Result<BufData> {
        let layout = self.layout(&data.layout)?;
        let data = BufData { dtype: data.dtype, layout, storage: data.storage.clone() };
        if data.bytes().is_some() { Ok(data) } else { Err(SizeError::Memory { buf, data: Box::new(data) }) }
    }

    fn step(&self, step: &Step<Expr>) -> Result<Step> {
        Ok(match step {
            Step::Launch(launch) => Step::Launch(self.launch(launch)?),
            Step::Group(launches) => {
                Step::Group(launches.iter().map(|launch| self.launch(launch)).collect::<Result<_>>()?)
            }
            Step::Call(call) => Step::Call(self.call(call)?),
            Step::Fused(call, Epilogue { kernel, args, sizes, product, into }) => {
                let (kernel, args, product, into) = (*kernel, args.clone(), *product, *into);
                Step::Fused(self.call(call)?, Epilogue { kernel, args, sizes: self.ints(sizes)?, product, into })
            }
            Step::Free(buf) => Step::Free(*buf),
            Step::Check(buf) => Step::Check(*buf),
            Step::Write { into, from } => Step::Write { into: *into, from: self.view(from)? },
        })
    }

    fn launch(&self, launch: &Launch<Expr>) -> Result<Launch> {
        let Launch { kernel, args, sizes } = launch;
        Ok(Launch { kernel: *kernel, args: args.clone(), sizes: self.ints(sizes)? })
    }

    fn call(&self, call: &Call<Expr>) -> Result<Call> {
        let args = call.args.iter().map(|arg| self.call_arg(arg)).collect::<Result<_>>()?;
        let kwargs = call.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.call_arg(arg)?)));
        Ok(Call {
            target: call.target.clone(),
            node: call.node,
            args,
            kwargs: kwargs.collect::<Result<_>>()?,
            results: call.results.clone(),
            tuple: call.tuple,
            kind: call.kind.clone(),
        })
    }

    fn call_arg(&self, arg: &CallArg<Expr>) -> Result<CallArg> {
        Ok(match arg {
            CallArg::Tensor(view) => CallArg::Tensor(self.view(view)?),
            CallArg::Object(object) => CallArg::Object(*object),
            CallArg::List(items) => CallArg::List(items.iter().map(|item| self.call_arg(item)).collect::<Result<_>>()?),
            CallArg::Plain(arg) => CallArg::Plain(self.plain(arg)?),
        })
    }

    fn output(&self, output: &Output<Expr>) -> Result<Output> {
        Ok(match output {
            Output::Tensor(view) => Output::Tensor(self.view(view)?),
            Output::Plain(arg) => Output::Plain(self.plain(arg)?),
            Output::Object(object) => Output::Object(*object),
        })
    }

    /// An argument with its symbolic ints as numbers.
    fn plain(&self, arg: &Arg) -> Result<Arg> {
        let all = |items: &[Arg]| items.iter().map(|item| self.plain(item)).collect::<Result<Vec<_>>>();
        Ok(match arg {
            Arg::Sym(e) => Arg::Int(self.int(*e)?),
            Arg::List(items) => Arg::List(all(items)?),
            Arg::Tuple(items) => Arg::Tuple(all(items)?),
            Arg::Slice(parts) => {
                let [start, stop, step] = &**parts;
                Arg::Slice(Box::new([self.plain(start)?, self.plain(stop)?, self.plain(step)?]))
            }
            Arg::Dict(items) => {
                let items = items.iter().map(|(key, value)| Ok((self.plain(key)?, self.plain(value)?)));
                Arg::Dict(items.collect::<Result<_>>()?)
            }
            other => other.clone(),
        })
    }
}

/// A buffer that needs room, and for how long.
type Guest = (Buf, Interval);

/// A result in which there is room.
struct Lender {
    buf: Buf,
    bytes: usize,
    /// The step that writes it.
    first: usize,
}

/// The first and the last step that touch each buffer.
pub type Lives = SecondaryMap<Buf, Option<(usize, usize)>>;

impl Plan {
    /// The liveness of each buffer; `None` for one that no step touches.
    pub fn lives(&self) -> Lives {
        let mut lives = Lives::new();
        for (at, step) in self.steps.iter().enumerate() {
            step.for_each_buf(&mut |buf| {
                let (start, _) = lives[buf].unwrap_or((at, at));
                lives[buf] = Some((start, at));
            });
        }
        lives
    }

    /// Gives arena buffers their offsets, and frees the others after their last use.
    fn place_buffers(&mut self, lends_from: Option<usize>) -> Result<()> {
        let lives = self.lives();
        let flag = |step: &Step| if let Step::Check(buf) = step { Some(*buf) } else { None };
        let flags: FxHashSet<Buf> = self.steps.iter().filter_map(flag).collect();
        let is_arena = |data: &BufData| matches!(data.storage, Storage::Arena(_));
        let arena: Vec<Buf> = self.bufs.iter().filter(|(_, data)| is_arena(data)).map(|(buf, _)| buf).collect();
        let interval = |&buf: &Buf| {
            let (start, end) = match lives[buf] {
                // A flag keeps its place from call to call.
                _ if flags.contains(&buf) => (0, usize::MAX),
                Some(life) => life,
                None => return Some((buf, Interval { start: 0, end: 0, bytes: 0 })),
            };
            Some((buf, Interval { start, end, bytes: self.bufs[buf].bytes()? }))
        };
        let guests: Option<Vec<Guest>> = arena.iter().map(interval).collect();
        let guests = guests.filter(|all| memory::fits(all.iter().map(|(_, life)| life))).ok_or(SizeError::Arena)?;
        let left = match lends_from {
            Some(least) => self.lend(least, &lives, guests),
            None => guests,
        };
        let intervals: Vec<Interval> = left.iter().map(|(_, interval)| *interval).collect();
        let (offsets, total) = memory::plan(&intervals);
        for ((buf, _), offset) in left.into_iter().zip(offsets) {
            self.bufs[buf].storage = Storage::Arena(offset);
        }
        self.arena_bytes = total;
        self.insert_frees(&lives);
        Ok(())
    }

    /// Finds room for buffers in the result that has most of it before it is written, if that is at least so much;
    /// gives back those that still need some.
    fn lend(&mut self, least: usize, lives: &Lives, guests: Vec<Guest>) -> Vec<Guest> {
        let returned = self.returned();
        // The result is allocated the earlier for it: tensors that come and go before must not need more than is saved.
        let passes = |(buf, data): (Buf, &BufData)| {
            let is_own = matches!(data.storage, Storage::Owned | Storage::Result) && !returned.contains(&buf);
            let (start, end) = lives[buf].filter(|_| is_own)?;
            Some(Interval { start, end, bytes: data.bytes()? })
        };
        let passing: Vec<Interval> = self.bufs.iter().filter_map(passes).collect();
        let least = if memory::fits(&passing) { memory::plan(&passing).1.max(least) } else { return guests };
        let mut lenders: Vec<Lender> = returned.iter().filter_map(|&buf| self.room_in(buf, least, lives)).collect();
        lenders.sort_by_key(|lender| std::cmp::Reverse((lender.bytes, lender.buf)));
        let places = lenders.iter().take(heuristics::lender_most_results()).map(|lender| {
            let is_early = |guest: &Guest| guest.1.end < lender.first;
            let early: Vec<Guest> = guests.iter().copied().filter(is_early).collect();
            let intervals: Vec<Interval> = early.iter().map(|(_, interval)| *interval).collect();
            let (offsets, lent) = memory::plan_within(&intervals, lender.bytes);
            (lent, lender.buf, early, offsets)
        });
        let Some((lent, lender, early, offsets)) = places.max_by_key(|(lent, ..)| *lent) else { return guests };
        if lent < least {
            return guests;
        }
        for ((buf, _), offset) in early.into_iter().zip(offsets) {
            if let Some(offset) = offset {
                self.bufs[buf].storage = Storage::Lent(offset);
            }
        }
        self.lender = Some(lender);
        let is_left = |(buf, _): &Guest| !matches!(self.bufs[*buf].storage, Storage::Lent(_));
        let left: Vec<Guest> = guests.into_iter().filter(is_left).collect();
        let (kept, late): (Vec<Guest>, Vec<Guest>) = left.iter().partition(|(_, life)| life.end == usize::MAX);
        if late.len() > heuristics::late_most_tensors() {
            return left;
        }
        for (buf, _) in late {
            self.bufs[buf].storage = Storage::Owned;
        }
        kept
    }

    /// The room in a result that is allocated as a tensor, if it has so many bytes.
    fn room_in(&self, buf: Buf, least: usize, lives: &Lives) -> Option<Lender> {
        let data = &self.bufs[buf];
        let bytes = data.bytes().filter(|&bytes| data.storage == Storage::Owned && bytes >= least)?;
        Some(Lender { buf, bytes, first: lives[buf]?.0 })
    }

    /// The buffers of what is returned.
    fn returned(&self) -> FxHashSet<Buf> {
        let buf = |output: &Output| if let Output::Tensor(view) = output { Some(view.buf) } else { None };
        self.outputs.iter().filter_map(buf).collect()
    }

    fn insert_frees(&mut self, lives: &Lives) {
        let returned = self.returned();
        let mut frees: FxHashMap<usize, Vec<Buf>> = FxHashMap::default();
        for (buf, data) in self.bufs.iter() {
            let is_own = matches!(data.storage, Storage::Owned | Storage::Result);
            // What follows from weights alone is kept for the next call.
            if let Some((first, last)) = lives[buf]
                && is_own
                && !returned.contains(&buf)
                && (first >= self.frozen || last < self.frozen)
            {
                frees.entry(last).or_default().push(buf);
            }
        }
        let steps = std::mem::take(&mut self.steps);
        let frozen = std::mem::take(&mut self.frozen);
        for (at, step) in steps.into_iter().enumerate() {
            self.steps.push(step);
            self.steps.extend(frees.remove(&at).into_iter().flatten().map(Step::Free));
            if at + 1 == frozen {
                self.frozen = self.steps.len();
            }
        }
    }
}

impl BufData {
    /// Bytes that the buffer spans; `None` if that leaves 64 bits.
    pub fn bytes(&self) -> Option<usize> {
        let bytes = self.layout.span()?.checked_mul(i64::try_from(self.dtype.size()).ok()?)?;
        usize::try_from(bytes).ok()
    }
}
