//! The arena of sources, with the names, constants, tensors and objects that sources and guards mention.
//!
//! Invariants:
//! - A source's base and the source of its key stand before it.
//! - Equal sources have equal ids.

use crate::{
    constant::{Constant, ConstantId},
    intern::{Interner, StrId, Strings},
    object::{ObjectId, ObjectInfo, ObjectTable},
    source::{Arg, Key, Reach, Root, Source, SourceId, Step, TensorProperty},
    tensor::{TensorGuard, TensorGuardId},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt::{self, Display, Formatter},
    ops::Index,
    sync::Arc,
};

/// Sources, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Sources {
    sources: Interner<SourceId, Source>,
    strings: Strings,
    constants: Interner<ConstantId, Constant>,
    tensors: Interner<TensorGuardId, Arc<TensorGuard>>,
    objects: ObjectTable,
}

/// The serialized form of [`Sources`], before it is checked.
#[derive(Deserialize)]
struct Stored {
    sources: Interner<SourceId, Source>,
    strings: Strings,
    constants: Interner<ConstantId, Constant>,
    tensors: Interner<TensorGuardId, Arc<TensorGuard>>,
    objects: ObjectTable,
}

/// The reason why stored sources are refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}: mentions what is not there, or not before it")]
pub struct DanglingSource(pub SourceId);

impl Sources {
    /// No sources yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// The source of a root.
    pub fn root(&mut self, root: Root) -> SourceId {
        self.sources.intern(Source::Root(root))
    }

    /// The source that is one step from another.
    pub fn step(&mut self, base: SourceId, step: Step) -> SourceId {
        debug_assert!(self.sources.get(base).is_some(), "{base} is of another arena");
        self.sources.intern(Source::Step { base, step })
    }

    /// A local variable.
    pub fn local(&mut self, name: &str) -> SourceId {
        let name = self.strings.add(name);
        self.root(Root::Local(name))
    }

    /// A global variable.
    pub fn global(&mut self, name: &str) -> SourceId {
        let name = self.strings.add(name);
        self.root(Root::Global(name))
    }

    /// The contents of a cell of the frame.
    pub fn cell(&mut self, name: &str) -> SourceId {
        let name = self.strings.add(name);
        self.root(Root::Cell(name))
    }

    /// The frame's function.
    pub fn function(&mut self) -> SourceId {
        self.root(Root::Function)
    }

    /// A cell of a function's closure: the cell itself, not what it holds.
    pub fn closure_cell(&mut self, function: SourceId, index: u32) -> SourceId {
        let closure = self.attr(function, "__closure__");
        self.item(closure, Constant::Int(index.into()))
    }

    /// A module that is loaded.
    pub fn module(&mut self, name: &str) -> SourceId {
        let name = self.strings.add(name);
        self.root(Root::Module(name))
    }

    /// A value that exists only while tracing.
    pub fn ephemeral(&mut self, text: &str) -> SourceId {
        let text = self.strings.add(text);
        self.root(Root::Ephemeral(text))
    }

    /// The source of the guards on global state.
    pub fn global_state(&mut self) -> SourceId {
        self.root(Root::GlobalState)
    }

    /// An attribute.
    pub fn attr(&mut self, base: SourceId, name: &str) -> SourceId {
        let name = self.strings.add(name);
        self.step(base, Step::Attr(name))
    }

    /// An item.
    pub fn item(&mut self, base: SourceId, key: impl Into<Constant>) -> SourceId {
        let key = self.key(key.into());
        self.step(base, Step::Item(key))
    }

    /// The item whose key is the object at another source.
    pub fn item_of(&mut self, base: SourceId, key: SourceId) -> SourceId {
        self.step(base, Step::Item(Key::Object(key)))
    }

    /// `base[start:stop:step]`
    pub fn slice(&mut self, base: SourceId, start: Option<i64>, stop: Option<i64>, step: Option<i64>) -> SourceId {
        let bounds = self.constant(Constant::Slice([start, stop, step]));
        self.step(base, Step::Slice(bounds))
    }

    /// The size of a tensor's dimension.
    pub fn size(&mut self, tensor: SourceId, dim: u32) -> SourceId {
        self.step(tensor, Step::Tensor(TensorProperty::Size(dim)))
    }

    /// The stride of a tensor's dimension.
    pub fn stride(&mut self, tensor: SourceId, dim: u32) -> SourceId {
        self.step(tensor, Step::Tensor(TensorProperty::Stride(dim)))
    }

    /// A constant as a key, in the one form that it has.
    pub fn key(&mut self, key: Constant) -> Key {
        match key {
            Constant::Int(value) => Key::Int(value),
            Constant::Str(text) => Key::Str(self.strings.add(&text)),
            other => Key::Constant(self.constants.intern(other)),
        }
    }

    /// The number of a name.
    pub fn string(&mut self, text: &str) -> StrId {
        self.strings.add(text)
    }

    /// The number of a constant.
    pub fn constant(&mut self, value: impl Into<Constant>) -> ConstantId {
        self.constants.intern(value.into())
    }

    /// The number of the assumptions about a tensor.
    pub fn tensor(&mut self, guard: TensorGuard) -> TensorGuardId {
        self.tensors.intern(Arc::new(guard))
    }

    /// Says what is printed of an object.
    pub fn describe(&mut self, object: ObjectId, info: ObjectInfo) {
        self.objects.describe(object, info);
    }

    /// The names.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The constants.
    pub fn constants(&self) -> &Interner<ConstantId, Constant> {
        &self.constants
    }

