//! Operators called through libtorch's dispatcher, without Python.
//!
//! The dispatcher's C interface takes a word for each parameter of the schema and gives one for each result; what a
//! word means, its type says. The schemas are those of our table, so this is used only on releases of torch that were
//! tried (`Torch::tried`). A `Scalar` has no word, nor has an object of Python: such calls go through Python.
//!
//! Invariants: a [`Dispatch`] has a value of the right type for each parameter of its operator; words own what they
//! point to (tensor references, lists, texts, boxes) and are given up to the dispatcher in the call.

use crate::torch::shim::{RawTensor, Shim, ShimError};
use crate::torch::{Tensor, tensor};
use fx::Arg;
use fx::aten::{Aliasing, Aten, Type};
use inductor::plan::{Call, CallArg, CallResult, View};
use smallvec::{SmallVec, smallvec};
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem;
use std::sync::OnceLock;
use symshapes::{DType, DTypeClass, Device, DeviceKind};

type Word = u64;

/// The words of a call: of its parameters before, of its results after.
type Stack = SmallVec<[Word; 16]>;

/// Tensors that a call made; none where there is no tensor.
type Made = SmallVec<[Option<Tensor>; 4]>;

/// Declares the interface's functions, a row each: field, symbol, parameters. Each gives 0 unless it fails.
macro_rules! interface {
    ($($field:ident = $symbol:literal: fn($($arg:ty),*);)*) => {
        /// The interface's functions.
        struct Interface {
            new_box: NewBox,
            $($field: unsafe extern "C" fn($($arg),*) -> i32,)*
        }

        impl Interface {
            fn load(shim: &Shim) -> Option<Interface> {
                Some(Interface { new_box: NewBox::load(shim)?, $($field: {
                    let address = shim.find(concat!($symbol, "\0"))?;
                    // SAFETY: this is the type that torch's header declares for the symbol.
                    unsafe { mem::transmute::<*const c_void, unsafe extern "C" fn($($arg),*) -> i32>(address) }
                },)* })
            }
        }
    };
}

interface! {
    call = "aoti_torch_call_dispatcher": fn(*const c_char, *const c_char, *mut Word);
    new_list = "torch_new_list_reserve_size": fn(usize, *mut *mut c_void);
    push = "torch_list_push_back": fn(*mut c_void, Word);
    len = "torch_list_size": fn(*mut c_void, *mut usize);
    item = "torch_list_get_item": fn(*mut c_void, usize, *mut Word);
    delete_list = "torch_delete_list": fn(*mut c_void);
    new_text = "torch_new_string_handle": fn(*const c_char, usize, *mut *mut c_void);
}

/// `torch_new_stable_ivalue`
type NewValue = unsafe extern "C" fn(*mut *mut Word) -> i32;

/// `operator new(unsigned long)`
type New = unsafe extern "C" fn(usize) -> *mut Word;

/// The allocators of a heap word that libtorch frees.
#[derive(Clone, Copy)]
enum NewBox {
    /// libtorch itself.
    Own(NewValue),
    /// C++: before torch 2.12 whoever calls the dispatcher makes room as C++ does.
    Operator(New),
}

impl NewBox {
    fn load(shim: &Shim) -> Option<NewBox> {
        if let Some(own) = shim.find("torch_new_stable_ivalue\0") {
            // SAFETY: this is the type that torch's header declares for the symbol.
            return Some(NewBox::Own(unsafe { mem::transmute::<*const c_void, NewValue>(own) }));
        }
        let operator = shim.find("_Znwm\0")?;
        // SAFETY: this is the type that the C++ ABI gives the symbol.
        Some(NewBox::Operator(unsafe { mem::transmute::<*const c_void, New>(operator) }))
    }

    /// Room for a word.
    fn make(self) -> Result<*mut Word, ShimError> {
        match self {
            NewBox::Own(make) => {
                let mut place = std::ptr::null_mut();
                // SAFETY: the new word's address is stored in `place`.
                Shim::get().check("torch_new_stable_ivalue", unsafe { make(&raw mut place) })?;
                Ok(place)
            }
            // SAFETY: the operator gives a block of so many bytes; that it throws where there is none ends the process,
            // as an allocation of Rust's does.
            NewBox::Operator(new) => Ok(unsafe { new(mem::size_of::<Word>()) }),
        }
    }
}

impl Interface {
    /// The functions, if libtorch has them all.
    fn get() -> Option<&'static Interface> {
        static INTERFACE: OnceLock<Option<Interface>> = OnceLock::new();
        INTERFACE.get_or_init(|| Interface::load(Shim::get())).as_ref()
    }
}

