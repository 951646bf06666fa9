//! Signatures of Python functions whose parameters are not those of the overloads behind them.
//!
//! [`signature!`] writes one with the values that the parameters of the overload get, in order:
//! `(x, n = 1, mode: fixed = None) => x, n`. Each parameter is a variable of that expression, so that one that does not
//! exist does not compile. `fixed` is for a parameter that must have its default. After `;` come keyword arguments of
//! the same names.

use crate::arg::Arg;

/// Binds a call by a signature; `None` if it does not fit.
pub(super) type Signature = fn(&mut Given<'_>) -> Option<Signed>;

/// The overload's arguments.
pub(super) struct Signed {
    pub(super) args: Vec<Arg>,
    pub(super) kwargs: Vec<(String, Arg)>,
}

/// The arguments of a call that are not bound yet.
pub(super) struct Given<'a> {
    positional: std::slice::Iter<'a, Arg>,
    keywords: &'a [(String, Arg)],
    used: usize,
    /// True if the call has `inplace=True`.
    pub(super) in_place: bool,
}

impl<'a> Given<'a> {
    pub(super) fn new(args: &'a [Arg], keywords: &'a [(String, Arg)]) -> Given<'a> {
        Given { positional: args.iter(), keywords, used: 0, in_place: false }
    }

    /// The next parameter; `None` if it has neither argument nor default.
    pub(super) fn bind(&mut self, name: &str, default: Option<Arg>) -> Option<Arg> {
        let keyword = self.keywords.iter().find(|(keyword, _)| keyword == name).map(|(_, value)| value);
        self.used += usize::from(keyword.is_some());
        let value = self.positional.next().or(keyword).cloned().or(default)?;
        self.in_place |= name == "inplace" && value == Arg::Bool(true);
        Some(value)
    }

    /// The next parameter, which must have this value.
    pub(super) fn bind_fixed(&mut self, name: &str, value: &Arg) -> Option<Arg> {
        self.bind(name, Some(value.clone())).filter(|given| given == value)
    }

    /// True if every argument is bound.
    pub(super) fn is_bound(&self) -> bool {
        self.positional.as_slice().is_empty() && self.used == self.keywords.len()
    }
}

/// A [`Signature`].
macro_rules! signature {
    (($($name:ident $(: $fixed:ident)? $(= $default:expr)?),*) => $($arg:expr),* $(; $($keyword:ident),*)?) => {
        |given| {
            $(
                #[allow(unused_variables)]
                let $name = signature!(@bind given, $name $(: $fixed)? $(= $default)?)?;
            )*
            given.is_bound().then_some(())?;
            let kwargs = vec![$($((stringify!($keyword).to_owned(), $keyword)),*)?];
            Some($crate::torch_ops::signature::Signed { args: vec![$($arg),*], kwargs })
        }
    };
    (@bind $given:ident, $name:ident) => { $given.bind(stringify!($name), None) };
    (@bind $given:ident, $name:ident = $default:expr) => { $given.bind(stringify!($name), Some(Literal::arg($default))) };
    (@bind $given:ident, $name:ident: fixed = $value:expr) => { $given.bind_fixed(stringify!($name), &Literal::arg($value)) };
}
pub(super) use signature;

/// A value that Rust writes as Python does.
pub(super) trait Literal {
    fn arg(self) -> Arg;
}

impl Literal for bool {
    fn arg(self) -> Arg {
        Arg::Bool(self)
    }
}

impl Literal for i64 {
    fn arg(self) -> Arg {
        Arg::Int(self)
    }
}

impl Literal for f64 {
    fn arg(self) -> Arg {
        Arg::Float(self)
    }
}

impl Literal for &str {
    fn arg(self) -> Arg {
        Arg::Str(self.to_owned())
    }
}

impl Literal for Option<Arg> {
    fn arg(self) -> Arg {
        self.unwrap_or(Arg::None)
    }
}

/// An integer.
pub(super) fn int(value: i64) -> Arg {
    Arg::Int(value)
}

/// A list without elements.
pub(super) fn empty() -> Arg {
    Arg::List(Vec::new())
}

/// `value`, or another one for `None`.
pub(super) fn or(value: Arg, other: Arg) -> Arg {
    if value.is_none() { other } else { value }
}

/// The number that ATen has for a reduction.
pub(super) fn reduction_of(name: &Arg) -> Option<Arg> {
    let number = ["none", "mean", "sum"].iter().position(|known| name.as_str() == Some(known))?;
    Some(Arg::Int(number as i64))
}

/// The order of a norm of vectors that `torch.norm` takes; `None` for one of matrices.
pub(super) fn vector_order(p: &Arg, dim: &Arg) -> Option<Arg> {
    match p {
        Arg::Int(_) | Arg::Float(_) => Some(p.clone()),
        Arg::None => Some(Arg::Float(2.0)),
        Arg::Str(name) if name == "fro" && dim.as_list().is_none_or(|dims| dims.len() <= 2) => Some(Arg::Int(2)),
        _ => None,
    }
}

/// A list, or one number as a list.
pub(super) fn one_or_more(value: Arg) -> Arg {
    match value {
        Arg::Int(_) => Arg::List(vec![value]),
        value => value,
    }
}
