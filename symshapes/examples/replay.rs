//! Replays what torch's `ShapeEnv` was asked while it traced a model, and times it: `replay EVENTS.json ROUNDS`.
//!
//! The events come from `tools/bench/symshapes.py`. Their texts are read into an arena of their own first; timed are
//! making an environment, its symbols and expressions, answering the questions, and solving and printing the guards.
//! One line of JSON says how long each round took, which guards are left, and how long checking them takes.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::{error::Error, hint::black_box, time::Instant};
use symshapes::{
    Check, Dim, EnvOptions, Expr, GuardSet, Policy, Pool, Pred, Program, ShapeEnv, SourceId, StrideInputs, Sym,
};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The recorded events of torch's `ShapeEnv`, with the sources that they name.
#[derive(Deserialize)]
struct Recording {
    /// The text of each source, by its number.
    sources: Vec<String>,
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Event {
    Tensor { first_source: u32, sizes: Vec<Size>, strides: Vec<i64>, offset: i64 },
    Ask { pred: String, guarded: bool, fallback: Option<bool>, answer: bool },
    Int { expr: String, guarded: bool, answer: i64 },
    Check { pred: String },
}

#[derive(Deserialize)]
struct Size {
    hint: i64,
    policy: Policy,
    /// The symbol in the recorded texts, if it became one.
    symbol: Option<String>,
}

/// An event whose texts have been read.
enum Step<'r> {
    Tensor { first_source: u32, sizes: &'r [Size], symbols: Vec<Option<Sym>>, strides: &'r [i64], offset: i64 },
    Ask { pred: Pred, guarded: bool, fallback: Option<bool>, answer: bool },
    Int { expr: Expr, guarded: bool, answer: i64 },
    Check { pred: Pred },
}

#[derive(Serialize)]
struct Report {
    replay_ns: Vec<u64>,
    guards_ns: Vec<u64>,
    guards: Vec<String>,
    answers_differ: Vec<String>,
    check_ns: f64,
}

fn main() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("replay EVENTS.json ROUNDS")?;
    let rounds: usize = args.next().ok_or("replay EVENTS.json ROUNDS")?.parse()?;
    let recording: Recording = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut texts = Pool::new();
    let steps = read(&recording, &mut texts)?;
    println!("{}", serde_json::to_string(&measure(&recording, &texts, &steps, rounds)?)?);
    Ok(())
}

fn read<'r>(recording: &'r Recording, texts: &mut Pool) -> Fallible<Vec<Step<'r>>> {
    let mut steps = Vec::new();
    for event in &recording.events {
        steps.push(match event {
            Event::Tensor { first_source, sizes, strides, offset } => {
                let symbol = |size: &Size| size.symbol.as_ref().map(|name| texts.symbol(name, symshapes::Range::ALL));
                let symbols = sizes.iter().map(symbol).collect();
                Step::Tensor { first_source: *first_source, sizes, symbols, strides, offset: *offset }
            }
            Event::Ask { pred, guarded, fallback, answer } => {
                let pred = texts.parse_pred(pred)?;
                Step::Ask { pred, guarded: *guarded, fallback: *fallback, answer: *answer }
            }
            Event::Int { expr, guarded, answer } => {
                Step::Int { expr: texts.parse(expr)?, guarded: *guarded, answer: *answer }
            }
            Event::Check { pred } => Step::Check { pred: texts.parse_pred(pred)? },
        });
    }
    Ok(steps)
}

fn measure(recording: &Recording, texts: &Pool, steps: &[Step<'_>], rounds: usize) -> Fallible<Report> {
    let names = |id: SourceId| recording.sources[id.as_u32() as usize].clone();
    let (mut replay_ns, mut guards_ns) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let mut replay = Replay::new(texts);
        replay.run(steps)?;
        replay_ns.push(u64::try_from(start.elapsed().as_nanos())?);
        let start = Instant::now();
        let guards = replay.guards()?;
        black_box(replay.env.print_guards(&guards, &names));
        guards_ns.push(u64::try_from(start.elapsed().as_nanos())?);
    }
    let mut replay = Replay::new(texts);
    replay.run(steps)?;
    let guards = replay.guards()?;
    Ok(Report {
        replay_ns,
        guards_ns,
        guards: replay.env.print_guards(&guards, &names),
        answers_differ: replay.answers_differ,
        check_ns: check_ns(&Program::new(&replay.env, &guards), &replay.hints)?,
    })
}

/// An environment on its way through the steps.
struct Replay<'t> {
    texts: &'t Pool,
    env: ShapeEnv,
    /// The recorded symbols as the environment's.
    symbols: FxHashMap<Sym, Sym>,
    /// Sources of constants; those are checked with the tensor's other properties.
    fixed: Vec<SourceId>,
    hints: FxHashMap<SourceId, i64>,
    answers_differ: Vec<String>,
}