/// The kinds of values that become a word at each call.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// A word that is constant from call to call: a number, a code, nothing.
    Word(Word),
    /// The next of the call's tensors.
    Tensor,
    List(Vec<Value>),
    /// A value of an optional type.
    Some(Box<Value>),
    Text(Box<str>),
}

/// The forms of an operator's results.
#[derive(Clone, Debug, PartialEq)]
enum Results {
    /// One list of tensors.
    List,
    /// A flag per result: true for a tensor, false for a number that nobody looks at.
    Each(SmallVec<[bool; 4]>),
}

/// An operator with its arguments.
pub(crate) struct Dispatch {
    name: CString,
    overload: CString,
    values: Vec<Value>,
    results: Results,
    /// For each result, whether the plan keeps it.
    kept: SmallVec<[bool; 4]>,
    /// True if the operator is a view of an operand.
    views: bool,
}

/// The call, as the dispatcher takes it; the error says what it cannot take.
pub(crate) fn find(call: &Call, take: &mut dyn FnMut(&View)) -> Result<Dispatch, String> {
    let op = call.target.op().ok_or("no operator of ATen")?;
    if Interface::get().is_none() {
        return Err("this libtorch has no dispatcher for others".to_owned());
    }
    let schema = &op.overload().schema;
    if schema.vararg || op.mutates() || call.args.len() > schema.params.len() {
        return Err("not a function of its parameters".to_owned());
    }
    if let Some((name, _)) = call.kwargs.iter().find(|(name, _)| schema.position(name).is_none()) {
        return Err(format!("no parameter `{name}`"));
    }
    let results = results(op, call)?;
    let values = schema.params.iter().enumerate().map(|(at, param)| {
        let named = || call.kwargs.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value);
        let value = match (call.args.get(at).or_else(named), &param.default) {
            (Some(given), _) => value(&param.ty, given, take),
            (None, Some(default)) => plain(&param.ty, default),
            (None, None) => None,
        };
        value.ok_or_else(|| format!("`{}` of type {}", param.name, param.ty))
    });
    let values = values.collect::<Result<_, _>>()?;
    let text = |text: String| CString::new(text).map_err(|error| error.to_string());
    // A call that gives nothing has `None` for a result.
    let count = if op.overload().schema.returns.is_empty() { 0 } else { call.results.len() };
    let kept = call.results[..count].iter().map(|result| matches!(result, CallResult::Tensor(_))).collect();
    Ok(Dispatch {
        name: text(format!("aten::{}", op.packet()))?,
        overload: text(if op.overload_name() == "default" { String::new() } else { op.overload_name().to_owned() })?,
        values,
        results,
        kept,
        views: op.is_view() || matches!(op.traits().alias, Some(Aliasing::Shares | Aliasing::MayShare)),
    })
}

/// The form of the operator's results, if it is the one that the call wants.
fn results(op: Aten, call: &Call) -> Result<Results, String> {
    if call.results.iter().any(|result| matches!(result, CallResult::Object(_))) {
        return Err("a result that is no tensor of known sizes".to_owned());
    }
    let returns = &op.overload().schema.returns;
    if let [only] = returns.as_slice()
        && matches!(&only.ty, Type::List(inner, _) if **inner == Type::Tensor)
    {
        return Ok(Results::List);
    }
    let is_used = |result: &CallResult| !matches!(result, CallResult::Unused);
    if call.results.iter().skip(returns.len()).any(is_used) {
        return Err("results of another number".to_owned());
    }
    let tensors = returns.iter().enumerate().map(|(at, result)| match &result.ty {
        Type::Tensor => Ok(true),
        Type::Int | Type::SymInt | Type::Float | Type::Bool
            if !matches!(call.results.get(at), Some(CallResult::Tensor(_))) =>
        {
            Ok(false)
        }
        other => Err(format!("a result of type {other}")),
    });
    tensors.collect::<Result<_, _>>().map(Results::Each)
}

