//! Guards: the conditions under which a compiled program may be used again.
//!
//! A tracer that follows a program once finds out what it relied on: that `L['n']` is 3, that `L['a']` is a tensor of
//! four rows. Each of these is a [`Guard`]: a [`Source`], which says where the value comes from, and a [`GuardKind`],
//! which says what has to be so. Before the compiled program runs again, all of them are checked.
mod constant;
mod guard;
mod guard_text;
mod intern;
mod object;
mod objects;
mod repr;
mod shape;
mod source;
mod sources;
mod state;
mod tensor;
mod tree;

pub use constant::{Constant, ConstantId};
pub use guard::{Collection, Element, Guard, GuardKind, KindRow};
pub use intern::{Interner, Name, StrId, Strings};
pub use object::{ObjectId, ObjectInfo, ObjectTable};
pub use objects::Objects;
pub use shape::{NumberRead, ShapeGuard};
pub use source::{Key, Reach, Root, Source, SourceId, SourceRow, Step, TensorProperty};
pub use sources::{DanglingSource, SourceName, Sources};
pub use state::{Autocast, Deterministic, GlobalState, TorchFunction};
pub use tensor::{DispatchKeys, Layout, Mismatch, TensorFacts, TensorGuard};
pub use tree::{Failure, GuardError, GuardTree};
