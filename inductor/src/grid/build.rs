//! Building a stage: values are shared, folded and placed as far out as their operands allow.
//!
//! Methods take `&self`, so that calls nest as the expressions do that they build.
//!
//! Invariants: a pure value stands in the outermost open block where its operands are defined, once; blocks close in
//! the reverse order of opening; no value of a closed block is used again.

use super::{ArrayData, Binary, Binding, Half, Lanes, Local, Op, Shared, Stmt, Ty, Unary, Val, ValData, Var, eval};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use fx::prim::Pointwise;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A stage under construction.
#[derive(Default)]
pub(super) struct Builder {
    state: RefCell<State>,
    /// Whether comparisons of floats are false for NaN, whatever the device's compiler assumes.
    pub(super) sees_nan: bool,
}

#[derive(Default)]
struct State {
    vals: PrimaryMap<Val, ValData>,
    vars: PrimaryMap<Var, Ty>,
    shared: PrimaryMap<Shared, ArrayData>,
    locals: PrimaryMap<Local, ArrayData>,
    /// The block in which a value is defined, from 0 outermost.
    depth: SecondaryMap<Val, usize>,
    given: FxHashMap<(Op, Ty), Val>,
    blocks: Vec<Block>,
}

/// An open block.
#[derive(Default)]
struct Block {
    stmts: Vec<Stmt>,
    known: FxHashMap<(Op, Ty), Val>,
}

/// The parts of a finished stage.
pub(super) struct Parts {
    pub(super) vals: PrimaryMap<Val, ValData>,
    pub(super) vars: PrimaryMap<Var, Ty>,
    pub(super) shared: PrimaryMap<Shared, ArrayData>,
    pub(super) locals: PrimaryMap<Local, ArrayData>,
    pub(super) body: Vec<Stmt>,
}

impl Builder {
    /// A builder with the stage's body open.
    pub(super) fn new(sees_nan: bool) -> Builder {
        let builder = Builder { sees_nan, ..Builder::default() };
        builder.open();
        builder
    }

    /// The stage's parts; only its body is open.
    pub(super) fn finish(self) -> Parts {
        let body = self.close();
        let State { vals, vars, shared, locals, blocks, .. } = self.state.into_inner();
        debug_assert!(blocks.is_empty(), "every block was closed");
        Parts { vals, vars, shared, locals, body }
    }

    /// Opens a block inside the innermost.
    pub(super) fn open(&self) {
        self.state.borrow_mut().blocks.push(Block::default());
    }

    /// Closes the innermost block.
    pub(super) fn close(&self) -> Vec<Stmt> {
        self.state.borrow_mut().blocks.pop().map(|block| block.stmts).unwrap_or_default()
    }

    /// Appends a statement to the innermost block.
    pub(super) fn push(&self, stmt: Stmt) {
        if let Some(block) = self.state.borrow_mut().blocks.last_mut() {
            block.stmts.push(stmt);
        }
    }

    /// A new variable.
    pub(super) fn var(&self, ty: Ty) -> Var {
        self.state.borrow_mut().vars.push(ty)
    }

    /// A new variable that starts with a value here.
    pub(super) fn var_with(&self, value: Val) -> Var {
        let var = self.var(self.ty(value));
        self.set(var, value);
        var
    }

    /// A new array in workgroup memory.
    pub(super) fn shared(&self, ty: Ty, len: u32) -> Shared {
        self.state.borrow_mut().shared.push(ArrayData { ty, len })
    }

    /// A new array of each thread.
    pub(super) fn local(&self, ty: Ty, len: u32) -> Local {
        self.state.borrow_mut().locals.push(ArrayData { ty, len })
    }

    /// The type of a value.
    pub(super) fn ty(&self, val: Val) -> Ty {
        self.state.borrow().vals[val].ty
    }

