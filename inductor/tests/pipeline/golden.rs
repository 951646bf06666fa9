//! Golden files: `NAME.fx` is a graph, `NAME.tensor` what it decomposes to, `NAME.plan` its plan with the kernels. Each
//! plan is run against the interpreter too.

use crate::compare;
use crate::reference::InterpBackend;
use crate::saved;
use expect_test::expect_file;
use fx::{Graph, text};
use inductor::backend::Backend;
use inductor::plan::Fate;
use inductor::{Config, Options, decompose::decompose};
use inductor_testing::{graphs, heap::PlanError};

/// Reads a golden graph and fills in the metadata that it leaves out.
fn graph(text: &str) -> Graph {
    let mut graph = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    if let Err((node, error)) = fx::infer::fill(&mut graph) {
        panic!("{}: {error}", graph[node].name);
    }
    graph
}

/// One test for each golden graph.
macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let graph = graph(include_str!(concat!("../golden/", stringify!($name), ".fx")));
            let config = Config::new(Options::default(), InterpBackend::new().capabilities());
            let tensors = decompose(&graph, &config).expect("it decomposes");
            let tensors = inductor::layout::choose(tensors, &config.target, &[]);
            expect_file![concat!("../golden/", stringify!($name), ".tensor")].assert_eq(&tensors.to_string());
            let compiled = compare::compiled(&graph).unwrap_or_else(|e| panic!("{e}"));
            let plan = compiled.plan.typical().expect("every size has a typical value");
            expect_file![concat!("../golden/", stringify!($name), ".plan")].assert_eq(&plan.to_string());
            for kernel in compiled.plan.kernels.values() {
                assert_eq!(kernel.to_string().parse().as_ref(), Ok(kernel), "its text is read as another kernel");
            }
            saved::is_read_again(&compiled.plan);
            for seed in 0..3 {
                match compare::check(&graph, seed) {
                    Ok(unknown) => assert_eq!(unknown.is_some(), RANDOM.contains(&stringify!($name)), "{unknown:?}"),
                    Err(difference) => panic!("seed {seed}: {difference}"),
                }
            }
        })*
    };
}

/// The graphs with random numbers, which the interpreter does not draw.
const RANDOM: &[&str] = &["dropout_order"];

golden! {
    adam_step
    batch_norm_inference
    batch_norm_training
    column_sum
    convolution_format
    cross_entropy
    cross_entropy_inference
    cumsum_int
    dead_node
    dropout_order
    embedding_layer_norm
    expanded_output
    fallback
    gather_negative
    gelu_scale_shift
    large_sums
    layer_norm_residual
    layer_norm_element
    layer_norm_flipped
    mean_hw
    mm_bias_gelu
    pad
    pad_batch_norm
    rotary
    softmax
    split_heads
    swapped_inputs
    together
    transposed_copy
    twelve_layers
    uneven_sums
    view_of_input
    windows
    zero_size
}

#[test]
fn equal_layers_share_one_kernel() {
    let graph = graph(include_str!("../golden/twelve_layers.fx"));
    let plan = compare::compiled(&graph).unwrap_or_else(|e| panic!("{e}")).plan;
    assert_eq!(plan.kernels.len(), 1);
}

#[test]
fn an_index_out_of_bounds_is_reported() {
    let graph = graph(
        "graph {
          %x : f32[2, 3]{3, 1} = placeholder[x]
          %rows : i64[64]{1} = placeholder[rows]
          %y = call_function[aten.index.Tensor](%x, [%rows])
          %z = call_function[aten.slice.Tensor](%y, 0, 0, 2)
          %output = output((%y, %z))
        }",
    );
    let compiled = compare::compiled(&graph).unwrap_or_else(|e| panic!("{e}"));
    let plan = compiled.plan.typical().expect("sizes are constant");
    let run = compare::execute(&compiled, &plan, &graphs::inputs(&graph, 0));
    assert_eq!(run, Err(PlanError::Index));
}

#[test]
fn what_eager_refuses_is_left_to_eager() {
    let graph = graph(
        "graph {
          %x : f32[3]{1} = placeholder[x]
          %y = call_function[aten.tril.default](%x, 0)
          %output = output((%y,))
        }",
    );
    let plan = compare::compiled(&graph).unwrap_or_else(|e| panic!("{e}")).plan;
    let fates: Vec<&Fate> = plan.fates.iter().map(|(_, fate)| fate).collect();
    assert_eq!(fates, [&Fate::Fallback("a tensor of fewer than two dimensions".to_owned())]);
}