const LINE: &str = "model.py:1";

impl<'t> Replay<'t> {
    fn new(texts: &'t Pool) -> Replay<'t> {
        Replay {
            texts,
            env: ShapeEnv::new(EnvOptions::default()),
            symbols: FxHashMap::default(),
            fixed: Vec::new(),
            hints: FxHashMap::default(),
            answers_differ: Vec::new(),
        }
    }

    fn run(&mut self, steps: &[Step<'_>]) -> Fallible<()> {
        for step in steps {
            match step {
                Step::Tensor { first_source, sizes, symbols, strides, offset } => {
                    self.tensor(*first_source, sizes, symbols, strides, *offset)?;
                }
                &Step::Ask { pred, guarded, fallback, answer } => self.ask(pred, guarded, fallback, answer)?,
                &Step::Int { expr, guarded, answer } => {
                    let e = self.env.pool_mut().import(self.texts, expr, &mut self.symbols);
                    let value =
                        if guarded { self.env.evaluate_int(e, LINE)? } else { self.env.hint(e).ok_or("data")? };
                    if value != answer {
                        self.answers_differ.push(format!("{}: {value}", self.texts.display(expr)));
                    }
                }
                &Step::Check { pred } => {
                    let p = self.env.pool_mut().import_pred(self.texts, pred, &mut self.symbols);
                    self.env.check(p, "checked", LINE)?;
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self, pred: Pred, guarded: bool, fallback: Option<bool>, answer: bool) -> Fallible<()> {
        let p = self.env.pool_mut().import_pred(self.texts, pred, &mut self.symbols);
        let truth = match (guarded, fallback) {
            (false, _) => self.env.guess(p).or(fallback).ok_or("it depends on data")?,
            (true, Some(true)) => self.env.guard_or_true(p, LINE)?,
            (true, Some(false)) => self.env.guard_or_false(p, LINE)?,
            (true, None) => self.env.evaluate(p, LINE)?,
        };
        if truth != answer {
            self.answers_differ.push(format!("{}: {truth}", self.texts.display_pred(pred)));
        }
        Ok(())
    }

    fn tensor(
        &mut self,
        first_source: u32,
        sizes: &[Size],
        symbols: &[Option<Sym>],
        strides: &[i64],
        offset: i64,
    ) -> Fallible<()> {
        let mut ids = (first_source..).map(SourceId::from_u32);
        let mut exprs = Vec::with_capacity(sizes.len());
        for ((size, symbol), source) in sizes.iter().zip(symbols).zip(ids.by_ref()) {
            let e = self.env.size(source, size.hint, &Dim::from(size.policy), LINE)?;
            if let (Some(theirs), Some(ours)) = (symbol, self.env.pool().as_sym(e)) {
                self.symbols.insert(*theirs, ours);
            }
            self.note(source, size.hint, e);
            exprs.push(e);
        }
        let size_hints: Vec<i64> = sizes.iter().map(|size| size.hint).collect();
        let sources: Vec<SourceId> = ids.by_ref().take(strides.len()).collect();
        let inputs = StrideInputs { sources: &sources, sizes: &exprs, size_hints: &size_hints, stride_hints: strides };
        let made = self.env.strides(inputs, LINE)?;
        for ((&source, e), &hint) in sources.iter().zip(made).zip(strides) {
            self.note(source, hint, e);
        }
        let source = ids.next().ok_or("sources do not end")?;
        let e = self.env.storage_offset(source, offset, Policy::Duck);
        self.note(source, offset, e);
        Ok(())
    }

    fn note(&mut self, source: SourceId, hint: i64, e: Expr) {
        self.hints.insert(source, hint);
        if self.env.pool().as_int(e).is_some() {
            self.fixed.push(source);
        }
    }

    /// The guards that are left to check on the dynamic dimensions.
    fn guards(&mut self) -> Fallible<GuardSet> {
        let mut guards = self.env.solve()?;
        let fixed: rustc_hash::FxHashSet<SourceId> = self.fixed.iter().copied().collect();
        guards.checks.retain(|kept| !matches!(kept.check, Check::Equal { source, .. } if fixed.contains(&source)));
        Ok(guards)
    }
}

/// Nanoseconds for one run of the program on the example's values.
fn check_ns(program: &Program, hints: &FxHashMap<SourceId, i64>) -> Fallible<f64> {
    const TIMES: u32 = 1_000_000;
    let values: Vec<i64> = program.sources().iter().map(|source| hints[source]).collect();
    if !program.accepts(&values) {
        return Err("the guards reject the example".into());
    }
    let start = Instant::now();
    for _ in 0..TIMES {
        black_box(black_box(program).accepts(black_box(&values)));
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES))
}
