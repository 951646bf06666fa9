//! `torch.tensor` of a list of numbers, which is spelled out: no operator takes the numbers of a list.

use super::call;
use crate::{
    arg::Arg,
    aten::Aten,
    graph::{Graph, Kind, NodeId},
};
use std::ops::RangeInclusive;
use symshapes::DType;

/// The most numbers of a list that are written one by one.
const MOST: usize = 64;

/// The magnitude below which every integer is a `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A list of lists of numbers.
#[derive(Default)]
struct Literal {
    /// The length of each level.
    sizes: Vec<i64>,
    numbers: Vec<Arg>,
}

impl Literal {
    /// Reads a list; `None` if it holds anything but numbers and lists of one length.
    fn read(list: &Arg) -> Option<Literal> {
        let items = match list {
            Arg::List(items) | Arg::Tuple(items) => items,
            number => return Some(Literal { sizes: Vec::new(), numbers: vec![number.clone()] }),
        };
        let mut whole = Literal { sizes: vec![items.len() as i64], numbers: Vec::new() };
        for (at, item) in items.iter().enumerate() {
            let Literal { sizes, numbers } = Literal::read(item)?;
            if at > 0 && whole.sizes[1..] != sizes {
                return None;
            }
            whole.sizes.truncate(1);
            whole.sizes.extend(sizes);
            whole.numbers.extend(numbers);
        }
        Some(whole)
    }

    /// The element type that torch gives a tensor of these numbers while its default is `float32`.
    fn dtype(&self) -> Option<DType> {
        let kind = |number: &Arg| match number {
            Arg::Bool(_) => Some(DType::Bool),
            Arg::Int(_) => Some(DType::I64),
            Arg::Float(_) => Some(DType::F32),
            _ => None,
        };
        let kinds = self.numbers.iter().map(kind).collect::<Option<Vec<_>>>()?;
        let widest = [DType::F32, DType::I64, DType::Bool].into_iter().find(|dtype| kinds.contains(dtype));
        Some(widest.unwrap_or(DType::F32))
    }

    /// The numbers as elements of a type, cut off where it has no fractions; `None` where torch would refuse one, or
    /// where the type is none of these.
    fn converted(&self, dtype: DType) -> Option<Vec<Arg>> {
        let float = |number: &Arg| match *number {
            Arg::Bool(value) => Some(f64::from(u8::from(value))),
            Arg::Int(value) => Some(value as f64),
            Arg::Float(value) => Some(value),
            _ => None,
        };
        // The largest numbers become infinite in one way of filling a tensor, and are refused in another.
        let within = |number: &Arg, most: f64| {
            let value = float(number)?;
            (!value.is_finite() || value.abs() <= most).then_some(Arg::Float(value))
        };
        let int = |number: &Arg, range: RangeInclusive<i64>| match *number {
            Arg::Bool(value) => Some(Arg::Int(value.into())),
            Arg::Int(value) => range.contains(&value).then_some(Arg::Int(value)),
            Arg::Float(value) => {
                let (least, most) = (*range.start() as f64, *range.end() as f64);
                let is_told = (least..=most).contains(&value) && value.abs() < EXACT;
                is_told.then_some(Arg::Int(value as i64))
            }
            _ => None,
        };
        let convert = |number: &Arg| match dtype {
            DType::F16 => within(number, 65504.0),
            DType::BF16 | DType::F32 => within(number, 3e38),
            DType::F64 => float(number).map(Arg::Float),
            DType::I64 => int(number, i64::MIN..=i64::MAX),
            DType::I32 => int(number, i32::MIN.into()..=i32::MAX.into()),
            DType::I16 => int(number, i16::MIN.into()..=i16::MAX.into()),
            DType::I8 => int(number, i8::MIN.into()..=i8::MAX.into()),
            DType::U8 => int(number, 0..=u8::MAX.into()),
            DType::Bool => float(number).map(|value| Arg::Bool(value != 0.0)),
            _ => None,
        };
        self.numbers.iter().map(convert).collect()
    }
}

