//! The memory format of convolutions: channels last, where the library is faster so.
//!
//! The format spreads from each convolution through what computes element by element and through pooling. Where it
//! meets something else (a call that is not known to keep it, an output whose strides are promised) a copy brings the
//! promised strides back.
//!
//! oneDNN computes in formats of its own. What it gains with channels last is the way there and back for images, what
//! it loses is time for weights, which come as the user has them; both are near proportional to their elements (bench
//! `cpu`, ResNet-50's layers). So a graph is changed if its convolutions read and write more image than weight, by
//! what the copies cost. A ResNet of one image is left alone, one of four is not.

use super::library;
use crate::heuristics;
use crate::tensor_ir::{
    Arg, Call, CallId, Dims, Op, Output, Tensor, TensorData, TensorGraph, View, numel, typical_numel,
};
use cranelift_entity::{EntitySet, SecondaryMap};
use fx::Arg as Plain;
use fx::aten::rules::Extern;
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Pool};

/// Gives convolutions their memory format, if the library gains by that.
pub(super) fn spread(graph: TensorGraph) -> TensorGraph {
    let mut pass =
        Pass { pool: graph.pool.clone(), graph: &graph, last: EntitySet::new(), copies: SecondaryMap::new() };
    pass.spread();
    pass.find_copies();
    if !pass.pays() {
        return graph;
    }
    pass.rewrite()
}

/// The copies of a tensor that are needed.
#[derive(Clone, Copy, Default)]
struct Copies {
    /// One with channels last, for convolutions.
    last: bool,
    /// One with the promised strides, for all who rely on them.
    promised: bool,
}

struct Pass<'a> {
    graph: &'a TensorGraph,
    pool: Pool,
    /// The tensors that are given channels last.
    last: EntitySet<Tensor>,
    copies: SecondaryMap<Tensor, Copies>,
}

