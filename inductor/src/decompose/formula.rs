//! Formulas on elements, written as such: `(x * x + 1.0).sqrt()`.
//!
//! Invariant: the terms of one formula have one dtype, but for conditions, which are `bool`; numbers take the dtype of
//! the term that they stand beside.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use fx::prim::Pointwise;
use symshapes::DType;

use super::{Args, Builder, Rewrite};
use crate::tensor_ir::Tensor;

/// The builder that formulas are written into.
pub(super) struct Formula<'b>(RefCell<&'b mut Builder>);

/// A value on each element.
#[derive(Clone, Copy)]
pub(super) struct Term<'f, 'b> {
    scope: &'f Formula<'b>,
    pub(super) tensor: Tensor,
}

impl<'b> Formula<'b> {
    pub(super) fn new(b: &'b mut Builder) -> Formula<'b> {
        Formula(RefCell::new(b))
    }

    /// A tensor as a term.
    pub(super) fn term(&self, tensor: Tensor) -> Term<'_, 'b> {
        Term { scope: self, tensor }
    }

    /// An argument, in the dtype in which the first result is computed.
    pub(super) fn operand(&self, a: &Args, name: &str) -> Rewrite<Term<'_, 'b>> {
        Ok(self.term(a.operand(&mut self.0.borrow_mut(), name)?))
    }

    /// An argument that may be absent.
    pub(super) fn opt_operand(&self, a: &Args, name: &str) -> Rewrite<Option<Term<'_, 'b>>> {
        Ok(a.opt_operand(&mut self.0.borrow_mut(), name)?.map(|t| self.term(t)))
    }

    /// The tensor that `build` makes, as a term.
    pub(super) fn build(&self, build: impl FnOnce(&mut Builder) -> Tensor) -> Term<'_, 'b> {
        let tensor = build(&mut self.0.borrow_mut());
        self.term(tensor)
    }
}

/// A term or a number.
pub(super) trait Operand<'f, 'b> {
    /// As a term, of the dtype of `like` if it is a number.
    fn beside(self, like: Term<'f, 'b>) -> Tensor;
}

impl<'f, 'b> Operand<'f, 'b> for Term<'f, 'b> {
    fn beside(self, _: Term<'f, 'b>) -> Tensor {
        self.tensor
    }
}

impl<'f, 'b> Operand<'f, 'b> for f64 {
    fn beside(self, like: Term<'f, 'b>) -> Tensor {
        like.scope.0.borrow_mut().lit(self, like.tensor)
    }
}

impl<'f, 'b> Term<'f, 'b> {
    /// A number beside this term.
    pub(super) fn number(self, value: f64) -> Term<'f, 'b> {
        self.scope.term(value.beside(self))
    }

    /// The term [as a tensor of this type would hold it](Builder::rounded).
    pub(super) fn rounded(self, dtype: DType) -> Term<'f, 'b> {
        self.scope.build(|b| b.rounded(self.tensor, dtype))
    }

    /// A primitive of one operand.
    pub(super) fn map(self, op: Pointwise) -> Term<'f, 'b> {
        self.scope.build(|b| b.map(op, &[self.tensor]))
    }

    /// A primitive of two.
    pub(super) fn with(self, op: Pointwise, other: impl Operand<'f, 'b>) -> Term<'f, 'b> {
        let other = other.beside(self);
        self.scope.build(|b| b.map(op, &[self.tensor, other]))
    }

    /// On a condition: `yes` where it holds, else `no`.
    pub(super) fn pick(self, yes: Term<'f, 'b>, no: impl Operand<'f, 'b>) -> Term<'f, 'b> {
        let no = no.beside(yes);
        self.scope.build(|b| b.select(self.tensor, yes.tensor, no))
    }

    /// On a condition: the number where it holds, else `no`.
    pub(super) fn pick_number(self, yes: f64, no: Term<'f, 'b>) -> Term<'f, 'b> {
        let yes = yes.beside(no);
        self.scope.build(|b| b.select(self.tensor, yes, no.tensor))
    }
}

/// Methods of one or two operands, a row each.
macro_rules! methods {
    (unary { $($one:ident => $one_op:ident,)* } binary { $($two:ident => $two_op:ident,)* }) => {
        impl<'f, 'b> Term<'f, 'b> {
            $(pub(super) fn $one(self) -> Term<'f, 'b> { self.map(Pointwise::$one_op) })*
            $(pub(super) fn $two(self, other: impl Operand<'f, 'b>) -> Term<'f, 'b> {
                self.with(Pointwise::$two_op, other)
            })*
        }
    };
}

methods! {
    unary {
        abs => Abs,
        exp => Exp,
        exp2 => Exp2,
        expm1 => Expm1,
        log => Log,
        log1p => Log1p,
        sqrt => Sqrt,
        sin => Sin,
        tanh => Tanh,
        sigmoid => Sigmoid,
        erfc => Erfc,
        trunc => Trunc,
        is_nan => IsNan,
    }
    binary {
        eq => Eq,
        lt => Lt,
        le => Le,
        gt => Gt,
        ge => Ge,
        max => Maximum,
        min => Minimum,
        signed_as => Copysign,
    }
}

/// Operators between terms and numbers, a row each.
macro_rules! operators {
    ($($trait:ident $method:ident => $op:ident;)*) => { $(
        impl<'f, 'b, T: Operand<'f, 'b>> $trait<T> for Term<'f, 'b> {
            type Output = Term<'f, 'b>;
            fn $method(self, other: T) -> Term<'f, 'b> {
                self.with(Pointwise::$op, other)
            }
        }

        impl<'f, 'b> $trait<Term<'f, 'b>> for f64 {
            type Output = Term<'f, 'b>;
            fn $method(self, other: Term<'f, 'b>) -> Term<'f, 'b> {
                let number = self.beside(other);
                other.scope.build(|b| b.map(Pointwise::$op, &[number, other.tensor]))
            }
        }
    )* };
}

operators! {
    Add add => Add;
    Sub sub => Sub;
    Mul mul => Mul;
    Div div => Div;
}

impl<'f, 'b> BitAnd for Term<'f, 'b> {
    type Output = Term<'f, 'b>;
    fn bitand(self, other: Term<'f, 'b>) -> Term<'f, 'b> {
        self.with(Pointwise::And, other)
    }
}

impl<'f, 'b> BitOr for Term<'f, 'b> {
    type Output = Term<'f, 'b>;
    fn bitor(self, other: Term<'f, 'b>) -> Term<'f, 'b> {
        self.with(Pointwise::Or, other)
    }
}

impl<'f, 'b> Not for Term<'f, 'b> {
    type Output = Term<'f, 'b>;
    fn not(self) -> Term<'f, 'b> {
        self.map(Pointwise::Not)
    }
}

impl<'f, 'b> Neg for Term<'f, 'b> {
    type Output = Term<'f, 'b>;
    fn neg(self) -> Term<'f, 'b> {
        self.map(Pointwise::Neg)
    }
}
