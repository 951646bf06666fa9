//! Guards as torch's log prints them.

use crate::{
    guard::{Collection, Element, Guard, GuardKind},
    object::ObjectId,
    source::SourceId,
    sources::Sources,
    tensor::{self, TensorGuard},
};

impl Guard {
    /// The condition, as in `L['n'] == 3`.
    pub fn text(&self, sources: &Sources) -> String {
        let printer = Printer { sources, name: sources.display(self.source).to_string() };
        printer.text(&self.kind)
    }
}

impl Element {
    /// As `repr` writes it.
    pub fn text(self, sources: &Sources) -> String {
        match self {
            Element::Constant(constant) => sources.constants()[constant].to_string(),
            Element::Object(object) => sources.objects().repr(object),
        }
    }
}

struct Printer<'a> {
    sources: &'a Sources,
    name: String,
}

impl Printer<'_> {
    fn text(&self, kind: &GuardKind) -> String {
        let (sources, name) = (self.sources, &self.name);
        match kind {
            GuardKind::Present => format!("___is_present({name})"),
            GuardKind::NoneMatch => format!("{name} is None"),
            GuardKind::NotNoneMatch | GuardKind::WeakrefAlive => format!("{name} is not None"),
            GuardKind::BoolMatch(value) => format!("{name} == {}", pyrepr::boolean(*value)),
            GuardKind::TypeMatch(ty) => self.check("___check_type_id", name, *ty),
            GuardKind::IdMatch(object)
            | GuardKind::FunctionMatch(object)
            | GuardKind::ClassMatch(object)
            | GuardKind::ModuleMatch(object)
            | GuardKind::BuiltinMatch(object)
            | GuardKind::NnModule(object) => self.check("___check_obj_id", name, *object),
            GuardKind::EmptyModuleHooks => format!("___has_no_hooks({name})"),
            GuardKind::ClosureMatch(code) => self.check("___check_obj_id", &format!("{name}.__code__"), *code),
            GuardKind::SequenceLength(len, sized) => self.length(*len, *sized),
            GuardKind::TupleIteratorLen(len) => format!("___tuple_iterator_len({name}) == {len}"),
            GuardKind::RangeIteratorMatch([start, stop, step]) => {
                format!("___normalize_range_iter({name}) == ({start}, {stop}, {step})")
            }
            GuardKind::ConstantMatch(value) | GuardKind::EqualsMatch(value) => self.equals(*value),
            GuardKind::TensorMatch(guard) => self.tensor(&sources.tensors()[*guard]),
            GuardKind::DictContains(key) => format!("___dict_contains({}, {name})", key.text(sources)),
            GuardKind::DictNotContains(key) => format!("not ___dict_contains({}, {name})", key.text(sources)),
            GuardKind::SetContains(item) => format!("set.__contains__({name}, {})", item.text(sources)),
            GuardKind::SetNotContains(item) => format!("not set.__contains__({name}, {})", item.text(sources)),
            GuardKind::NotPresentInGenericDict(attr) => {
                format!("not ___dict_contains({}, {name}.__dict__)", pyrepr::Str(&sources.strings()[*attr]))
            }
            GuardKind::SlotUnset(attr) => {
                format!("not ___slot_is_set({name}, {})", pyrepr::Str(&sources.strings()[*attr]))
            }
            GuardKind::ClassAttr(attr, expected) => {
                let found = format!("___class_attr({name}, {})", pyrepr::Str(&sources.strings()[*attr]));
                match expected {
                    Some(object) => self.check("___check_obj_id", &found, *object),
                    None => format!("{found} is None"),
                }
            }
            GuardKind::ClassVersion(tag) => format!("___class_version({name}) == {tag}"),
            GuardKind::HasAttr(attr, present) => {
                let not = if *present { "" } else { "not " };
                format!("{not}hasattr({name}, {})", pyrepr::Str(&sources.strings()[*attr]))
            }
            GuardKind::DictKeysMatch(keys) => format!("list(dict.keys({name})) == {}", self.list(keys)),
            GuardKind::MappingKeysCheck(keys) => format!("list({name}.keys()) == {}", self.list(keys)),
            GuardKind::User(check) => format!("{}({name})", sources.objects().repr(*check)),
            GuardKind::DuplicateInput(other) => format!("{name} is {}", sources.display(*other)),
            GuardKind::NoTensorAliasing(all) => format!("check_no_aliasing({})", self.names(all)),
            GuardKind::ShapeEnv(shapes) => shapes.all_text(),
            GuardKind::Global(state) => state.text(),
        }
    }

    /// A comparison of addresses.
    fn check(&self, function: &str, name: &str, object: ObjectId) -> String {
        let objects = self.sources.objects();
        format!("{function}({name}, {}), type={}", objects.info(object).address, objects.type_repr(object))
    }

    fn length(&self, len: u32, sized: Collection) -> String {
        let name = &self.name;
        match sized {
            Collection::Set => format!("set.__len__({name}) == {len}"),
            Collection::FrozenSet => format!("frozenset.__len__({name}) == {len}"),
            Collection::Sequence if len == 0 => format!("not {name}"),
            Collection::Sequence => format!("len({name}) == {len}"),
        }
    }

    fn equals(&self, value: crate::ConstantId) -> String {
        let (name, value) = (&self.name, &self.sources.constants()[value]);
        match value.type_name() {
            "float" if value.is_nan() => format!("(type({name}) is float and __math_isnan({name}))"),
            "complex" if value.is_nan() => format!("(type({name}) is complex and __numpy_isnan({name}))"),
            "NoneType" => format!("{name} is None"),
            _ => format!("{name} == {value}"),
        }
    }

    fn tensor(&self, guard: &TensorGuard) -> String {
        let sizes =
            |sizes: &[Option<i64>]| pyrepr::comma_separated(sizes.iter().map(|&s| crate::constant::optional(s)));
        format!(
            "check_tensor({}, {}, {}, torch.{}, device={}, requires_grad={}, size=[{}], stride=[{}])",
            self.name,
            self.sources.objects().short_name(guard.python_type),
            guard.dispatch_keys.name,
            guard.dtype,
            tensor::index(guard.device),
            pyrepr::boolean(guard.requires_grad),
            sizes(&guard.sizes),
            sizes(&guard.strides),
        )
    }

    fn list(&self, items: &[Element]) -> String {
        format!("[{}]", pyrepr::comma_separated(items.iter().map(|item| item.text(self.sources))))
    }

    fn names(&self, all: &[SourceId]) -> String {
        pyrepr::comma_separated(all.iter().map(|&id| self.sources.display(id)))
    }
}
