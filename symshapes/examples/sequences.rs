//! Asks our environment what torch's was asked, and compares what is accepted: `sequences SEQUENCES.json`.
//!
//! The sequences come from `tools/fuzz/shape_sequences.py`. Printed is a JSON list of differences, one text each:
//! - an answer that is not torch's, or one where torch has none and that does not hold for what torch accepts;
//! - an input that torch accepts and we do not;
//! - an input that we accept and for which a recorded answer comes out differently.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::error::Error;
use symshapes::{
    Dim, EnvError, EnvOptions, Expr, Policy, Pool, Pred, Program, Range, ShapeEnv, SourceId, StrideInputs, Sym,
};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// One environment.
#[derive(Deserialize)]
struct Sequence {
    inputs: Vec<Input>,
    asked: Vec<Asked>,
    samples: Vec<Sample>,
    /// torch's guards, to be shown.
    guards: String,
}

/// The kinds of values that are read from the inputs; the sources are numbered in order.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Input {
    Size {
        name: String,
        hint: i64,
        policy: Policy,
    },
    Int {
        name: String,
        hint: i64,
        policy: Policy,
    },
    Float {
        name: String,
        hint: f64,
    },
    /// Sizes, then strides, then where the tensor starts.
    Tensor {
        name: String,
        sizes: Vec<i64>,
        strides: Vec<i64>,
        offset: i64,
        policy: Policy,
    },
}

#[derive(Deserialize)]
struct Asked {
    pred: String,
    how: How,
    /// None where torch says that it depends on data.
    answer: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Guard,
    Check,
    OrFalse,
    OrTrue,
    Oblivious,
    Known,
}

impl Asked {
    /// The answer on which the program relies; the others are right whatever the truth is.
    fn decided(&self) -> Option<bool> {
        match self.how {
            How::Guard | How::Check => self.answer,
            How::Known => self.answer.filter(|&known| known),
            How::OrFalse | How::OrTrue | How::Oblivious => None,
        }
    }
}

/// A value for each source, floats by their bits; whether torch accepts them.
#[derive(Deserialize)]
struct Sample {
    values: Vec<i64>,
    accepted: bool,
}

fn main() -> Fallible<()> {
    let path = std::env::args().nth(1).ok_or("sequences SEQUENCES.json")?;
    let sequences: Vec<Sequence> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut differences: Vec<String> = Vec::new();
    for (number, sequence) in sequences.iter().enumerate() {
        let found = differences_of(sequence)?;
        differences.extend(found.into_iter().map(|text| format!("sequence {number}: {text}")));
    }
    println!("{}", serde_json::to_string(&differences)?);
    Ok(())
}

/// The environment with the inputs, and the expression of each name.
struct Made {
    env: ShapeEnv,
    names: FxHashMap<String, Expr>,
    sources: u32,
}

impl Made {
    fn next(&mut self) -> SourceId {
        self.sources += 1;
        SourceId::from_u32(self.sources - 1)
    }

    fn input(&mut self, input: &Input) -> Result<(), EnvError> {
        match input {
            Input::Size { name, hint, policy } => {
                let source = self.next();
                let e = self.env.size(source, *hint, &Dim::from(*policy), "m.py:1")?;
                self.names.insert(name.clone(), e);
            }
            Input::Int { name, hint, policy } => {
                let source = self.next();
                let e = self.env.int(source, *hint, *policy);
                self.names.insert(name.clone(), e);
            }
            // Its name is the environment's own: `zf0`, `zf1`, ….
            Input::Float { name, hint } => {
                let source = self.next();
                let float = self.env.float(source, *hint, Policy::Dynamic);
                debug_assert_eq!(&self.env.pool().display_float(float).to_string(), name);
            }
            Input::Tensor { name, sizes, strides, offset, policy } => {
                let size_sources: Vec<SourceId> = sizes.iter().map(|_| self.next()).collect();
                let stride_sources: Vec<SourceId> = strides.iter().map(|_| self.next()).collect();
                let dim = Dim::from(*policy);
                let made = size_sources.iter().zip(sizes).map(|(&source, &hint)| self.env.size(source, hint, &dim, ""));
                let made = made.collect::<Result<Vec<_>, _>>()?;
                let inputs =
                    StrideInputs { sources: &stride_sources, sizes: &made, size_hints: sizes, stride_hints: strides };
                let made_strides = self.env.strides(inputs, "")?;
                let source = self.next();
                let start = self.env.storage_offset(source, *offset, *policy);
                let parts = made.iter().enumerate().map(|(d, &e)| (format!("{name}_size{d}"), e));
                let rest = made_strides.iter().enumerate().map(|(d, &e)| (format!("{name}_stride{d}"), e));
                self.names.extend(parts.chain(rest).chain([(format!("{name}_offset"), start)]));
            }
        }
        Ok(())
    }

