//! The options of tracing.

use crate::host;
use serde::Serialize;

/// Whether sizes and integers become symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Dynamic {
    /// The sizes and integers that changed between calls.
    #[default]
    Automatic,
    /// None but those that are marked.
    Never,
    /// All but those that are marked.
    Always,
}

/// The options with which a function is traced.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Options {
    /// Whether sizes and integers become symbols.
    pub dynamic: Dynamic,
    /// The printed sources of sizes and integers that changed since an earlier call.
    pub changed: Vec<String>,
    /// Whether integers of the caller's become symbols where sizes do.
    pub ints: bool,
    /// Whether floats become symbols as well, and numbers that are computed as floats stay so.
    pub floats: bool,
    /// The marks that `dynamic_shapes` gives sizes and integers, by their printed source.
    pub declared: Vec<(String, host::Mark)>,
    /// Whether NumPy's arrays are tensors of the graph.
    pub numpy: bool,
    /// Whether graphs may enter inference mode.
    pub inference: bool,
    /// Whether the graph in ATen overloads is what is compiled. Composite calls are then taken apart for it.
    pub lowers: bool,
    /// The maximum depth of inlined calls.
    pub depth: usize,
    /// The maximum number of instructions of a trace.
    pub steps: usize,
    /// Whether the traced instructions are logged.
    pub follow: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            dynamic: Dynamic::Automatic,
            changed: Vec::new(),
            declared: Vec::new(),
            ints: true,
            floats: true,
            numpy: true,
            inference: true,
            lowers: false,
            depth: 60,
            steps: 1_000_000,
            follow: false,
        }
    }
}
