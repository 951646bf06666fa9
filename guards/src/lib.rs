//! Guards: the conditions under which a compiled program may be used again.
//!
//! A tracer that follows a program once finds out what it relied on: that `L['n']` is 3, that `L['t']` has two items.
//! Each of these is a [`Guard`]. It has a *source*, which says where the value comes from, and a *kind*, which says
//! what has to be so. Before the compiled program runs again, all of its guards are checked; so a check has to be fast,
//! and if it fails, somebody will want to know why.
//!
//! # Sources
//!
//! [`Sources`] is an arena. A source is a root, such as a local variable, or a step from another source; equal sources
//! are one, so that guards on `L['t'][0]` and `L['t'][1]` share `L['t']`. They print as torch prints them:
//!
//! ```
//! use guards::{Sources, Step};
//!
//! let mut sources = Sources::new();
//! let f = sources.local("f");
//! let cell = sources.step(f, Step::Closure(0));
//! let dict = sources.attr(cell, "table");
//! let item = sources.item(dict, "rows");
//! assert_eq!(sources.display(item).to_string(), "L['f'].__closure__[0].cell_contents.table['rows']");
//! assert_eq!(sources.attr(cell, "table"), dict);
//! ```
//!
//! # Guards, and the tree
//!
//! [`GuardTree::new`] arranges guards so that each object is read once, and what is cheap to check comes first:
//!
//! ```
//! use guards::{Collection, Constant, ConstantFrame, Guard, GuardKind, GuardTree, Sources};
//!
//! let mut sources = Sources::new();
//! let (n, t) = (sources.local("n"), sources.local("t"));
//! let last = sources.item(t, -1);
//! let (three, relu) = (sources.constant(3), sources.constant("relu"));
//! let tree = GuardTree::new(
//!     sources,
//!     vec![
//!         Guard::new(last, GuardKind::EqualsMatch(relu)),
//!         Guard::new(t, GuardKind::SequenceLength(2, Collection::Sequence)),
//!         Guard::new(n, GuardKind::EqualsMatch(three)).at("return x + n  # model.py:3 in forward"),
//!     ],
//! )?;
//! assert_eq!(
//!     tree.to_string(),
//!     "\
//! TREE_GUARD_MANAGER:
//! +- RootGuardManager
//! | +- GuardManager: source=L['t'], accessed_by=Local
//! | | +- SEQUENCE_LENGTH: len(L['t']) == 2
//! | | +- GuardManager: source=L['t'][-1], accessed_by=Item
//! | | | +- EQUALS_MATCH: L['t'][-1] == 'relu'
//! | +- GuardManager: source=L['n'], accessed_by=Local
//! | | +- EQUALS_MATCH: L['n'] == 3  # return x + n  # model.py:3 in forward
//! "
//! );
//!
//! // What the objects are is the caller's: here they are constants.
//! let t = Constant::Tuple(vec![1.into(), "relu".into()]);
//! assert!(tree.check(&mut ConstantFrame::new([("n", 3.into()), ("t", t.clone())])));
//!
//! let failure = tree.explain(&mut ConstantFrame::new([("n", 4.into()), ("t", t)])).expect("n is not 3");
//! assert_eq!(failure.guard, "L['n'] == 3");
//! assert_eq!((failure.expected.as_str(), failure.found.as_str()), ("3", "4"));
//! assert_eq!(failure.to_string(), "n == 3  # return x + n  # model.py:3 in forward");
//! # Ok::<(), guards::GuardError>(())
//! ```
//!
//! # Objects
//!
//! The tree knows no Python. It asks an [`Objects`], a type parameter of [`GuardTree::check`]: for an attribute of an
//! object, whether an object is this constant, whether a tensor is like that. Objects with identity, such as types and
//! functions, are numbers of the caller's ([`ObjectId`]); names and constants have numbers too, by which the caller can
//! keep what it has made of them. Where there is nothing to read, the guard fails; there is no error.
//!
//! Guards on shapes are solved by `symshapes`: [`ShapeGuard`] holds the compiled program, and reads its numbers from
//! the objects that the tree kept.
//!
//! Absent on purpose: CPython, tensors, and when a program is compiled or dropped.

mod constant;
mod constant_frame;
mod guard;
mod guard_text;
mod intern;
mod object;
mod objects;
mod read;
mod shape;
mod source;
mod sources;
mod state;
mod tensor;
mod tree;

pub use constant::{Constant, ConstantId};
pub use constant_frame::ConstantFrame;
pub use guard::{Collection, Element, Guard, GuardKind};
pub use intern::{Interner, Name, StrId, Strings};
pub use object::{ObjectId, ObjectInfo, ObjectTable};
pub use objects::{DictId, DictKeys, Objects};
pub use shape::{NumberRead, ShapeGuard};
pub use source::{Key, Reach, Root, Source, SourceId, SourceRow, Step, TensorProperty};
pub use sources::{DanglingSource, SourceName, Sources};
pub use state::{ATTENTION_KERNELS, AttentionOrder, Autocast, Deterministic, GlobalState, KindRow, TorchFunction};
pub use tensor::{DispatchKeys, Layout, Mismatch, TensorFacts, TensorGuard, TensorGuardId};
pub use tree::{Failure, GuardError, GuardTree, NodeId, SealState, Snapshot, Stability, Validation, VersionTags};
