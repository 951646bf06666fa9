//! Binds the arguments of a call to the parameters of an overload, as a Python call does.

use super::{Aten, Overload, schema::Type};
use crate::{arg::Arg, node::NodeId};
use symshapes::{DType, Device};

/// A call that does not fit its schema.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BindError {
    /// More positional arguments than parameters.
    #[error("{op}: {given} positional arguments, at most {most}")]
    TooMany {
        /// The overload.
        op: String,
        /// The number of positional arguments in the call.
        given: usize,
        /// The number of positional parameters in the schema.
        most: usize,
    },
    /// A keyword that no parameter has.
    #[error("{op}: no parameter `{name}`")]
    Unknown {
        /// The overload.
        op: String,
        /// The keyword.
        name: String,
    },
    /// A parameter given twice.
    #[error("{op}: `{name}` given twice")]
    Twice {
        /// The overload.
        op: String,
        /// The parameter.
        name: String,
    },
    /// A parameter without an argument and without a default.
    #[error("{op}: `{name}` is missing")]
    Missing {
        /// The overload.
        op: String,
        /// The parameter.
        name: String,
    },
    /// An argument of another kind than the one asked for.
    #[error("{op}: `{name}` is not {wanted}: {given:?}")]
    Kind {
        /// The overload.
        op: String,
        /// The parameter.
        name: String,
        /// The kind asked for.
        wanted: &'static str,
        /// The argument in the call.
        given: Arg,
    },
    /// A dimension that the tensor does not have.
    #[error("{op}: dimension {dim} of rank {rank}")]
    Dimension {
        /// The overload.
        op: String,
        /// The dimension in the call.
        dim: i64,
        /// The rank of the tensor; a number counts as having one dimension.
        rank: usize,
    },
}

type Result<T> = std::result::Result<T, BindError>;

/// A call's arguments, one for each parameter, defaults filled in.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    overload: &'static Overload,
    values: Vec<&'a Arg>,
}

/// A dimension counted from the front, given one that counts from the end if negative. A tensor without dimensions
/// counts as having one, as in torch (`maybe_wrap_dim`).
pub fn wrap_dim(dim: i64, rank: usize) -> Option<usize> {
    let rank = rank.max(1) as i64;
    let wrapped = if dim < 0 { dim + rank } else { dim };
    (0..rank).contains(&wrapped).then_some(wrapped as usize)
}

impl Aten {
    /// Binds `args` and `kwargs` to the parameters.
    pub fn bind<'a>(self, args: &'a [Arg], kwargs: &'a [(String, Arg)]) -> Result<Bound<'a>> {
        let schema = &self.overload().schema;
        let params = &schema.params;
        let most = params.iter().take_while(|p| !p.kwarg_only).count();
        if args.len() > most {
            return Err(BindError::TooMany { op: self.name().to_owned(), given: args.len(), most });
        }
        let mut given: Vec<Option<&'a Arg>> = args.iter().map(Some).collect();
        given.resize(params.len(), None);
        for (name, value) in kwargs {
            let (op, name) = (self.name().to_owned(), name.clone());
            match schema.position(&name) {
                None => return Err(BindError::Unknown { op, name }),
                Some(i) if given[i].is_some() => return Err(BindError::Twice { op, name }),
                Some(i) => given[i] = Some(value),
            }
        }
        let filled = given.into_iter().zip(params).map(|(value, param)| {
            let missing = || BindError::Missing { op: self.name().to_owned(), name: param.name.clone() };
            value.or(param.default.as_ref()).ok_or_else(missing)
        });
        Ok(Bound { overload: self.overload(), values: filled.collect::<Result<_>>()? })
    }
}

impl<'a> Bound<'a> {
    /// The overload that the arguments are bound to.
    pub fn op(&self) -> Aten {
        self.overload.op
    }

