//! Objects read at their sources.

use crate::{
    objects::Objects,
    source::{Key, Root, Source, SourceId, Step},
    sources::Sources,
};

impl Sources {
    /// The object at a source, each step of the way read anew; `None` if it is not there.
    pub fn read<O: Objects>(&self, id: SourceId, objects: &mut O) -> Option<O::Handle> {
        match self.get(id)? {
            Source::Root(root) => self.read_root(objects, root),
            Source::Step { base, step } => {
                let base = self.read(base, objects)?;
                match step {
                    Step::Item(Key::Object(key)) => {
                        let key = self.read(key, objects)?;
                        objects.item_object(&base, &key)
                    }
                    step => self.read_step(objects, &base, step),
                }
            }
        }
    }

    /// Reads the object at a root.
    pub(crate) fn read_root<O: Objects>(&self, objects: &mut O, root: Root) -> Option<O::Handle> {
        let name = |id| self.strings().name(id);
        match root {
            Root::Local(id) => objects.local(name(id)),
            Root::Global(id) => objects.global(name(id)),
            Root::Cell(id) => objects.cell(name(id)),
            Root::Function => objects.frame_function(),
            Root::Default(index) => objects.frame_default(index),
            Root::KwDefault(id) => objects.frame_kw_default(name(id)),
            Root::Module(id) => objects.module(name(id)),
            Root::Ephemeral(_) | Root::GlobalState => None,
        }
    }

    /// Reads the object that is one step from another.
    pub(crate) fn read_step<O: Objects>(&self, objects: &mut O, base: &O::Handle, step: Step) -> Option<O::Handle> {
        let name = |id| self.strings().name(id);
        let constant = |id| &self.constants()[id];
        match step {
            Step::Attr(id) => objects.attr(base, name(id)),
            Step::GenericAttr(id) => objects.generic_attr(base, name(id)),
            Step::Item(Key::Int(key)) => objects.item_int(base, key),
            Step::Item(Key::Str(id)) => objects.item_str(base, name(id)),
            Step::Item(Key::Constant(id)) => objects.item_constant(base, constant(id), id),
            // Items by objects are reads of their own; a number is no object.
            Step::Item(Key::Object(_)) | Step::Tensor(_) => None,
            Step::DictKey(index) => objects.dict_key(base, index),
            Step::DictValue(index) => objects.dict_value(base, index),
            Step::SetItem(index) => objects.set_item(base, index),
            Step::TupleIteratorItem(index) => objects.tuple_iterator_item(base, index),
            Step::Slice(id) => objects.slice(base, constant(id), id),
            Step::Type => objects.type_of(base),
            Step::TypeDict => objects.type_dict(base),
            Step::WeakRef => objects.weak_ref(base),
            Step::Closure(index) => objects.closure(base, index),
            Step::Defaults(index) => objects.function_default(base, index),
            Step::KwDefaults(id) => objects.function_kw_default(base, name(id)),
            Step::Code => objects.code(base),
            Step::Param(id) => objects.param(base, name(id)),
            Step::Buffer(id) => objects.buffer(base, name(id)),
            Step::Submodule(id) => objects.submodule(base, name(id)),
            Step::FromNumpy => objects.tensor_of_array(base),
            Step::Grad => objects.grad(base),
            Step::Call0(id) => objects.call0(base, name(id)),
            Step::Cached(id) => objects.cached(base, constant(id), id),
        }
    }
}
