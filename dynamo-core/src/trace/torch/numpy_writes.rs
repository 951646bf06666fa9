//! Changes of NumPy's arrays: items that are set, operators in place, results that are written into an array (`out=`).
//!
//! Invariants:
//! - what is written is a copy that is computed first, as NumPy has it where operands overlap;
//! - NumPy's own casts are left to it where they are refused, or where values may not fit.

use super::numpy::{CLASS, is_among};
use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, NodeId};
use guards::Constant;
use symshapes::{DType, DTypeClass};

/// The operators whose in-place forms compute what they do, and copy that.
const OPERATORS: &str = "add and_ floordiv lshift mod mul or_ pow rshift sub truediv xor";

/// The functions that compute the same with `out=`, which they then write.
const WITH_OUT: &str = "abs absolute add arctan2 ceil cos divide exp floor floor_divide fmax fmin log maximum minimum mod \
    multiply negative power remainder rint sign sin sqrt square subtract tan tanh true_divide";

impl Tracer<'_> {
    /// `array[key] = value`
    pub(in crate::trace) fn set_array_item(
        &mut self,
        array: ValueId,
        node: NodeId,
        key: ValueId,
        value: ValueId,
    ) -> Traced<()> {
        let is_mask = self.is_mask_of(key, node)?;
        let key = match is_mask {
            true => self.array_arg(key)?,
            false => self.picked_in_array(array, key)?.ok_or_else(|| self.no_change(array))?,
        };
        let dtype = self.array_dtype(node)?;
        let value = self.written_into(dtype, value)?.ok_or_else(|| self.no_change(array))?;
        // Values for the items that a mask selects are as many as these.
        if let (true, &Arg::Node(value)) = (is_mask, &value)
            && !self.array_sizes(value)?.is_empty()
        {
            return Err(self.no_change(array));
        }
        self.write_tensor(NodeKind::CallFunction, "operator.setitem", node, vec![key, value])
    }

    /// `a += b`, by the operator's name; `None` if `a` is nothing that NumPy changes or replaces.
    pub(in crate::trace) fn change_array(&mut self, name: &str, a: ValueId, b: ValueId) -> Traced<Option<ValueId>> {
        match self.get(a)? {
            Value::NdArray { node, is_scalar: false } if is_among(OPERATORS, name) => {
                let Some(result) = self.array_operator(name, &[a, b])? else { return Ok(None) };
                self.write_array(node, result)?;
                self.force(a).map(Some)
            }
            Value::NdArray { is_scalar: false, .. } => Err(self.no_change(a)),
            Value::NdArray { .. }
            | Value::Const(Constant::Int(_) | Constant::Float(_) | Constant::Bool(_))
            | Value::Tuple(_) => self.array_operator(name, &[a, b]),
            // The arithmetic of an array goes before the concatenation of a list.
            Value::State(state) if matches!(self.heap.get(state), State::List(_)) => self.array_operator(name, &[a, b]),
            _ => Ok(None),
        }
    }

    /// `numpy.name(*args, out=array, **keywords)`; `None` without such an array, and for a function that is more than
    /// itself with one.
    pub(super) fn call_numpy_into(
        &mut self,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let [(out, array)] = &keywords[..] else { return Ok(None) };
        let Value::NdArray { node, is_scalar: false } = self.get(*array)? else { return Ok(None) };
        if out != "out" || !is_among(WITH_OUT, name) {
            return Ok(None);
        }
        let result = self.emit_numpy(&format!("call_{name}"), args, &vec![])?;
        self.write_array(node, result)?;
        self.force(*array).map(Some)
    }

    /// `array.fill(value)`
    pub(super) fn fill_array(&mut self, array: ValueId, value: ValueId) -> Traced {
        let Value::NdArray { node, is_scalar: false } = self.get(array)? else { return Err(self.no_change(array)) };
        let everything = self.constant(Constant::Ellipsis);
        self.set_array_item(array, node, everything, value)?;
        Ok(self.none())
    }

    /// Writes a result into an array of its shape, if NumPy casts it to the array's element type.
    fn write_array(&mut self, array: NodeId, result: ValueId) -> Traced<()> {
        let refused = || Reason::new(Kind::Mutation, format!("A result that a `{CLASS}` does not hold."));
        let Value::NdArray { node: result, .. } = self.get(result)? else { return Err(refused()) };
        let (from, to) = (self.array_dtype(result)?, self.array_dtype(array)?);
        if self.array_sizes(result)? != self.array_sizes(array)? || !is_same_kind(from, to) {
            return Err(refused());
        }
        self.write_tensor(NodeKind::CallMethod, "copy_", array, vec![Arg::Node(result)])
    }

    /// A call that changes the tensor which an array is.
    fn write_tensor(&mut self, kind: NodeKind, target: &str, array: NodeId, mut args: Vec<Arg>) -> Traced<()> {
        // Autograd does not notice what NumPy changes of what it has saved.
        if self.anything_recorded() && self.graph.torch.nodes().any(|node| self.graph.as_tensor[node]) {
            return Err(Reason::new(Kind::Mutation, "An array of a tensor's memory, among what autograd records."));
        }
        let this = self.value(Value::Tensor(array));
        args.insert(0, Arg::Node(array));
        self.emit_in_place(kind, target, this, args, vec![]).map(|_| ())
    }

    /// True for an array of bools with an item for each of another array's.
    fn is_mask_of(&mut self, key: ValueId, array: NodeId) -> Traced<bool> {
        let Value::NdArray { node, is_scalar: false } = self.get(key)? else { return Ok(false) };
        Ok(self.array_dtype(node)? == DType::Bool && self.array_sizes(node)? == self.array_sizes(array)?)
    }

    /// Places, slices and the like as the index of a tensor, if they pick the same from it as from an array.
    fn picked_in_array(&mut self, array: ValueId, key: ValueId) -> Traced<Option<Arg>> {
        let key_arg = self.array_arg(key)?;
        let mut has_arrays = false;
        key_arg.for_each_node(&mut |_| has_arrays = true);
        let is_list = |arg: &Arg| matches!(arg, Arg::List(_));
        let has_lists = is_list(&key_arg) || matches!(&key_arg, Arg::Tuple(items) if items.iter().any(is_list));
        if has_arrays || has_lists {
            return Ok(None);
        }
        let Some((picked, _)) = self.numpy_call("operator_getitem", &[array, key], &vec![], false)? else {
            return Ok(None);
        };
        self.drop_from(picked);
        Ok(Some(key_arg))
    }

    /// A value as it is written into an array of an element type; `None` if NumPy may refuse it, or cut it off.
    fn written_into(&mut self, dtype: DType, value: ValueId) -> Traced<Option<Arg>> {
        let known = self.specialised(value)?;
        let node = match self.get(known)? {
            Value::Const(constant) => return Ok(number_into(dtype, &constant)),
            Value::NdArray { node, .. } => node,
            Value::Tuple(_) => self.array_of_items(known)?,
            Value::State(state) if matches!(self.heap.get(state), State::List(_)) => self.array_of_items(known)?,
            _ => return Ok(None),
        };
        let from = self.array_dtype(node)?;
        if !is_safe(from, dtype) {
            return Ok(None);
        }
        let node = match from == dtype {
            true => self.put_call(None, NodeKind::CallMethod, "clone", vec![Arg::Node(node)], vec![])?,
            false => {
                self.put_call(None, NodeKind::CallMethod, "to", vec![Arg::Node(node), Arg::DType(dtype)], vec![])?
            }
        };
        Ok(Some(Arg::Node(node)))
    }

    /// `numpy.array(items)`
    fn array_of_items(&mut self, items: ValueId) -> Traced<NodeId> {
        let array = self.emit_numpy("call_array", &[items], &vec![])?;
        match self.get(array)? {
            Value::NdArray { node, .. } => Ok(node),
            _ => Err(Reason::new(Kind::Call, "Items that are no array.")),
        }
    }
}