    /// A question in terms of the environment's symbols.
    fn pred(&mut self, text: &str) -> Fallible<Pred> {
        // In this arena no name has a range.
        let mut texts = Pool::new();
        let pred = texts.parse_pred(text)?;
        let pool = self.env.pool_mut();
        let mut map: FxHashMap<Sym, Sym> = FxHashMap::default();
        for sym in texts.all_symbols().filter(|&sym| !texts.is_float(sym)) {
            map.insert(sym, pool.symbol(&format!("_{}", texts.name(sym)), Range::ALL));
        }
        let images = map.iter().filter_map(|(&theirs, &ours)| Some((ours, *self.names.get(texts.name(theirs))?)));
        let images: FxHashMap<Sym, Expr> = images.collect();
        let imported = pool.import_pred(&texts, pred, &mut map);
        Ok(pool.subst_pred(imported, &images))
    }

    fn ask(&mut self, p: Pred, how: How) -> Result<bool, EnvError> {
        const LINE: &str = "m.py:2";
        match how {
            How::Guard => self.env.evaluate(p, LINE),
            How::Check => self.env.check(p, "checked", LINE).map(|()| true),
            How::OrFalse => self.env.guard_or_false(p, LINE),
            How::OrTrue => self.env.guard_or_true(p, LINE),
            How::Oblivious => self.env.guard_size_oblivious(p, LINE),
            How::Known => Ok(self.env.statically_known(p) == Some(true)),
        }
    }
}

fn differences_of(sequence: &Sequence) -> Fallible<Vec<String>> {
    let mut made = Made { env: ShapeEnv::new(EnvOptions::default()), names: FxHashMap::default(), sources: 0 };
    for input in &sequence.inputs {
        made.input(input)?;
    }
    let mut found = Vec::new();
    // What torch has left open, as we answer it.
    let mut answers: Vec<Option<bool>> = sequence.asked.iter().map(Asked::decided).collect();
    for (asked, decided) in sequence.asked.iter().zip(&mut answers) {
        let p = made.pred(&asked.pred)?;
        let answer = match made.ask(p, asked.how) {
            Ok(answer) => Some(answer),
            Err(EnvError::DataDependent { .. }) => None,
            // Beside what is known already no input passes the check: then torch must accept none.
            Err(EnvError::CheckFailed { .. } | EnvError::Unsatisfiable { .. }) if asked.how == How::Check => {
                let accepted = sequence.samples.iter().find(|sample| sample.accepted);
                let text = |sample: &Sample| format!("{} never holds, but for {:?}", asked.pred, sample.values);
                found.extend(accepted.map(text));
                return Ok(found);
            }
            Err(error) => {
                found.push(format!("{}: {error}", asked.pred));
                continue;
            }
        };
        // More may be known than torch finds, never other than it is.
        let more = asked.answer.is_none() || (asked.how == How::Known && asked.answer == Some(false));
        if more {
            *decided = answer.filter(|&answer| asked.how != How::Known || answer);
        } else if answer != asked.answer {
            found.push(format!("{}: {answer:?}, not {:?}; torch guards {}", asked.pred, asked.answer, sequence.guards));
        }
    }
    let guards = made.env.solve()?;
    let program = Program::new(&made.env, &guards);
    let ours = || made.env.print_guards(&guards, &|id| format!("input{}", id.as_u32())).join(" and ");
    let mut texts = Pool::new();
    let questions = sequence.asked.iter().map(|asked| texts.parse_pred(&asked.pred));
    let questions = questions.collect::<Result<Vec<_>, _>>()?;
    let slots = slots(sequence);
    for sample in &sequence.samples {
        let read: Vec<i64> = program.sources().iter().map(|id| sample.values[id.as_u32() as usize]).collect();
        let accepted = program.accepts(&read);
        if sample.accepted && !accepted {
            let (ours, theirs) = (ours(), &sequence.guards);
            found.push(format!("torch accepts {:?}; ours: {ours}; torch's: {theirs}", sample.values));
        }
        let value = |sym: Sym| slots.get(texts.name(sym)).map(|&slot| sample.values[slot]);
        for ((&pred, asked), decided) in questions.iter().zip(&sequence.asked).zip(&answers) {
            let differs = decided.is_some_and(|answer| texts.eval_pred(pred, &value) == Some(!answer));
            if differs && (accepted || sample.accepted) {
                found.push(format!("{:?} accepted, where {} differs; ours: {}", sample.values, asked.pred, ours()));
            }
        }
    }
    Ok(found)
}

/// The place of each name among a sample's values.
fn slots(sequence: &Sequence) -> FxHashMap<String, usize> {
    let mut names = Vec::new();
    for input in &sequence.inputs {
        match input {
            Input::Size { name, .. } | Input::Int { name, .. } | Input::Float { name, .. } => names.push(name.clone()),
            Input::Tensor { name, sizes, strides, .. } => {
                names.extend((0..sizes.len()).map(|d| format!("{name}_size{d}")));
                names.extend((0..strides.len()).map(|d| format!("{name}_stride{d}")));
                names.push(format!("{name}_offset"));
            }
        }
    }
    names.into_iter().enumerate().map(|(slot, name)| (name, slot)).collect()
}
