//! A thin layer over LLVM's builder: every operation takes a scalar or a vector of any width alike.
//!
//! Invariants: the operands of one operation have one type; stack slots are made in the entry block, which holds
//! nothing else.

use crate::target::Host;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, VectorType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, InstructionOpcode, IntValue};
use inkwell::{AddressSpace, FloatPredicate, IntPredicate};
use symshapes::DType;

/// A scalar or a vector.
pub(crate) type Val<'c> = BasicValueEnum<'c>;

/// The type of a scalar, or of one lane, in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elem {
    I1,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

impl Elem {
    /// The register type of a dtype: `bool` is one bit, half floats are their bits.
    pub(crate) fn of(dtype: DType) -> Option<Elem> {
        match dtype {
            DType::Bool => Some(Elem::I1),
            DType::U8 | DType::I8 => Some(Elem::I8),
            DType::I16 | DType::F16 | DType::BF16 => Some(Elem::I16),
            DType::I32 => Some(Elem::I32),
            DType::I64 => Some(Elem::I64),
            DType::F32 => Some(Elem::F32),
            DType::F64 => Some(Elem::F64),
            DType::C64 | DType::C128 => None,
        }
    }

    /// The type in memory: `bool` is a byte.
    pub(crate) fn memory(self) -> Elem {
        if self == Elem::I1 { Elem::I8 } else { self }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Elem::I1 | Elem::I8 => 1,
            Elem::I16 => 2,
            Elem::I32 | Elem::F32 => 4,
            Elem::I64 | Elem::F64 => 8,
        }
    }

    /// Bits in a register.
    pub(crate) fn width(self) -> u32 {
        if self == Elem::I1 { 1 } else { 8 * self.bytes() }
    }

    /// The integer type of the same width.
    pub(crate) fn bits(self) -> Elem {
        match self {
            Elem::F32 => Elem::I32,
            Elem::F64 => Elem::I64,
            int => int,
        }
    }
}

/// The reason why building cannot fail: every method keeps the types right.
pub(super) const TYPED: &str = "operands have the types that the operation takes";

/// One function under construction, in a module of its own.
pub(crate) struct Ir<'c> {
    pub(crate) context: &'c Context,
    pub(crate) module: Module<'c>,
    pub(crate) b: Builder<'c>,
    pub(crate) host: &'static Host,
    pub(super) function: FunctionValue<'c>,
    pub(super) slots: Builder<'c>,
    start: BasicBlock<'c>,
}

