//! Recurrent layers over sequences (`nn.RNN`, `nn.LSTM`, `nn.GRU`).
//!
//! A call of which no gradients are asked is one node, and one call of the library. Autograd's way through such a call
//! leads through its decomposition, which takes one step of time after the other, so that the graph would grow with
//! the sequences: it is left to the interpreter. So are sequences of several lengths.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        signature::{Bound, Row, row},
    },
};
use fx::Kind as NodeKind;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.rnn_tanh(*args, **kwargs)", recurrent),
    row("torch.rnn_relu(*args, **kwargs)", recurrent),
    row("torch.gru(*args, **kwargs)", recurrent),
    row("torch.lstm(*args, **kwargs)", recurrent),
];

fn recurrent(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let args = b.rest();
    // `(input, hx, params, has_biases, …)`, or `(data, batch_sizes, hx, params, …)`.
    if args.get(3).map(|&arg| t.items_of(arg)).transpose()?.flatten().is_some() {
        let text = format!("`{}` of sequences of several lengths.", b.name());
        return Err(Reason::new(Kind::Call, text));
    }
    let mut given = Vec::new();
    for arg in args.iter().copied().chain(b.extra().iter().map(|&(_, arg)| arg)) {
        given.extend(t.items_of(arg)?.unwrap_or_else(|| vec![arg]));
    }
    for arg in given {
        if t.modes.grad && t.requires_grad(arg)? {
            let text = format!("`{}`, whose gradients torch takes one step of time after the other.", b.name());
            return Err(Reason::new(Kind::Call, text));
        }
    }
    t.call_torch(NodeKind::CallFunction, b.name(), None, args, b.extra().clone())
}
