//! Plans compiled for this processor and run without Python: over the heap, whose operators are the interpreter's.

use fx::{Graph, text};
use fx_interp::Value;
use inductor::backend::Backend;
use inductor::plan::SymbolicPlan;
use inductor::store::Nowhere;
use inductor::{Compiled, Options, compile};
use inductor_cpu::Cpu;
use inductor_testing::graphs;
use inductor_testing::heap::{Heap, HeapError, HeapProgram, PlanError};
use runtime::{Activation, Host, Program, TensorLibrary};
use std::path::Path;
use std::sync::Arc;

/// The graphs of the compiler's golden files.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../inductor/tests/golden");

fn graph(text: &str) -> Graph {
    let mut graph = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    if let Err((node, error)) = fx::infer::fill(&mut graph) {
        panic!("{}: {error}", graph[node].name);
    }
    graph
}

fn compiled(graph: &Graph, cpu: &Cpu, options: &Options) -> Compiled {
    compile(graph, cpu, options).unwrap_or_else(|error| panic!("{error}"))
}

fn program(cpu: &Cpu, compiled: &Compiled) -> HeapProgram {
    let plan = compiled.plan.fused_at(&|_| None, &|plan, call, epilogue| {
        inductor::backend::Backend::epilogue_mode(cpu, plan, call, epilogue)
    });
    let plan = plan.expect("sizes are constant");
    HeapProgram::new(cpu, &plan, &|id| compiled.code.launched.get(&id).cloned()).expect("the plan is prepared")
}

#[test]
fn golden_graphs_run_on_this_processor_as_the_interpreter_has_them() {
    let cpu = Cpu::new();
    let mut run = 0;
    for entry in Path::new(GOLDEN).read_dir().expect("the folder is there") {
        let path = entry.expect("the entry is there").path();
        if path.extension().is_none_or(|extension| extension != "fx") {
            continue;
        }
        let graph = graph(&std::fs::read_to_string(&path).expect("the file is there"));
        let compiled = compiled(&graph, &cpu, &Options::default());
        match graphs::check(&graph, &cpu, &compiled, &[], 1) {
            Ok(None) => run += 1,
            Ok(Some(error)) => println!("{}: not compared: {error}", path.display()),
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    assert!(run >= 20, "{run} graphs were compared");
}

const LINEAR: &str = "graph {
  %x : f32[4, 8]{8, 1} = placeholder[x]
  %w : f32[16, 8]{8, 1} = placeholder[w]
  %b : f32[16]{1} = placeholder[b]
  %scaled = call_function[aten.mul.Tensor](%w, 2.0)
  %t = call_function[aten.t.default](%scaled)
  %m = call_function[aten.addmm.default](%b, %x, %t)
  %y = call_function[aten.relu.default](%m)
  %output = output((%y,))
}";

#[test]
fn frozen_results_are_used_while_the_weights_stay_as_they_were() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let options = Options { weights: Some(vec![1, 2]), ..Options::default() };
    let program = program(&cpu, &compiled(&graph, &cpu, &options));
    let [inputs, others] = [1, 2].map(|seed| graphs::inputs(&graph, seed));
    let mixed = vec![others[0].clone(), inputs[1].clone(), inputs[2].clone()];
    for (given, reused) in [(&inputs, 0), (&mixed, 1), (&inputs, 2), (&others, 2), (&mixed, 2), (&mixed, 3)] {
        assert_eq!(program.run(given, 1), Ok(fx_interp::run(&graph, given).expect("the interpreter knows all")));
        assert_eq!(program.reused(), reused);
    }
}

#[test]
fn a_plan_that_was_saved_runs_as_it_did() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let plan = compiled(&graph, &cpu, &Options::default()).plan;
    let read = SymbolicPlan::from_json(&plan.to_json()).expect("it was written so");
    let plan = read.fused_at(&|_| None, &|plan, call, epilogue| cpu.epilogue_mode(plan, call, epilogue));
    let plan = plan.expect("sizes are constant");
    let compile = |id| cpu.compile(std::slice::from_ref(&plan.kernels[id])).ok()?.pop();
    let program = HeapProgram::new(&cpu, &plan, &compile).expect("the plan is prepared");
    let inputs = graphs::inputs(&graph, 1);
    assert_eq!(program.run(&inputs, 1), Ok(fx_interp::run(&graph, &inputs).expect("the interpreter knows all")));
}