/// A number as it is written into an array of an element type; `None` if it does not fit.
fn number_into(dtype: DType, number: &Constant) -> Option<Arg> {
    let range = match dtype {
        DType::U8 => 0..=i64::from(u8::MAX),
        DType::I8 => i8::MIN.into()..=i8::MAX.into(),
        DType::I16 => i16::MIN.into()..=i16::MAX.into(),
        DType::I32 => i32::MIN.into()..=i32::MAX.into(),
        _ => i64::MIN..=i64::MAX,
    };
    let class = dtype.class();
    match *number {
        Constant::Bool(value) => Some(Arg::Bool(value)),
        Constant::Int(value) if class >= DTypeClass::Int && range.contains(&value) => Some(Arg::Int(value)),
        Constant::Float(bits) if class >= DTypeClass::Float => {
            let value = f64::from_bits(bits);
            (dtype == DType::F64 || !value.is_finite() || value.abs() <= f64::from(f32::MAX))
                .then_some(Arg::Float(value))
        }
        _ => None,
    }
}

/// True if NumPy casts by its rule `same_kind`.
fn is_same_kind(from: DType, to: DType) -> bool {
    let loses_sign = to == DType::U8 && from.class() == DTypeClass::Int && from != to;
    from.class() <= to.class() && !loses_sign
}

/// True for casts between numbers of one class that hold what they are cast from, and to a class that is wider.
fn is_safe(from: DType, to: DType) -> bool {
    let is_integer = from.class() == DTypeClass::Int && to.class() == DTypeClass::Int;
    is_same_kind(from, to) && !(is_integer && from.size() >= to.size() && from != to)
}
