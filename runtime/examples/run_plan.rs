//! Runs saved plans without Python: `cargo run -p rust-inductor-runtime --example run_plan`.
//!
//! Each line of standard input is a JSON object: `plan`, the text that `CompiledFn.plan` gives in Python; `inputs` and
//! `constants`, lists of tensors `{"dtype": "float32", "sizes": [2, 3], "values": […]}` or of ints. For each, a line of
//! standard output is the list of its outputs, or `{"error": …}`. Kernels are compiled for this processor; operators of
//! libraries are the reference interpreter's, so this shows that a plan is whole, not how fast it is.

use fx::{Arg, Scalar};
use fx_interp::{Tensor, Value};
use inductor::backend::Backend;
use inductor::plan::{Storage, SymbolicPlan};
use inductor_cpu::Cpu;
use inductor_testing::heap::HeapProgram;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{self, BufRead, Write};
use symshapes::{DType, Sym};

#[derive(Deserialize)]
struct Run {
    plan: String,
    inputs: Vec<Item>,
    #[serde(default)]
    constants: Vec<Item>,
}

/// A value of a call.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Item {
    Tensor { dtype: String, sizes: Vec<usize>, values: Vec<f64> },
    Int(i64),
    Other(String),
}

impl Item {
    fn value(&self) -> Result<Value, String> {
        match self {
            Item::Tensor { dtype, sizes, values } => {
                let dtype: DType = dtype.parse().map_err(|_| format!("no dtype `{dtype}`"))?;
                let scalar = |&value: &f64| if dtype.is_float() { value.into() } else { Scalar::Int(value as i64) };
                let tensor = Tensor::from_values(dtype, sizes, values.iter().map(scalar));
                tensor.map(Value::Tensor).ok_or_else(|| "values of another number than the sizes say".to_owned())
            }
            Item::Int(value) => Ok(Value::Plain(Arg::Int(*value))),
            Item::Other(text) => Err(format!("`{text}` is neither a tensor nor an int")),
        }
    }

    fn of(value: &Value) -> Item {
        match value {
            Value::Tensor(tensor) => {
                let values = tensor.values().map(Scalar::as_f64).collect();
                Item::Tensor { dtype: tensor.dtype().name().to_owned(), sizes: tensor.sizes().to_vec(), values }
            }
            Value::Plain(Arg::Int(value)) => Item::Int(*value),
            other => Item::Other(format!("{other:?}")),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match run(&line?) {
            Ok(outputs) => serde_json::to_writer(&mut out, &outputs)?,
            Err(error) => serde_json::to_writer(&mut out, &serde_json::json!({ "error": error.to_string() }))?,
        }
        writeln!(out)?;
    }
    Ok(())
}

fn run(line: &str) -> Result<Vec<Item>, Box<dyn Error>> {
    let Run { plan, inputs, constants } = serde_json::from_str(line)?;
    let inputs = inputs.iter().map(Item::value).collect::<Result<Vec<_>, _>>()?;
    let constants = constants.iter().map(Item::value).collect::<Result<Vec<_>, _>>()?;
    let symbolic = SymbolicPlan::from_json(&plan)?;
    let cpu = Cpu::new();
    let value = |sym| size(&symbolic, &inputs, sym);
    let plan = symbolic.fused_at(&value, &|plan, call, epilogue| cpu.epilogue_mode(plan, call, epilogue))?;
    let compile = |id| cpu.compile(std::slice::from_ref(&plan.kernels[id])).ok()?.pop();
    let program = HeapProgram::new(&cpu, &plan, &compile)?.with_constants(constants);
    Ok(program.run(&inputs, 2)?.iter().map(Item::of).collect())
}

/// The value of a symbol, as the size of an input that is just it.
fn size(plan: &SymbolicPlan, inputs: &[Value], sym: Sym) -> Option<i64> {
    plan.bufs.values().find_map(|data| {
        let Storage::Input(index) = data.storage else { return None };
        let Value::Tensor(tensor) = inputs.get(index)? else { return None };
        let dim = data.layout.sizes.iter().position(|&size| plan.pool.as_sym(size) == Some(sym))?;
        tensor.sizes().get(dim).map(|&size| size as i64)
    })
}