/// An argument as a parameter's type has it.
fn value(ty: &Type, arg: &CallArg, take: &mut dyn FnMut(&View)) -> Option<Value> {
    match (ty, arg) {
        (_, CallArg::Plain(arg)) => plain(ty, arg),
        (Type::Optional(inner), arg) => Some(Value::Some(Box::new(value(inner, arg, take)?))),
        (Type::Tensor, CallArg::Tensor(tensor)) => {
            take(tensor);
            Some(Value::Tensor)
        }
        (Type::List(inner, _), CallArg::List(items)) => {
            Some(Value::List(items.iter().map(|item| value(inner, item, take)).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// An argument without tensors as a parameter's type has it.
fn plain(ty: &Type, arg: &Arg) -> Option<Value> {
    Some(match (ty, arg) {
        (Type::Optional(_), Arg::None) => Value::Word(0),
        (Type::Optional(inner), arg) => Value::Some(Box::new(plain(inner, arg)?)),
        (Type::List(inner, _), Arg::List(items) | Arg::Tuple(items)) => {
            Value::List(items.iter().map(|item| plain(inner, item)).collect::<Option<_>>()?)
        }
        (Type::List(inner, Some(count)), arg) => Value::List(vec![plain(inner, arg)?; *count]),
        (Type::Int | Type::SymInt, Arg::Int(v)) => Value::Word(v.cast_unsigned()),
        (Type::Int | Type::SymInt | Type::Bool, Arg::Bool(v)) => Value::Word((*v).into()),
        (Type::Float, Arg::Float(_) | Arg::Int(_)) => Value::Word(arg.as_float()?.to_bits()),
        (Type::Str, Arg::Str(text)) => Value::Text(text.as_str().into()),
        (Type::DType, Arg::DType(dtype)) => Value::Word(u32::try_from(dtype.torch_code()).ok()?.into()),
        (Type::Layout, Arg::Layout(name)) if name == "strided" => Value::Word(0),
        (Type::MemoryFormat, Arg::MemoryFormat(name)) => Value::Word(memory_format(name)?),
        // The index in the lower half, the kind in the upper one.
        (Type::Device, Arg::Device(Device { kind, index })) => {
            let kind: Word = match kind {
                DeviceKind::Cpu => 0,
                DeviceKind::Cuda => 1,
                DeviceKind::Meta | DeviceKind::Other => return None,
            };
            Value::Word(kind << 32 | Word::from(index.map_or(u32::MAX, u32::from)))
        }
        _ => return None,
    })
}

/// `c10::MemoryFormat`.
fn memory_format(name: &str) -> Option<Word> {
    let names = ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"];
    names.iter().position(|known| *known == name).map(|at| at as Word)
}

impl Dispatch {
    /// Makes the call with the tensors among its values, in order. Results that are kept may be read as they lie: they
    /// do not wait to be negated or conjugated, and are none of the operands, unless the operator is a view.
    ///
    /// # Safety
    /// All handles are live.
    pub(crate) unsafe fn call(&self, tensors: &[RawTensor]) -> Result<Made, ShimError> {
        let interface = interface()?;
        let mut rest = tensors.iter().copied();
        let words = self.values.iter().map(|value| word(interface, value, &mut rest));
        let mut stack = words.collect::<Result<Stack, ShimError>>()?;
        // SAFETY: there is a word of the right type for each parameter, and the results are the schema's.
        let made = unsafe { dispatch(interface, &self.name, &self.overload, &mut stack, &self.results) }?;
        let kept = self.kept.iter().copied().chain(std::iter::repeat(false));
        let made = made.into_iter().zip(kept);
        made.map(|(made, kept)| made.filter(|_| kept).map(|made| self.resolved(made, tensors)).transpose()).collect()
    }

    /// A result as others may read its memory. It must be defined.
    fn resolved(&self, made: Tensor, operands: &[RawTensor]) -> Result<Tensor, ShimError> {
        let is_complex = DType::from_torch_code(tensor::info(made.raw())?.dtype)
            .is_none_or(|dtype| dtype.class() == DTypeClass::Complex);
        let made = if self.views || is_complex { resolved(made)? } else { made };
        if self.views {
            return Ok(made);
        }
        let data = tensor::data_ptr(made.raw())?;
        for &operand in operands {
            if !data.is_null() && tensor::data_ptr(operand)? == data {
                let info = tensor::info(made.raw())?;
                let copied = Tensor::empty(info.sizes, info.strides, info.dtype, info.device)?;
                tensor::copy(copied.raw(), made.raw())?;
                return Ok(copied);
            }
        }
        Ok(made)
    }
}

/// The tensor with pending negation and conjugation carried out.
fn resolved(made: Tensor) -> Result<Tensor, ShimError> {
    let mut made = made;
    for name in [c"aten::resolve_conj", c"aten::resolve_neg"] {
        let mut stack: Stack = smallvec![made.into_raw() as Word];
        // SAFETY: both operators take a tensor and give one.
        let results = unsafe { dispatch(interface()?, name, c"", &mut stack, &Results::Each(smallvec![true])) }?;
        let none = || ShimError::Call { call: "dispatcher", reason: "no result".to_owned() };
        made = results.into_iter().next().flatten().ok_or_else(none)?;
    }
    Ok(made)
}

fn interface() -> Result<&'static Interface, ShimError> {
    Interface::get().ok_or(ShimError::Missing("aoti_torch_call_dispatcher"))
}

/// Calls an operator on the words of its parameters.
///
/// # Safety
/// `stack` has a word of the right type for each parameter, all of them ours; `results` are the schema's.
unsafe fn dispatch(
    interface: &Interface,
    name: &CStr,
    overload: &CStr,
    stack: &mut Stack,
    results: &Results,
) -> Result<Made, ShimError> {
    let count = match results {
        Results::List => 1,
        Results::Each(tensors) => tensors.len(),
    };
    stack.resize(stack.len().max(count), 0);
    // SAFETY: the stack is long enough for parameters and results; the caller vouches for the words.
    let code = unsafe { (interface.call)(name.as_ptr(), overload.as_ptr(), stack.as_mut_ptr()) };
    Shim::get().check("aoti_torch_call_dispatcher", code)?;
    // SAFETY: the word is a new reference, or null.
    let take = |word: Word| unsafe { Tensor::from_raw(word as RawTensor) };
    match results {
        Results::Each(tensors) => {
            let words = stack.iter().zip(tensors);
            Ok(words.map(|(&word, &is_tensor)| if is_tensor { take(word) } else { None }).collect())
        }
        Results::List => {
            let list = stack[0] as *mut c_void;
            let items = items(interface, list);
            // SAFETY: the list is ours, and not used again.
            unsafe { (interface.delete_list)(list) };
            Ok(items?.into_iter().map(take).collect())
        }
    }
}

/// The words of a list.
fn items(interface: &Interface, list: *mut c_void) -> Result<Vec<Word>, ShimError> {
    let mut len = 0;
    // SAFETY: the list is live.
    Shim::get().check("torch_list_size", unsafe { (interface.len)(list, &raw mut len) })?;
    let item = |at: usize| {
        let mut word = 0;
        // SAFETY: as above.
        Shim::get().check("torch_list_get_item", unsafe { (interface.item)(list, at, &raw mut word) })?;
        Ok(word)
    };
    (0..len).map(item).collect()
}

/// The word of a value; `tensors` are those of the values, in order. What fails here has no memory left, so nothing is
/// given back.
fn word(
    interface: &Interface,
    value: &Value,
    tensors: &mut impl Iterator<Item = RawTensor>,
) -> Result<Word, ShimError> {
    let shim = Shim::get();
    match value {
        Value::Word(word) => Ok(*word),
        Value::Tensor => match tensors.next() {
            Some(raw) => Ok(Tensor::share(raw)?.into_raw() as Word),
            None => Err(ShimError::Call { call: "dispatcher", reason: "too few tensors".to_owned() }),
        },
        Value::List(values) => {
            let mut list = std::ptr::null_mut();
            // SAFETY: the new list's address is stored in `list`.
            shim.check("torch_new_list_reserve_size", unsafe { (interface.new_list)(values.len(), &raw mut list) })?;
            for value in values {
                let word = word(interface, value, &mut *tensors)?;
                // SAFETY: the list is live.
                shim.check("torch_list_push_back", unsafe { (interface.push)(list, word) })?;
            }
            Ok(list as Word)
        }
        Value::Some(inner) => {
            let word = word(interface, inner, &mut *tensors)?;
            let place = interface.new_box.make()?;
            // SAFETY: the address is that of a word of ours.
            unsafe { place.write(word) };
            Ok(place as Word)
        }
        Value::Text(text) => {
            let mut handle = std::ptr::null_mut();
            // SAFETY: the text is copied; the copy's address is stored in `handle`.
            let code = unsafe { (interface.new_text)(text.as_ptr().cast(), text.len(), &raw mut handle) };
            shim.check("torch_new_string_handle", code)?;
            Ok(handle as Word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(overload: &str, parameter: &str, arg: &Arg) -> Option<Value> {
        let schema = &Aten::named(overload).expect(overload).overload().schema;
        plain(&schema.params[schema.position(parameter).expect(parameter)].ty, arg)
    }

    #[test]
    fn plain_arguments_have_the_words_of_their_types() {
        let one = Value::Word(1);
        assert_eq!(parsed("topk", "k", &Arg::Int(1)), Some(one.clone()));
        assert_eq!(parsed("topk", "dim", &Arg::Int(-1)), Some(Value::Word(u64::MAX)));
        assert_eq!(parsed("topk", "largest", &Arg::Bool(true)), Some(one.clone()));
        assert_eq!(parsed("logit", "eps", &Arg::None), Some(Value::Word(0)));
        assert_eq!(parsed("logit", "eps", &Arg::Int(1)), Some(Value::Some(Box::new(Value::Word(1f64.to_bits())))));
        assert_eq!(parsed("avg_pool2d", "kernel_size", &Arg::Int(1)), Some(Value::List(vec![one.clone(), one])));
        assert_eq!(parsed("add.Tensor", "alpha", &Arg::Int(1)), None, "a Scalar has no word");
    }
}