    /// The argument of parameter `name`; `None` where the schema has no such parameter (a bug of the caller).
    pub fn get(&self, name: &str) -> &'a Arg {
        let position = self.overload.schema.position(name);
        debug_assert!(position.is_some(), "{} has no parameter `{name}`", self.op());
        position.map_or(&Arg::None, |i| self.values[i])
    }

    /// True if the overload has a parameter `name`.
    pub fn has(&self, name: &str) -> bool {
        self.overload.schema.position(name).is_some()
    }

    /// The arguments in the order of the parameters.
    pub fn values(&self) -> &[&'a Arg] {
        &self.values
    }

    fn kind<T>(&self, name: &str, wanted: &'static str) -> Result<T> {
        let (op, given) = (self.op().name().to_owned(), self.get(name).clone());
        Err(BindError::Kind { op, name: name.to_owned(), wanted, given })
    }

    /// The node that `name` refers to, if it does.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        match self.get(name) {
            Arg::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// The nodes of a list of tensors; an element that is no node (`None` in a `Tensor?[]`) is `None`.
    pub fn nodes(&self, name: &str) -> Result<Vec<Option<NodeId>>> {
        match self.list(name) {
            Some(items) => Ok(items.iter().map(|a| if let Arg::Node(n) = a { Some(*n) } else { None }).collect()),
            None => self.kind(name, "a list of tensors"),
        }
    }

    /// The elements of a list or tuple, if it is one.
    pub fn list(&self, name: &str) -> Option<&'a [Arg]> {
        match self.get(name) {
            Arg::List(items) | Arg::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// An integer that is no symbol.
    pub fn int(&self, name: &str) -> Result<i64> {
        match self.opt_int(name)? {
            Some(value) => Ok(value),
            None => self.kind(name, "an int"),
        }
    }

    /// An integer or `None`.
    pub fn opt_int(&self, name: &str) -> Result<Option<i64>> {
        match self.get(name) {
            Arg::None => Ok(None),
            arg => match arg_int(arg) {
                Some(value) => Ok(Some(value)),
                None => self.kind(name, "an int"),
            },
        }
    }

    /// A list of integers. One integer for a parameter of `n` stands for `n` equal ones, as torch has it; so does a
    /// list of one.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        match self.opt_ints(name)? {
            Some(values) => Ok(values),
            None => self.kind(name, "a list of ints"),
        }
    }

    /// A list of integers or `None`.
    pub fn opt_ints(&self, name: &str) -> Result<Option<Vec<i64>>> {
        let values = match self.get(name) {
            Arg::None => return Ok(None),
            Arg::List(items) | Arg::Tuple(items) => items.iter().map(arg_int).collect::<Option<Vec<i64>>>(),
            one => arg_int(one).map(|value| vec![value]),
        };
        match (values, self.length(name)) {
            (Some(values), Some(n)) if values.len() == 1 => Ok(Some(vec![values[0]; n])),
            (Some(values), _) => Ok(Some(values)),
            (None, _) => self.kind(name, "a list of ints"),
        }
    }

    /// A dimension of a tensor of this rank, counted from the end if negative.
    pub fn dim(&self, name: &str, rank: usize) -> Result<usize> {
        self.wrap(self.int(name)?, rank)
    }

    /// A dimension that is counted from the end if negative, counted from the front.
    pub fn wrap(&self, dim: i64, rank: usize) -> Result<usize> {
        let missing = || BindError::Dimension { op: self.op().name().to_owned(), dim, rank: rank.max(1) };
        wrap_dim(dim, rank).ok_or_else(missing)
    }

    /// The dimensions that a list names; all of them where it is empty or absent.
    pub fn dims(&self, name: &str, rank: usize) -> Result<Vec<usize>> {
        let named = if self.has(name) { self.opt_ints(name)? } else { None };
        match named {
            Some(dims) if !dims.is_empty() => dims.into_iter().map(|dim| self.wrap(dim, rank)).collect(),
            _ => Ok((0..rank).collect()),
        }
    }

    /// The length that the schema gives for a list parameter.
    fn length(&self, name: &str) -> Option<usize> {
        let position = self.overload.schema.position(name)?;
        match self.overload.schema.params[position].ty.required() {
            Type::List(_, length) => *length,
            _ => None,
        }
    }

    /// A bool; an integer counts as Python's truth value of it.
    pub fn bool(&self, name: &str) -> Result<bool> {
        match self.opt_bool(name)? {
            Some(value) => Ok(value),
            None => self.kind(name, "a bool"),
        }
    }

    /// A bool or `None`.
    pub fn opt_bool(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            Arg::None => Ok(None),
            Arg::Bool(b) => Ok(Some(*b)),
            Arg::Int(i) => Ok(Some(*i != 0)),
            _ => self.kind(name, "a bool"),
        }
    }

    /// A number as a float.
    pub fn float(&self, name: &str) -> Result<f64> {
        match self.opt_float(name)? {
            Some(value) => Ok(value),
            None => self.kind(name, "a float"),
        }
    }

    /// A number as a float, or `None`.
    pub fn opt_float(&self, name: &str) -> Result<Option<f64>> {
        match self.get(name) {
            Arg::None => Ok(None),
            Arg::Float(x) => Ok(Some(*x)),
            Arg::Int(i) => Ok(Some(*i as f64)),
            Arg::Bool(b) => Ok(Some((*b).into())),
            _ => self.kind(name, "a float"),
        }
    }

    /// A string.
    pub fn str(&self, name: &str) -> Result<&'a str> {
        match self.get(name) {
            Arg::Str(text) => Ok(text),
            _ => self.kind(name, "a str"),
        }
    }

    /// A dtype or `None`.
    pub fn opt_dtype(&self, name: &str) -> Result<Option<DType>> {
        match self.get(name) {
            Arg::None => Ok(None),
            Arg::DType(dtype) => Ok(Some(*dtype)),
            _ => self.kind(name, "a dtype"),
        }
    }

    /// A device or `None`.
    pub fn opt_device(&self, name: &str) -> Result<Option<Device>> {
        match self.get(name) {
            Arg::None => Ok(None),
            Arg::Device(device) => Ok(Some(*device)),
            _ => self.kind(name, "a device"),
        }
    }

    /// A memory format by name, or `None`.
    pub fn opt_memory_format(&self, name: &str) -> Result<Option<&'a str>> {
        match self.get(name) {
            Arg::None => Ok(None),
            Arg::MemoryFormat(format) => Ok(Some(format)),
            _ => self.kind(name, "a memory format"),
        }
    }
}