    /// The bits of a constant.
    pub(super) fn as_const(&self, val: Val) -> Option<u64> {
        match self.state.borrow().vals[val].op {
            Op::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The block that a value is defined in.
    pub(super) fn depth(&self, val: Val) -> usize {
        self.state.borrow().depth[val]
    }

    /// A value that depends on its operands alone.
    pub(super) fn pure(&self, op: Op, ty: Ty) -> Val {
        if let Some(known) = self.simplify(&op, ty) {
            return known;
        }
        self.state.borrow_mut().place(op, ty)
    }

    /// A value that is computed here.
    pub(super) fn here(&self, op: Op, ty: Ty) -> Val {
        let mut state = self.state.borrow_mut();
        let val = state.vals.push(ValData { op, ty });
        let innermost = state.blocks.len().saturating_sub(1);
        state.depth[val] = innermost;
        if let Some(block) = state.blocks.last_mut() {
            block.stmts.push(Stmt::Let(val));
        }
        val
    }

    /// The counter of a loop whose body is the block that was just opened.
    pub(super) fn counter(&self) -> Val {
        let mut state = self.state.borrow_mut();
        let val = state.vals.push(ValData { op: Op::Counter, ty: Ty::I32 });
        let innermost = state.blocks.len().saturating_sub(1);
        state.depth[val] = innermost;
        val
    }

    /// The elements of a vector of so many that is loaded here.
    pub(super) fn lanes(&self, ty: Ty, count: usize) -> Lanes {
        let mut state = self.state.borrow_mut();
        let innermost = state.blocks.len().saturating_sub(1);
        let lane = |_| {
            let val = state.vals.push(ValData { op: Op::Lane, ty });
            state.depth[val] = innermost;
            val
        };
        (0..count).map(lane).collect()
    }

    /// The value that an operation is known to give.
    fn simplify(&self, op: &Op, ty: Ty) -> Option<Val> {
        let bits = |val: &Val| self.as_const(*val);
        match op {
            Op::Unary(op, a) => Some(self.constant(ty, eval::unary(*op, ty, bits(a)?))),
            Op::Cast(a) if self.ty(*a) == ty => Some(*a),
            Op::Cast(a) => Some(self.constant(ty, eval::cast(self.ty(*a), ty, bits(a)?))),
            Op::Bits(a) if self.ty(*a) == ty => Some(*a),
            Op::Bits(a) => Some(self.constant(ty, bits(a)?)),
            Op::Select(cond, a, b) => match bits(cond) {
                Some(cond) => Some(if cond != 0 { *a } else { *b }),
                None if a == b => Some(*a),
                None => None,
            },
            Op::Fma(a, b, c) => Some(self.constant(ty, eval::fma(ty, bits(a)?, bits(b)?, bits(c)?))),
            Op::Binary(op, a, b) => self.simplify_binary(*op, ty, *a, *b),
            _ => None,
        }
    }

    fn simplify_binary(&self, op: Binary, ty: Ty, a: Val, b: Val) -> Option<Val> {
        let operand = self.ty(a);
        if let (Some(a), Some(b)) = (self.as_const(a), self.as_const(b)) {
            return Some(self.constant(ty, eval::binary(op, operand, a, b)));
        }
        if operand.is_float() {
            return None;
        }
        let all = eval::int_bits(operand, -1);
        match (op, self.as_const(a), self.as_const(b)) {
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => Some(b),
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr, _, Some(0)) => Some(a),
            (Binary::Mul, Some(1), _) => Some(b),
            (Binary::Mul | Binary::Div, _, Some(1)) => Some(a),
            // What has no value worth using is 0, so that no language refuses a constant divisor.
            (Binary::Div | Binary::Rem, _, Some(0)) => Some(self.constant(ty, 0)),
            (Binary::Mul | Binary::And, Some(0), _) | (Binary::Mul | Binary::And, _, Some(0)) => {
                Some(self.constant(ty, 0))
            }
            (Binary::And, Some(bits), _) if bits == all => Some(b),
            (Binary::And, _, Some(bits)) if bits == all => Some(a),
            _ => None,
        }
    }

    /// A constant by its bits.
    pub(super) fn constant(&self, ty: Ty, bits: u64) -> Val {
        self.state.borrow_mut().place(Op::Const(bits), ty)
    }

    /// An `i32`.
    pub(super) fn i32(&self, value: i64) -> Val {
        self.constant(Ty::I32, eval::int_bits(Ty::I32, value))
    }

    /// A `u32`.
    pub(super) fn u32(&self, value: u32) -> Val {
        self.constant(Ty::U32, value.into())
    }

    /// A `bool`.
    pub(super) fn bool(&self, value: bool) -> Val {
        self.constant(Ty::Bool, value.into())
    }

    /// A number of any type, rounded.
    pub(super) fn number(&self, ty: Ty, x: f64) -> Val {
        let bits = if ty.is_float() { eval::float_bits(ty, x) } else { eval::int_bits(ty, x as i64) };
        self.constant(ty, bits)
    }

    /// A number of a value's type.
    pub(super) fn like(&self, val: Val, x: f64) -> Val {
        self.number(self.ty(val), x)
    }

    /// An operation of one operand.
    pub(super) fn unary(&self, op: Unary, a: Val) -> Val {
        self.pure(Op::Unary(op, a), self.ty(a))
    }

    /// An operation of two operands.
    pub(super) fn binary(&self, op: Binary, a: Val, b: Val) -> Val {
        debug_assert_eq!(self.ty(a), self.ty(b), "operands of {op}");
        self.pure(Op::Binary(op, a, b), if op.compares() { Ty::Bool } else { self.ty(a) })
    }

    /// `a * b + c`.
    pub(super) fn fma(&self, a: Val, b: Val, c: Val) -> Val {
        self.pure(Op::Fma(a, b, c), self.ty(a))
    }

    /// `cond ? a : b`
    pub(super) fn select(&self, cond: Val, a: Val, b: Val) -> Val {
        debug_assert_eq!(self.ty(a), self.ty(b), "branches of a selection");
        self.pure(Op::Select(cond, a, b), self.ty(a))
    }

    /// A number as another type.
    pub(super) fn cast(&self, ty: Ty, a: Val) -> Val {
        self.pure(Op::Cast(a), ty)
    }

    /// The bits as another type.
    pub(super) fn bits(&self, ty: Ty, a: Val) -> Val {
        self.pure(Op::Bits(a), ty)
    }

    /// The bits of an `f32` rounded to 16 bits.
    pub(super) fn narrow(&self, half: Half, a: Val) -> Val {
        self.pure(Op::Narrow(half, a), Ty::U32)
    }

    /// The `f32` of a float of 16 bits.
    pub(super) fn widen(&self, half: Half, a: Val) -> Val {
        self.pure(Op::Widen(half, a), Ty::F32)
    }

    /// A function that the device has.
    pub(super) fn call(&self, op: Pointwise, args: &[Val]) -> Val {
        self.pure(Op::Call(op, args.into()), self.ty(args[0]))
    }

    /// A variable's value.
    pub(super) fn get(&self, var: Var) -> Val {
        let ty = self.state.borrow().vars[var];
        self.here(Op::Get(var), ty)
    }

    /// Sets a variable.
    pub(super) fn set(&self, var: Var, value: Val) {
        self.push(Stmt::Set(var, value));
    }

    /// An element of a buffer.
    pub(super) fn load(&self, binding: Binding, ty: Ty, index: Val) -> Val {
        self.here(Op::Load(binding, index), ty)
    }

    /// An element of an array of the thread.
    pub(super) fn load_local(&self, local: Local, index: Val) -> Val {
        let ty = self.state.borrow().locals[local].ty;
        self.here(Op::LoadLocal(local, index), ty)
    }

    /// Writes an element of an array of the thread.
    pub(super) fn store_local(&self, local: Local, index: Val, value: Val) {
        self.push(Stmt::StoreLocal { local, index, value });
    }

    /// An element of workgroup memory.
    pub(super) fn load_shared(&self, shared: Shared, index: Val) -> Val {
        let ty = self.state.borrow().shared[shared].ty;
        self.here(Op::LoadShared(shared, index), ty)
    }
}

macro_rules! binary {
    ($($name:ident $op:ident;)*) => {
        impl Builder {
            $(
                #[doc = concat!("[`Binary::", stringify!($op), "`]")]
                pub(super) fn $name(&self, a: Val, b: Val) -> Val {
                    self.binary(Binary::$op, a, b)
                }
            )*
        }
    };
}

binary! {
    add Add; sub Sub; mul Mul; div Div; and And; or Or; xor Xor; shl Shl; shr Shr; min Min; max Max;
    eq Eq; ne Ne; lt Lt; le Le; gt Gt; ge Ge;
}

impl State {
    /// The value of a pure operation, in the outermost block that it can stand in.
    fn place(&mut self, op: Op, ty: Ty) -> Val {
        let key = (op, ty);
        if key.0.is_given() {
            let State { vals, given, .. } = self;
            let mut make = |key: &(Op, Ty)| vals.push(ValData { op: key.0.clone(), ty: key.1 });
            return match given.get(&key) {
                Some(&known) => known,
                None => {
                    let val = make(&key);
                    given.insert(key, val);
                    val
                }
            };
        }
        let mut depth = 0;
        key.0.operands(|operand| depth = depth.max(self.depth[operand]));
        if let Some(&known) = self.blocks[depth].known.get(&key) {
            return known;
        }
        let val = self.vals.push(ValData { op: key.0.clone(), ty });
        self.depth[val] = depth;
        self.blocks[depth].stmts.push(Stmt::Let(val));
        self.blocks[depth].known.insert(key, val);
        val
    }
}