#[test]
fn a_measured_choice_between_the_backend_and_the_library_does_not_change_results() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new().with_store(Arc::new(Nowhere)).with_tuning());
    let program = program(&cpu, &compiled(&graph, &cpu, &Options::default()));
    for seed in 0..3 {
        let inputs = graphs::inputs(&graph, seed);
        assert_eq!(program.run(&inputs, 1), Ok(fx_interp::run(&graph, &inputs).expect("the interpreter knows all")));
    }
}

#[test]
fn frames_serve_calls_of_several_threads_at_once() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let program = program(&cpu, &compiled(&graph, &cpu, &Options::default()));
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (graph, program) = (&graph, &program);
            scope.spawn(move || {
                let inputs = graphs::inputs(graph, seed);
                let want = fx_interp::run(graph, &inputs).expect("the interpreter knows all");
                for _ in 0..20 {
                    assert_eq!(program.run(&inputs, 1).as_ref(), Ok(&want));
                }
            });
        }
    });
}

#[test]
fn an_index_out_of_bounds_and_a_call_that_fails_are_told() {
    let cpu = Cpu::new();
    let lookup = graph(
        "graph {
          %x : f32[2, 3]{3, 1} = placeholder[x]
          %rows : i64[64]{1} = placeholder[rows]
          %y = call_function[aten.index.Tensor](%x, [%rows])
          %output = output((%y,))
        }",
    );
    let run = program(&cpu, &compiled(&lookup, &cpu, &Options::default())).run(&graphs::inputs(&lookup, 0), 1);
    assert_eq!(run, Err(PlanError::Index));
    let unknown = graph(
        "graph {
          %x : f32[3, 3]{3, 1} = placeholder[x]
          %y : f32[]{} = call_function[aten.det.default](%x)
          %output = output((%y,))
        }",
    );
    let run = program(&cpu, &compiled(&unknown, &cpu, &Options::default())).run(&graphs::inputs(&unknown, 0), 1);
    let Err(PlanError::Other(text)) = run else { panic!("{run:?}") };
    assert!(text.contains("no rule for `det.default`"), "{text}");
}

/// A host that has nothing to do.
struct Nobody;

impl Host<Heap> for Nobody {
    type Error = HeapError;

    fn call(
        &mut self,
        _: &<Heap as TensorLibrary>::Foreign,
        _: &Program<Heap>,
        _: &mut Activation<Heap>,
    ) -> Result<(), HeapError> {
        panic!("the library makes all calls")
    }

    fn forget(&mut self, _index: usize) {}
}

fn entered(program: &HeapProgram) -> Activation<Heap> {
    program.program().enter().unwrap_or_else(|_| panic!("there is memory"))
}

#[test]
#[should_panic(expected = "an activation of another program")]
fn a_frame_of_another_program_is_refused() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let [one, other] = [(); 2].map(|()| program(&cpu, &compiled(&graph, &cpu, &Options::default())));
    let _ = other.program().run(&mut Nobody, &mut entered(&one), 1);
}

#[test]
#[should_panic(expected = "is not bound")]
fn a_call_that_lacks_arguments_is_refused() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let program = program(&cpu, &compiled(&graph, &cpu, &Options::default()));
    let _ = program.program().run(&mut Nobody, &mut entered(&program), 1);
}

#[test]
fn an_argument_of_other_sizes_is_refused() {
    let (graph, cpu) = (graph(LINEAR), Cpu::new());
    let program = program(&cpu, &compiled(&graph, &cpu, &Options::default()));
    let mut inputs = graphs::inputs(&graph, 0);
    inputs.swap(1, 2);
    let refused = program.run(&inputs, 1);
    let Err(PlanError::Other(text)) = refused else { panic!("{refused:?}") };
    assert!(text.starts_with("argument 1 was compiled for sizes [16, 8] of float32"), "{text}");
    assert!(inputs.iter().all(|input| matches!(input, Value::Tensor(_))));
}