fn arg_int(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Int(i) => Some(*i),
        Arg::Bool(b) => Some((*b).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_fill_in_and_single_ints_broadcast() {
        let pool = Aten::max_pool2d_with_indices_default;
        let args = [Arg::None, Arg::Int(3), Arg::List(vec![Arg::Int(2), Arg::Int(1)])];
        let kwargs = [("ceil_mode".to_owned(), Arg::Bool(true))];
        let bound = pool.bind(&args, &kwargs).expect("fits");
        assert_eq!(bound.ints("kernel_size"), Ok(vec![3, 3]));
        assert_eq!(bound.ints("stride"), Ok(vec![2, 1]));
        assert_eq!(bound.ints("dilation"), Ok(vec![1, 1]));
        assert_eq!(bound.bool("ceil_mode"), Ok(true));
        assert_eq!(bound.node("self"), None);
        assert!(bound.float("stride").is_err());
    }

    #[test]
    fn calls_that_do_not_fit_say_why() {
        let add = Aten::add_Tensor;
        let (x, alpha) = (Arg::Int(1), vec![("alpha".to_owned(), Arg::Int(2))]);
        let say = |args: &[Arg], kwargs: &[(String, Arg)]| match add.bind(args, kwargs) {
            Ok(_) => "fits".to_owned(),
            Err(e) => e.to_string(),
        };
        assert_eq!(say(std::slice::from_ref(&x), &alpha), "add.Tensor: `other` is missing");
        assert_eq!(say(&[x.clone(), x.clone(), x.clone()], &[]), "add.Tensor: 3 positional arguments, at most 2");
        assert_eq!(say(&[x.clone(), x.clone()], &[("beta".to_owned(), x.clone())]), "add.Tensor: no parameter `beta`");
        assert_eq!(say(&[x.clone(), x.clone()], &[("self".to_owned(), x.clone())]), "add.Tensor: `self` given twice");
        assert_eq!(say(&[x.clone(), x], &alpha), "fits");
    }
}
