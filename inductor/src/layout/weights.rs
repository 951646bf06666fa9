//! Frozen weights of products, where it pays to have them lie otherwise.
//!
//! A device that multiplies itself reads the larger factor of a product where it lies, if the elements that are summed
//! stand side by side in it. Where a weight has them lie apart (`x @ w` with `w` as GPT-2 has it, a row for each
//! element of `x`), all of it would be brought side by side at each call. A frozen one is copied once instead, by a
//! kernel that [`freeze`](crate::freeze) moves to the front.

use super::library;
use crate::heuristics;
use crate::schedule::all_places;
use crate::tensor_ir::{Arg, Dims, Op, Tensor, TensorData, TensorGraph, contiguous_strides, typical};
use fx::aten::rules::Extern;
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Pool};

/// Gives weights the layouts with which products are fastest.
pub(super) fn lay(mut graph: TensorGraph, weights: &[usize]) -> TensorGraph {
    let wanted = wanted(&mut graph, weights);
    if wanted.is_empty() {
        return graph;
    }
    let mut laid: FxHashMap<Tensor, Tensor> = FxHashMap::default();
    let mut new = graph.rebuilt(|tensors, t, data| {
        let own = tensors.push(data.clone());
        if let Some(strides) = wanted.get(&t) {
            let copy = TensorData { op: Op::Convert(own), strides: Some(strides.clone()), ..data };
            laid.insert(own, tensors.push(copy));
        }
        own
    });
    for call in new.calls.values_mut().filter(|call| library(call) == Some(Extern::MatMul)) {
        call.for_each_tensor_mut(&mut |t| *t = laid.get(t).copied().unwrap_or(*t));
    }
    new
}

/// The strides of factors that should lie otherwise.
fn wanted(graph: &mut TensorGraph, weights: &[usize]) -> FxHashMap<Tensor, Dims> {
    let mut wanted = FxHashMap::default();
    let stays = |t: Tensor| match graph.tensors[t].op {
        Op::Input(number) => weights.contains(&number) && graph.writes.iter().all(|write| write.input != t),
        _ => false,
    };
    let mut pool = graph.pool.clone();
    let places = all_places(graph, &mut pool);
    for call in graph.calls.values().filter(|call| library(call) == Some(Extern::MatMul)) {
        let [.., Arg::Tensor(a), Arg::Tensor(b)] = call.args[..] else { continue };
        for (factor, other, summed) in [(a, b, 1), (b, a, 2)] {
            let (data, Some(place)) = (&graph.tensors[factor], &places[factor]) else { continue };
            let rows = |t: Tensor, from_behind: usize| {
                let sizes = &graph.tensors[t].sizes;
                typical(&pool, sizes[sizes.len() - from_behind])
            };
            let is_apart = place.layout.strides[data.sizes.len() - summed] != Expr::ONE;
            let is_fixed = data.sizes.iter().all(|&size| pool.as_int(size).is_some());
            if data.dtype == DType::F32
                && is_apart
                && is_fixed
                && stays(place.stored)
                && pays(rows(factor, 3 - summed), rows(other, summed), rows(factor, summed))
            {
                wanted.insert(factor, side_by_side(&mut pool, &data.sizes, summed));
            }
        }
    }
    graph.pool = pool;
    wanted
}

/// True if it pays to have a factor's sums side by side, one of `own` rows of `steps`, where the other factor has
/// `others`: what is moved besides the arithmetic is then the other factor and, transposed, the result.
fn pays(own: i64, others: i64, steps: i64) -> bool {
    others >= heuristics::product_least_side() as i64
        && own.saturating_mul(steps) > others.saturating_mul(own.saturating_add(steps))
}

/// Dense strides with which the last dimension but `behind - 1` runs fastest.
fn side_by_side(pool: &mut Pool, sizes: &[Expr], behind: usize) -> Dims {
    let (mut sizes, last) = (Dims::from_slice(sizes), sizes.len() - 1);
    let fastest = sizes.len() - behind;
    sizes.swap(fastest, last);
    let mut strides = contiguous_strides(pool, &sizes);
    strides.swap(fastest, last);
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::{Config, Options, decompose::decompose};

    /// The strides of the copies of a product's factors, `None` for one that is not copied; the weight is `%w`.
    fn strides(product: &str, sizes: [&str; 2]) -> Vec<Option<Vec<i64>>> {
        let [x, w] = sizes;
        let text = format!(
            "graph {{
              %x : f32{x} = placeholder[x]
              %w : f32{w} = placeholder[w]
              {product}
              %output = output((%y,))
            }}"
        );
        let mut graph = fx::text::parse(&text).expect("it is a graph");
        fx::infer::fill(&mut graph).expect("every node has a rule");
        let graph = lay(
            decompose(&graph, &Config::new(Options::default(), &Capabilities::default())).expect("it decomposes"),
            &[1],
        );
        let call = graph.calls.values().next().expect("a product");
        let mut found = Vec::new();
        call.for_each_tensor(&mut |&t| {
            let strides = graph.tensors[t].strides.as_ref().filter(|_| matches!(graph.tensors[t].op, Op::Convert(_)));
            found.push(strides.map(|strides| strides.iter().filter_map(|&e| graph.pool.as_int(e)).collect()));
        });
        found
    }

    #[test]
    fn only_what_would_be_moved_at_each_call_is_laid() {
        let mm = "%y = call_function[aten.mm.default](%x, %w)";
        assert_eq!(strides(mm, ["[16, 64]{64, 1}", "[64, 256]{256, 1}"]), [None, Some(vec![1, 64])]);
        // Already there, seen through a view.
        let t = "%t = call_function[aten.permute.default](%w, [1, 0])
                 %y = call_function[aten.mm.default](%x, %t)";
        assert_eq!(strides(t, ["[16, 64]{64, 1}", "[256, 64]{64, 1}"]), [None, None]);
        // Many rows, then few: of these the other factor is brought into panels, of those the library has the product.
        assert_eq!(strides(mm, ["[512, 64]{64, 1}", "[64, 256]{256, 1}"]), [None, None]);
        assert_eq!(strides(mm, ["[1, 64]{64, 1}", "[64, 256]{256, 1}"]), [None, None]);
        let left = "%y = call_function[aten.mm.default](%w, %x)";
        assert_eq!(strides(left, ["[64, 16]{16, 1}", "[256, 64]{1, 256}"]), [Some(vec![64, 1]), None]);
        let bmm = "%y = call_function[aten.bmm.default](%x, %w)";
        assert_eq!(
            strides(bmm, ["[3, 16, 64]{1024, 64, 1}", "[3, 64, 256]{16384, 256, 1}"]),
            [None, Some(vec![16384, 1, 64])]
        );
    }
}