    /// The assumptions about tensors.
    pub fn tensors(&self) -> &Interner<TensorGuardId, Arc<TensorGuard>> {
        &self.tensors
    }

    /// The objects.
    pub fn objects(&self) -> &ObjectTable {
        &self.objects
    }

    /// The source with a number, if there is one.
    pub fn get(&self, id: SourceId) -> Option<Source> {
        self.sources.get(id).copied()
    }

    /// Every source, bases first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SourceId, Source)> {
        self.sources.iter().map(|(id, &source)| (id, source))
    }

    /// The base of the last step; `None` for a root.
    pub fn base(&self, id: SourceId) -> Option<SourceId> {
        self[id].base()
    }

    /// The root from which the steps start.
    pub fn root_of(&self, mut id: SourceId) -> Root {
        loop {
            match self[id] {
                Source::Root(root) => return root,
                Source::Step { base, .. } => id = base,
            }
        }
    }

    /// The kind of value that a guard can read there: nothing below what it cannot read, and no object below a number.
    pub fn reach(&self, id: SourceId) -> Reach {
        let own = self[id].row().reach;
        let (mut at, mut worst) = (self[id].base(), own);
        while let Some(base) = at {
            if self[base].row().reach != Reach::Object {
                worst = Reach::Nothing;
            }
            at = self[base].base();
        }
        let key_is_object = self.keys_above(id).all(|key| self.reach(key) == Reach::Object);
        if key_is_object { worst } else { Reach::Nothing }
    }

    /// False below what exists only while tracing.
    pub fn is_readable(&self, id: SourceId) -> bool {
        self.reach(id) != Reach::Nothing
    }

    /// The sources of the keys on the way from the root.
    fn keys_above(&self, id: SourceId) -> impl Iterator<Item = SourceId> {
        std::iter::successors(Some(id), |&id| self[id].base()).filter_map(|id| self[id].key())
    }

    /// The text of a source, as torch prints it.
    pub fn display(&self, id: SourceId) -> SourceName<'_> {
        SourceName { sources: self, id }
    }

    /// The text of an argument, by `repr` or bare.
    fn arg_text(&self, arg: Arg, by_repr: bool) -> String {
        match arg {
            Arg::Nothing => String::new(),
            Arg::Name(name) if by_repr => pyrepr::Str(&self.strings[name]).to_string(),
            Arg::Name(name) => self.strings[name].to_string(),
            Arg::Index(index) => index.to_string(),
            Arg::Key(Key::Int(value)) => value.to_string(),
            Arg::Key(Key::Str(text)) => pyrepr::Str(&self.strings[text]).to_string(),
            Arg::Key(Key::Constant(constant)) | Arg::Constant(constant) => self.constants[constant].to_string(),
            Arg::Key(Key::Object(source)) => self.display(source).to_string(),
            Arg::Property(TensorProperty::Size(dim)) => format!("size()[{dim}]"),
            Arg::Property(TensorProperty::Stride(dim)) => format!("stride()[{dim}]"),
            Arg::Property(TensorProperty::StorageOffset) => "storage_offset()".to_owned(),
        }
    }

    /// A source that mentions what is not there, or not before it.
    fn dangling(&self) -> Option<SourceId> {
        let missing = |arg: Arg| match arg {
            Arg::Name(name) | Arg::Key(Key::Str(name)) => self.strings.get(name).is_none(),
            Arg::Constant(constant) | Arg::Key(Key::Constant(constant)) => self.constants.get(constant).is_none(),
            _ => false,
        };
        let late =
            |id: SourceId, source: Source| [source.base(), source.key()].into_iter().flatten().any(|on| on >= id);
        self.iter().find(|&(id, source)| late(id, source) || missing(source.arg())).map(|(id, _)| id)
    }
}

impl Index<SourceId> for Sources {
    type Output = Source;

    fn index(&self, id: SourceId) -> &Source {
        &self.sources[id]
    }
}

impl TryFrom<Stored> for Sources {
    type Error = DanglingSource;

    fn try_from(stored: Stored) -> Result<Sources, DanglingSource> {
        let Stored { sources, strings, constants, tensors, objects } = stored;
        let sources = Sources { sources, strings, constants, tensors, objects };
        match sources.dangling() {
            Some(id) => Err(DanglingSource(id)),
            None => Ok(sources),
        }
    }
}

/// A source to be printed.
#[derive(Clone, Copy, Debug)]
pub struct SourceName<'a> {
    sources: &'a Sources,
    id: SourceId,
}

impl Display for SourceName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let source = self.sources[self.id];
        if let Source::Step { base, step: Step::Attr(name) } = source
            && is_identifier(&self.sources.strings[name])
        {
            self.sources.display(base).fmt(f)?;
            f.write_str(".")?;
            return f.write_str(&self.sources.strings[name]);
        }
        let mut rest = self.template(source);
        while let Some((before, after)) = rest.split_once('{') {
            f.write_str(before)?;
            let (hole, after) = after.split_once('}').unwrap_or((after, ""));
            match (hole, source.base()) {
                ("base", Some(base)) => write!(f, "{}", self.sources.display(base))?,
                _ => f.write_str(&self.sources.arg_text(source.arg(), hole == "arg!r"))?,
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

impl SourceName<'_> {
    /// The template of the row; an attribute that no program can write after a dot has another.
    fn template(&self, source: Source) -> &'static str {
        match source {
            Source::Step { step: Step::Attr(name), .. } if !is_identifier(&self.sources.strings[name]) => {
                "getattr({base}, {arg!r})"
            }
            _ => source.row().template,
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let starts_well = text.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
    starts_well && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}
