//! The work of a device for a step: dispatches of shaders over buffers, ready to be recorded.

use smallvec::SmallVec;

use crate::pipeline::ShaderId;

/// The operand at a binding of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// An argument of the step.
    Arg(u32),
    /// A part of an argument of the step, in bytes: from here on, so many.
    Window(u32, u64, u64),
    /// The run's word that a shader sets where an index is out of bounds.
    Fault,
    /// Memory that only this step uses.
    Temporary(u32),
    /// The numbers that the dispatch is made with, as a uniform buffer.
    Params,
}

/// One start of a shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// The shader.
    pub shader: ShaderId,
    /// The operand at each binding, in order.
    pub operands: SmallVec<[Operand; 8]>,
    /// The numbers behind [`Operand::Params`].
    pub params: Vec<u32>,
    /// Workgroups along each dimension.
    pub groups: [u32; 3],
}

/// A step for known sizes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// In order.
    pub dispatches: Vec<Dispatch>,
    /// The bytes of each piece of memory that only this step uses.
    pub temporaries: Vec<usize>,
}

impl Work {
    /// A step that is one dispatch.
    pub fn of(dispatch: Dispatch) -> Work {
        Work { dispatches: vec![dispatch], temporaries: Vec::new() }
    }
}