impl Pass<'_> {
    fn data(&self, t: Tensor) -> &TensorData {
        &self.graph.tensors[t]
    }

    /// Marks the tensors that come to lie with channels last.
    fn spread(&mut self) {
        for (t, data) in self.graph.tensors.iter() {
            let spreads = match &data.op {
                Op::Result(call, _) => self.gives_last(*call, data),
                Op::Map(_, operands) => self.any_last(operands, data),
                Op::Convert(x) | Op::Pad { source: x, .. } => self.any_last(&[*x], data),
                Op::Cat(parts, _) => self.any_last(parts, data),
                _ => false,
            };
            if spreads && !self.lies_last(t) {
                self.last.insert(t);
            }
        }
    }

    fn gives_last(&mut self, call: CallId, result: &TensorData) -> bool {
        let call = &self.graph.calls[call];
        let Some(Arg::Tensor(input)) = call.args.first() else { return false };
        result.sizes.len() == 4 && keeps_format(call) && (self.last.contains(*input) || self.images(call).is_some())
    }

    /// True if an operand, or what it is a part of, gives its format to the result. (What was broadcast has none.)
    fn any_last(&self, operands: &[Tensor], result: &TensorData) -> bool {
        result.sizes.len() == 4 && operands.iter().any(|&x| self.last.contains(self.whole(x)))
    }

    /// The tensor of which this one is a slice; the tensor itself if it is none.
    fn whole(&self, mut t: Tensor) -> Tensor {
        while let Op::View(source, View::Slice { .. }) = self.data(t).op {
            t = source;
        }
        t
    }

    /// Image and weight of a convolution whose format may be chosen.
    fn images(&self, call: &Call) -> Option<(Tensor, Tensor)> {
        let (Some(Extern::Convolution), [Arg::Tensor(image), Arg::Tensor(weight), ..]) =
            (library(call), call.args.as_slice())
        else {
            return None;
        };
        let data = self.data(*image);
        let is_transposed = call.args.get(6) != Some(&Arg::Plain(Plain::Bool(false)));
        (!is_transposed && data.dtype == DType::F32 && data.sizes.len() == 4).then_some((*image, *weight))
    }

    /// True if the tensor is stored with channels last already.
    fn lies_last(&mut self, t: Tensor) -> bool {
        let graph = self.graph;
        let data = &graph.tensors[t];
        let last = channels_last(&mut self.pool, &data.sizes);
        data.strides.as_ref() == Some(&last)
    }

    /// Finds who relies on strides that the tensor will not have.
    fn find_copies(&mut self) {
        let graph = self.graph;
        for call in graph.calls.values() {
            let keeps = keeps_format(call);
            let image = match call.args.first() {
                Some(&Arg::Tensor(x)) if keeps => Some(x),
                _ => None,
            };
            if let Some(x) = image
                && self.images(call).is_some()
                && !self.last.contains(x)
                && !self.lies_last(x)
            {
                self.copies[x].last = true;
            }
            call.for_each_tensor(&mut |&t| {
                if Some(t) != image && self.last.contains(t) {
                    self.copies[t].promised = true;
                }
            });
        }
        let returned = graph.outputs.iter().filter_map(|o| if let Output::Tensor(t) = *o { Some(t) } else { None });
        for t in returned.chain(graph.writes.iter().map(|write| write.value)) {
            if self.last.contains(t) {
                self.copies[t].promised = true;
            }
        }
    }

    /// True if the convolutions gain more than they lose and the copies cost.
    fn pays(&self) -> bool {
        let elements = |t: Tensor| typical_numel(&self.pool, &self.data(t).sizes);
        let mut gain = 0i64;
        for (t, data) in self.graph.tensors.iter().filter(|(t, _)| self.last.contains(*t)) {
            if let Op::Result(call, _) = data.op
                && let Some((image, weight)) = self.images(&self.graph.calls[call])
            {
                gain =
                    gain.saturating_add(elements(image)).saturating_add(elements(t)).saturating_sub(elements(weight));
            }
        }
        for (t, copies) in self.copies.iter() {
            let count = i64::from(copies.last) + i64::from(copies.promised);
            gain = gain.saturating_sub(
                count.saturating_mul(heuristics::channels_last_copy_cost()).saturating_mul(elements(t)),
            );
        }
        gain > 0
    }

    /// The graph with its tensors where they are wanted.
    fn rewrite(mut self) -> TensorGraph {
        let old = self.graph;
        let mut copied: FxHashMap<Tensor, Versions> = FxHashMap::default();
        let mut new = old.rebuilt(|tensors, t, mut data| {
            let promised = data.strides.clone();
            let last = channels_last(&mut self.pool, &data.sizes);
            let copy = TensorData { strides: None, ..data.clone() };
            if self.last.contains(t) {
                data.strides = Some(last.clone());
            }
            let own = tensors.push(data);
            let mut push = |strides| tensors.push(TensorData { op: Op::Convert(own), strides, ..copy.clone() });
            let wanted = self.copies[t];
            let last = if wanted.last { push(Some(last)) } else { own };
            let promised = if wanted.promised { push(promised) } else { own };
            copied.insert(own, Versions { last, promised });
            own
        });
        for (id, call) in new.calls.iter_mut() {
            let gains = self.images(&old.calls[id]).is_some();
            let mut is_image = keeps_format(call);
            call.for_each_tensor_mut(&mut |t| {
                *t = match std::mem::take(&mut is_image) {
                    true if gains => copied[t].last,
                    true => *t,
                    false => copied[t].promised,
                };
            });
        }
        for write in &mut new.writes {
            write.value = copied[&write.value].promised;
        }
        for output in &mut new.outputs {
            if let Output::Tensor(t) = output {
                *t = copied[t].promised;
            }
        }
        new.pool = self.pool;
        new
    }
}

/// A tensor in the new graph, where it lies as wanted.
#[derive(Clone, Copy)]
struct Versions {
    last: Tensor,
    promised: Tensor,
}

fn keeps_format(call: &Call) -> bool {
    library(call).is_some() && call.target.op().is_some_and(|op| op.traits().keeps_format)
}

