//! Guards that make the view of an object hold: on its type, its length, its keys.

use crate::{
    host::{FunctionPolicy, Obj, View},
    trace::{Tracer, values::singletons::is_singleton},
};
use guards::{Collection, Constant, Element, GuardKind, ObjectId, SourceId, Step};

impl Tracer<'_> {
    /// Guards that an object looks the same again; its parts have guards of their own.
    pub(in crate::trace) fn guard_view(&mut self, obj: Obj, view: &View, source: SourceId) {
        let kind = match view {
            View::Constant(Constant::None) => GuardKind::NoneMatch,
            View::Constant(Constant::Bool(value)) => GuardKind::BoolMatch(*value),
            View::Constant(Constant::Int(_)) if self.is_dynamic_int(source) => self.type_match(obj),
            View::Constant(Constant::Float(bits)) if self.is_dynamic_float(*bits, source) => self.type_match(obj),
            View::Constant(constant) => GuardKind::EqualsMatch(self.sources.constant(constant.clone())),
            View::Tuple(items) | View::Size(items) | View::List(items) | View::Record(_, _, items) => {
                self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                if let View::Record(class, ..) = view {
                    if self.host.has_dict(obj) {
                        let own = self.sources.attr(source, "__dict__");
                        self.guard(own, GuardKind::DictKeysMatch(Vec::new()));
                    }
                    let of = self.sources.step(source, Step::Type);
                    self.guard_record_class(*class, of);
                }
                self.type_match(obj)
            }
            View::Deque(items, most) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                let most = most.map_or(Constant::None, |most| Constant::Int(most as i64));
                let most = self.sources.constant(most);
                let part = self.sources.attr(source, "maxlen");
                self.guard(part, GuardKind::EqualsMatch(most));
                return;
            }
            View::TupleIterator(items, at) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                let [all, place] = self.parts_of_iterator(source);
                self.guard(all, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                let at = self.sources.constant(Constant::Int(*at as i64));
                self.guard(place, GuardKind::EqualsMatch(at));
                return;
            }
            View::Range(bounds) => {
                for (name, bound) in ["start", "stop", "step"].into_iter().zip(bounds) {
                    let bound = self.sources.constant(Constant::Int(*bound));
                    let part = self.sources.attr(source, name);
                    self.guard(part, GuardKind::EqualsMatch(bound));
                }
                self.type_match(obj)
            }
            View::Partial(_, args, keywords) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                let given = self.sources.attr(source, "args");
                self.guard(given, GuardKind::SequenceLength(args.len() as u32, Collection::Sequence));
                let named = self.sources.attr(source, "keywords");
                let keys = keywords
                    .iter()
                    .map(|(name, _)| Element::Constant(self.sources.constant(Constant::Str(name.clone()))));
                let keys = GuardKind::DictKeysMatch(keys.collect());
                self.guard(named, keys);
                return;
            }
            View::Getter(_, parts) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                let all = self.parts_of_getter(source);
                self.guard(all, GuardKind::SequenceLength(parts.len() as u32, Collection::Sequence));
                return;
            }
            View::Set(items) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                self.guard_set_items(items, source);
                return;
            }
            View::BoundBuiltin(_, name) => {
                let part = self.sources.attr(source, "__name__");
                let name = self.sources.constant(Constant::Str(name.clone()));
                self.guard(part, GuardKind::EqualsMatch(name));
                self.type_match(obj)
            }
            View::Object(class) if is_singleton(class) => GuardKind::IdMatch(self.object(obj)),
            // Keys and items are guarded where they are read.
            View::FrozenSet(_)
            | View::Dict(_)
            | View::Table(..)
            | View::Slice(_)
            | View::Method(..)
            | View::Object(_) => self.type_match(obj),
            // A tensor's guard needs its symbols; a cell is as good as what it holds.
            View::Tensor(_) | View::NdArray(..) | View::Cell(_) => return,
            View::Function(function) if function.policy == FunctionPolicy::Inlined => {
                GuardKind::ClosureMatch(self.object(function.code))
            }
            View::Function(_) => GuardKind::FunctionMatch(self.object(obj)),
            View::Module(_) => GuardKind::ModuleMatch(self.object(obj)),
            View::Class(_) => GuardKind::ClassMatch(self.object(obj)),
            View::Builtin(_) => GuardKind::BuiltinMatch(self.object(obj)),
        };
        self.guard(source, kind);
    }

    /// Guards that a set has these items. What a tuple holds is guarded where it is looked at as a key.
    pub(in crate::trace) fn guard_set_items(&mut self, items: &[Obj], source: SourceId) {
        self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Set));
        for (place, &item) in (0..).zip(items) {
            match self.host.view(item) {
                View::Constant(constant) => {
                    let element = Element::Constant(self.sources.constant(constant));
                    self.guard(source, GuardKind::SetContains(element));
                }
                View::Tuple(_) | View::Record(..) => {}
                View::Object(_) if matches!(self.host.base_view(item), Some(View::Tuple(_))) => {}
                _ => {
                    let place = self.sources.step(source, Step::SetItem(place));
                    let kind = GuardKind::IdMatch(self.object(item));
                    self.guard(place, kind);
                }
            }
        }
    }

    pub(in crate::trace) fn type_match(&mut self, obj: Obj) -> GuardKind {
        let class = self.host.class_of(obj);
        GuardKind::TypeMatch(self.object(class))
    }

    pub(in crate::trace) fn dict_keys(&mut self, items: &[(Obj, Obj)]) -> Vec<Element> {
        let key = |&(key, _): &(Obj, Obj)| match self.host.view(key) {
            View::Constant(constant) => Element::Constant(self.sources.constant(constant)),
            _ => Element::Object(self.object(key)),
        };
        items.iter().map(key).collect()
    }

    /// The number that guards have for an object.
    pub(in crate::trace) fn object(&mut self, obj: Obj) -> ObjectId {
        let id = ObjectId::from_u32(obj.as_u32());
        let info = self.host.info(obj);
        self.sources.describe(id, info);
        id
    }
}