impl<'c> Ir<'c> {
    /// Starts a kernel's function and stands at the beginning of its body.
    pub(crate) fn new(context: &'c Context, symbol: &str, host: &'static Host) -> Ir<'c> {
        let module = context.create_module(symbol);
        let (pointer, int) = (context.ptr_type(AddressSpace::default()), context.i64_type());
        let params: [BasicMetadataTypeEnum; 5] =
            [pointer.into(), pointer.into(), pointer.into(), int.into(), int.into()];
        let function = module.add_function(symbol, context.void_type().fn_type(&params, false), None);
        set_attributes(context, host, function);
        let (b, slots) = (context.create_builder(), context.create_builder());
        slots.position_at_end(context.append_basic_block(function, "entry"));
        let start = context.append_basic_block(function, "start");
        b.position_at_end(start);
        Ir { context, module, b, host, function, slots, start }
    }

    /// Ends the function.
    pub(crate) fn finish(self) -> Module<'c> {
        self.b.build_return(None).expect(TYPED);
        self.slots.build_unconditional_branch(self.start).expect(TYPED);
        self.module
    }

    /// An argument of the function.
    pub(crate) fn argument(&self, at: u32) -> Val<'c> {
        self.function.get_nth_param(at).expect("the signature has five arguments")
    }

    // Types and constants.

    /// The type of `lanes` elements; one lane is a scalar.
    pub(crate) fn ty(&self, elem: Elem, lanes: u32) -> BasicTypeEnum<'c> {
        let c = self.context;
        let scalar: BasicTypeEnum<'c> = match elem {
            Elem::I1 => c.bool_type().into(),
            Elem::I8 => c.i8_type().into(),
            Elem::I16 => c.i16_type().into(),
            Elem::I32 => c.i32_type().into(),
            Elem::I64 => c.i64_type().into(),
            Elem::F32 => c.f32_type().into(),
            Elem::F64 => c.f64_type().into(),
        };
        vector_of(scalar, lanes)
    }

    /// A constant in every lane of the shape of `like`.
    pub(crate) fn int(&self, elem: Elem, lanes: u32, value: i64) -> Val<'c> {
        let scalar = self.ty(elem, 1).into_int_type().const_int(value as u64, true);
        if lanes == 1 { scalar.into() } else { VectorType::const_vector(&vec![scalar; lanes as usize]).into() }
    }

    /// A float constant in every lane.
    pub(crate) fn float(&self, elem: Elem, lanes: u32, value: f64) -> Val<'c> {
        let scalar = self.ty(elem, 1).into_float_type().const_float(value);
        if lanes == 1 { scalar.into() } else { VectorType::const_vector(&vec![scalar; lanes as usize]).into() }
    }

    /// An `i64` constant.
    pub(crate) fn i64(&self, value: i64) -> IntValue<'c> {
        self.context.i64_type().const_int(value as u64, true)
    }

    /// `0, 1, …` as `i64` lanes, times `stride`.
    pub(crate) fn ramp(&self, lanes: u32, stride: i64) -> Val<'c> {
        let steps: Vec<_> = (0..i64::from(lanes)).map(|k| self.i64(k.wrapping_mul(stride))).collect();
        VectorType::const_vector(&steps).into()
    }

    /// A mask whose first `count` lanes are set.
    pub(crate) fn first_lanes(&self, lanes: u32, count: u32) -> Val<'c> {
        let bit = self.context.bool_type();
        let bits: Vec<_> = (0..lanes).map(|k| bit.const_int(u64::from(k < count), false)).collect();
        VectorType::const_vector(&bits).into()
    }

    /// A mask whose first `count` lanes are set, for a count known at run time.
    pub(crate) fn lanes_below(&self, lanes: u32, count: IntValue<'c>) -> Val<'c> {
        self.icmp(IntPredicate::SLT, self.ramp(lanes, 1), self.splat(count.into(), lanes))
    }

    /// A constant like `v`, lane for lane (an integer or a float, by the type of `v`).
    pub(crate) fn like(&self, v: Val<'c>, value: f64) -> Val<'c> {
        match elem(v) {
            e @ (Elem::F32 | Elem::F64) => self.float(e, lanes(v), value),
            e => self.int(e, lanes(v), value as i64),
        }
    }

    /// The float constant of these bits, like `v`.
    pub(crate) fn bits_like(&self, v: Val<'c>, bits: i64) -> Val<'c> {
        self.int(elem(v).bits(), lanes(v), bits)
    }

    // Arithmetic.

    fn bin(&self, op: InstructionOpcode, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.b.build_binop(op, a, b, "").expect(TYPED)
    }

    /// Converts between element types of known kinds.
    pub(crate) fn cast(&self, op: InstructionOpcode, v: Val<'c>, to: Elem) -> Val<'c> {
        self.b.build_cast(op, v, self.ty(to, lanes(v)), "").expect(TYPED)
    }

    /// Reinterprets the bits as another type of the same width.
    pub(crate) fn bitcast(&self, v: Val<'c>, to: Elem) -> Val<'c> {
        if elem(v) == to { v } else { self.cast(InstructionOpcode::BitCast, v, to) }
    }

    /// Compares floats.
    pub(crate) fn fcmp(&self, p: FloatPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (a, b) {
            (Val::FloatValue(a), Val::FloatValue(b)) => self.b.build_float_compare(p, a, b, "").expect(TYPED).into(),
            _ => {
                let (a, b) = (a.into_vector_value(), b.into_vector_value());
                self.b.build_float_compare(p, a, b, "").expect(TYPED).into()
            }
        }
    }

    /// Compares integers.
    pub(crate) fn icmp(&self, p: IntPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (a, b) {
            (Val::IntValue(a), Val::IntValue(b)) => self.b.build_int_compare(p, a, b, "").expect(TYPED).into(),
            _ => {
                let (a, b) = (a.into_vector_value(), b.into_vector_value());
                self.b.build_int_compare(p, a, b, "").expect(TYPED).into()
            }
        }
    }

    /// `cond ? a : b`, lane by lane or as a whole.
    pub(crate) fn select(&self, cond: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match cond {
            Val::IntValue(c) => self.b.build_select(c, a, b, "").expect(TYPED),
            _ => self.b.build_select(cond.into_vector_value(), a, b, "").expect(TYPED),
        }
    }

    /// True where a float is NaN.
    pub(crate) fn is_nan(&self, a: Val<'c>) -> Val<'c> {
        self.fcmp(FloatPredicate::UNO, a, a)
    }

    /// The complement of an integer or a mask.
    pub(crate) fn not(&self, a: Val<'c>) -> Val<'c> {
        self.xor(a, self.int(elem(a), lanes(a), -1))
    }

    /// `-a` of a float.
    pub(crate) fn fneg(&self, a: Val<'c>) -> Val<'c> {
        match a {
            Val::FloatValue(a) => self.b.build_float_neg(a, "").expect(TYPED).into(),
            _ => self.b.build_float_neg(a.into_vector_value(), "").expect(TYPED).into(),
        }
    }

    /// An intrinsic overloaded on the type of its first argument.
    pub(crate) fn intrinsic(&self, name: &str, args: &[Val<'c>]) -> Val<'c> {
        self.intrinsic_on(name, &[args[0].get_type()], args)
    }

    /// An intrinsic overloaded on `types`.
    pub(crate) fn intrinsic_on(&self, name: &str, types: &[BasicTypeEnum<'c>], args: &[Val<'c>]) -> Val<'c> {
        self.call_intrinsic(name, types, args).expect("the intrinsic gives a value")
    }

    /// An intrinsic that may give nothing.
    pub(crate) fn call_intrinsic(&self, name: &str, types: &[BasicTypeEnum<'c>], args: &[Val<'c>]) -> Option<Val<'c>> {
        let found = Intrinsic::find(name).expect("LLVM 19 has the intrinsic");
        let function = found.get_declaration(&self.module, types).expect("the overload exists");
        let args: Vec<BasicMetadataValueEnum<'c>> = args.iter().map(|&a| a.into()).collect();
        self.b.build_call(function, &args, "").expect(TYPED).try_as_basic_value().basic()
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn fma(&self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.intrinsic("llvm.fma", &[a, b, c])
    }

    /// `a * b + c`, rounded once where that is one instruction.
    pub(crate) fn mad(&self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        if self.host.fma { self.fma(a, b, c) } else { self.fadd(self.fmul(a, b), c) }
    }

    /// True if any lane is.
    pub(crate) fn any(&self, mask: Val<'c>) -> Val<'c> {
        self.intrinsic("llvm.vector.reduce.or", &[mask])
    }

    // Shuffles.

    /// A scalar in every lane.
    pub(crate) fn splat(&self, v: Val<'c>, lanes: u32) -> Val<'c> {
        if lanes == 1 {
            return v;
        }
        let undef = vector_of(v.get_type(), lanes).into_vector_type().get_poison();
        let one = self.b.build_insert_element(undef, v, self.lane(0), "").expect(TYPED);
        self.shuffle(one.into(), |_| 0)
    }

    /// Permutes lanes: lane `k` of the result is lane `from(k)` of `v`.
    pub(crate) fn shuffle(&self, v: Val<'c>, from: impl Fn(u32) -> u32) -> Val<'c> {
        self.pick(v, lanes(v), from)
    }

    /// The first of each pair of lanes.
    pub(crate) fn every_second(&self, v: Val<'c>) -> Val<'c> {
        self.pick(v, lanes(v) / 2, |k| 2 * k)
    }

    /// Each lane twice.
    pub(crate) fn each_twice(&self, v: Val<'c>) -> Val<'c> {
        self.pick(v, 2 * lanes(v), |k| k / 2)
    }

    /// A mask that has the first of each pair of lanes.
    pub(crate) fn first_of_pairs(&self, lanes: u32) -> Val<'c> {
        let bit = self.context.bool_type();
        let bits: Vec<_> = (0..lanes).map(|k| bit.const_int(u64::from(k % 2 == 0), false)).collect();
        VectorType::const_vector(&bits).into()
    }

    /// `count` lanes, of which lane `k` is lane `from(k)` of `v`.
    fn pick(&self, v: Val<'c>, count: u32, from: impl Fn(u32) -> u32) -> Val<'c> {
        let v = v.into_vector_value();
        let index = self.context.i32_type();
        let mask: Vec<_> = (0..count).map(|k| index.const_int(u64::from(from(k)), false)).collect();
        let poison = v.get_type().get_poison();
        self.b.build_shuffle_vector(v, poison, VectorType::const_vector(&mask), "").expect(TYPED).into()
    }

    /// `count` lanes of `v` from `first` on.
    pub(crate) fn part(&self, v: Val<'c>, first: u32, count: u32) -> Val<'c> {
        self.pick(v, count, |k| first + k)
    }

    /// One lane.
    pub(crate) fn extract(&self, v: Val<'c>, lane: IntValue<'c>) -> Val<'c> {
        self.b.build_extract_element(v.into_vector_value(), lane, "").expect(TYPED)
    }

    /// `v` with one lane replaced.
    pub(crate) fn insert(&self, v: Val<'c>, x: Val<'c>, lane: u32) -> Val<'c> {
        self.b.build_insert_element(v.into_vector_value(), x, self.lane(lane), "").expect(TYPED).into()
    }

    /// A lane's number.
    pub(crate) fn lane(&self, lane: u32) -> IntValue<'c> {
        self.context.i32_type().const_int(u64::from(lane), false)
    }
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl<'c> Ir<'c> {
            $($(#[$doc])*
            pub(crate) fn $name(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
                self.bin(InstructionOpcode::$op, a, b)
            })*
        }
    };
}

binary! {
    /// Float sum.
    fadd FAdd;
    /// Float difference.
    fsub FSub;
    /// Float product.
    fmul FMul;
    /// Float quotient.
    fdiv FDiv;
    /// Integer sum, wrapping.
    add Add;
    /// Integer difference, wrapping.
    sub Sub;
    /// Integer product, wrapping.
    mul Mul;
    /// Signed quotient, truncating.
    sdiv SDiv;
    /// Unsigned quotient.
    udiv UDiv;
    /// Signed remainder.
    srem SRem;
    /// Unsigned remainder.
    urem URem;
    /// Bitwise and.
    and And;
    /// Bitwise or.
    or Or;
    /// Bitwise exclusive or.
    xor Xor;
    /// Shift left.
    shl Shl;
    /// Logical shift right.
    lshr LShr;
    /// Arithmetic shift right.
    ashr AShr;
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident $intrinsic:literal;)*) => {
        impl<'c> Ir<'c> {
            $($(#[$doc])*
            pub(crate) fn $name(&self, a: Val<'c>) -> Val<'c> {
                self.intrinsic($intrinsic, &[a])
            })*
        }
    };
}

unary! {
    /// Magnitude.
    fabs "llvm.fabs";
    /// Correctly rounded square root.
    sqrt "llvm.sqrt";
    /// To the nearest integer, ties to even.
    rint "llvm.rint";
    /// Towards −∞.
    floor "llvm.floor";
    /// Towards +∞.
    ceil "llvm.ceil";
    /// Towards 0.
    trunc "llvm.trunc";
}

/// States for which processor a function is, and that it does not unwind.
pub(super) fn set_attributes(context: &Context, host: &Host, function: FunctionValue<'_>) {
    for (key, value) in host.attributes() {
        function.add_attribute(AttributeLoc::Function, context.create_string_attribute(key, &value));
    }
    let nounwind = Attribute::get_named_enum_kind_id("nounwind");
    function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(nounwind, 0));
}

/// The type of `lanes` times `scalar`.
pub(crate) fn vector_of(scalar: BasicTypeEnum<'_>, lanes: u32) -> BasicTypeEnum<'_> {
    match scalar {
        _ if lanes == 1 => scalar,
        BasicTypeEnum::IntType(t) => t.vec_type(lanes).into(),
        BasicTypeEnum::FloatType(t) => t.vec_type(lanes).into(),
        BasicTypeEnum::PointerType(t) => t.vec_type(lanes).into(),
        _ => unreachable!("vectors hold numbers or pointers"),
    }
}

/// The number of lanes of a value.
pub(crate) fn lanes(v: Val<'_>) -> u32 {
    match v {
        Val::VectorValue(v) => v.get_type().get_size(),
        _ => 1,
    }
}

/// The type of one lane.
pub(crate) fn elem(v: Val<'_>) -> Elem {
    let scalar = match v.get_type() {
        BasicTypeEnum::VectorType(t) => t.get_element_type(),
        t => t,
    };
    match scalar {
        BasicTypeEnum::FloatType(t) if t == t.get_context().f32_type() => Elem::F32,
        BasicTypeEnum::FloatType(_) => Elem::F64,
        BasicTypeEnum::IntType(t) => match t.get_bit_width() {
            1 => Elem::I1,
            8 => Elem::I8,
            16 => Elem::I16,
            32 => Elem::I32,
            _ => Elem::I64,
        },
        _ => unreachable!("a lane is a number"),
    }
}