fn channels_last(pool: &mut Pool, sizes: &[Expr]) -> Dims {
    let &[_, c, h, w] = sizes else { return Dims::new() };
    let row = pool.mul(c, w);
    let image = numel(pool, &[c, h, w]);
    Dims::from_slice(&[image, Expr::ONE, row, c])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::{Config, Options, decompose::decompose};

    /// Three convolutions of `images`, of which the last gives one channel.
    fn convolutions(images: usize) -> TensorGraph {
        let text = format!(
            "graph {{
              %x : f32[{images}, 4, 8, 8]{{256, 64, 8, 1}} = placeholder[x]
              %u : f32[64, 4, 1, 1]{{4, 1, 1, 1}} = placeholder[u]
              %v : f32[64, 64, 3, 3]{{576, 9, 3, 1}} = placeholder[v]
              %w : f32[1, 64, 3, 3]{{576, 9, 3, 1}} = placeholder[w]
              %a = call_function[aten.convolution.default](%x, %u, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              %b = call_function[aten.convolution.default](%a, %v, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)
              %c = call_function[aten.convolution.default](%b, %w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
              %output = output((%c,))
            }}"
        );
        let mut graph = fx::text::parse(&text).expect("it is a graph");
        fx::infer::fill(&mut graph).expect("every node has a rule");
        decompose(&graph, &Config::new(Options::default(), &Capabilities::default())).expect("it decomposes")
    }

    /// True if a call's result, from an image with channels last, is expected to have them last; `call` takes `%b`.
    fn keeps_last(call: &str) -> bool {
        let text = format!(
            "graph {{
              %x : f32[8, 4, 8, 8]{{256, 64, 8, 1}} = placeholder[x]
              %u : f32[64, 4, 1, 1]{{4, 1, 1, 1}} = placeholder[u]
              %v : f32[64, 64, 1, 1]{{64, 1, 1, 1}} = placeholder[v]
              %w : f32[1, 64, 1, 1]{{64, 1, 1, 1}} = placeholder[w]
              %g : f32[8, 4, 4, 2]{{32, 8, 2, 1}} = placeholder[g]
              %h = call_function[aten.convolution.default](%x, %u, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              %i = call_function[aten.convolution.default](%h, %v, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              %j = call_function[aten.convolution.default](%i, %v, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              %b = call_function[aten.convolution.default](%j, %v, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              {call}
              %d = call_function[aten.convolution.default](%c, %w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
              %output = output((%d,))
            }}"
        );
        let mut graph = fx::text::parse(&text).expect("it is a graph");
        fx::infer::fill(&mut graph).expect("every node has a rule");
        let config = Config::new(Options::default(), &Capabilities::default());
        let mut graph = spread(decompose(&graph, &config).expect("it decomposes"));
        let call = graph.calls.values().nth(4).expect("the call after four convolutions");
        let &result = call.result_tensors().next().expect("a tensor");
        let last = channels_last(&mut graph.pool, &graph.tensors[result].sizes);
        graph.tensors[result].strides.as_ref() == Some(&last)
    }

    #[test]
    fn the_format_goes_through_operators_whose_row_says_so() {
        let pool = "%c = call_function[aten.adaptive_avg_pool2d.default](%b, [4, 4])";
        let resized = "%c : f32[8, 64, 4, 4]{1024, 16, 4, 1} = \
            call_function[aten._upsample_bilinear2d_aa.default](%b, [4, 4], False)";
        let sampled = "%c = call_function[aten.grid_sampler_2d.default](%b, %g, 0, 0, False)";
        assert_eq!([pool, resized, sampled].map(keeps_last), [true, true, false]);
    }

    #[test]
    fn images_must_outweigh_weights_and_copies() {
        let count = |graph: TensorGraph| graph.tensors.len();
        let copies = |images| count(spread(convolutions(images))) - count(convolutions(images));
        assert_eq!([1, 8].map(copies), [0, 2]);
    }
}