/// True for numbers that are the same, bit by bit.
fn is_same(a: &Arg, b: &Arg) -> bool {
    match (a, b) {
        (Arg::Float(a), Arg::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

/// The arguments of a call by name.
type Kwargs = Vec<(String, Arg)>;

/// Lowers `torch.tensor(list, dtype=None, device=None)`; false for any other call.
pub(super) fn lower(graph: &mut Graph, id: NodeId, name: &str) -> bool {
    let node = &graph[id];
    let is_option = |(name, _): &(String, Arg)| matches!(name.as_str(), "dtype" | "device");
    let [list @ (Arg::List(_) | Arg::Tuple(_))] = &node.args[..] else { return false };
    if name != "torch.tensor" || !node.kwargs.iter().all(is_option) {
        return false;
    }
    let Some(literal) = Literal::read(list) else { return false };
    let dtype = match node.kwarg("dtype") {
        Some(Arg::DType(dtype)) => Some(*dtype),
        Some(given) if !given.is_none() => None,
        _ => literal.dtype(),
    };
    let device = node.kwarg("device").map(|device| ("device".to_owned(), device.clone()));
    let spelled = dtype.and_then(|dtype| spell(graph, id, &literal, dtype, device));
    let Some((op, args, kwargs)) = spelled else { return false };
    call(graph, id, op, args);
    graph[id].kwargs = kwargs;
    true
}

/// The tensor of integers, or of one row of booleans, that a list as an index stands for, put before a node; `None` for
/// a list of anything else.
pub(super) fn index(graph: &mut Graph, id: NodeId, list: &Arg) -> Option<Arg> {
    let literal = Literal::read(list)?;
    let dtype = match literal.dtype()? {
        DType::Bool if literal.sizes.len() == 1 => DType::Bool,
        DType::I64 => DType::I64,
        // An empty list picks nothing.
        _ if literal.numbers.is_empty() => DType::I64,
        _ => return None,
    };
    let (op, args, kwargs) = spell(graph, id, &literal, dtype, None)?;
    Some(Arg::Node(graph.insert_before(id, Kind::CallFunction, op, args, kwargs, None)))
}

/// The call that gives a literal's tensor, before which its parts are put before a node; `None` for a list that is too
/// long, or of numbers that the type does not have.
fn spell(
    graph: &mut Graph,
    id: NodeId,
    literal: &Literal,
    dtype: DType,
    device: Option<(String, Arg)>,
) -> Option<(Aten, Vec<Arg>, Kwargs)> {
    if literal.numbers.len() > MOST {
        return None;
    }
    let numbers = literal.converted(dtype)?;
    let options: Kwargs = [Some(("dtype".to_owned(), Arg::DType(dtype))), device].into_iter().flatten().collect();
    let sizes = |sizes: &[i64]| Arg::List(sizes.iter().map(|&size| Arg::Int(size)).collect());
    let whole = sizes(&literal.sizes);
    let (first, rest) = match &numbers[..] {
        [] => (Arg::Int(0), &[][..]),
        [first, rest @ ..] => (first.clone(), rest),
    };
    if rest.iter().all(|number| is_same(number, &first)) {
        return Some((Aten::full_default, vec![whole, first], options));
    }
    let mut before =
        |op: Aten, args, kwargs| Arg::Node(graph.insert_before(id, Kind::CallFunction, op, args, kwargs, None));
    let one = |number| before(Aten::full_default, vec![sizes(&[1]), number], options.clone());
    let parts = Arg::List(numbers.into_iter().map(one).collect());
    Some(match literal.sizes.len() {
        1 => (Aten::cat_default, vec![parts], Vec::new()),
        _ => (Aten::_unsafe_view_default, vec![before(Aten::cat_default, vec![parts], Vec::new()), whole], Vec::new()),
    })
}
