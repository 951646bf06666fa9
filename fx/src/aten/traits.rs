//! Facts about an operator whatever its overload: the columns of `operators.txt` that are no rules.

/// Facts about an operator beside its schemas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    /// The aliasing of its results with its operands, where the schema does not tell.
    pub alias: Option<Aliasing>,
    /// A product of matrices or a convolution, with whose result an element-wise kernel may be fused.
    pub product: bool,
    /// A kernel computes it again on the way, as it does views and element-wise operators, rather than have its result
    /// saved for the backward graph.
    pub cheap: bool,
    /// Its results do not depend on what its operands hold, or autograd does not follow them.
    pub detached: bool,
    /// Autograd follows the first of its results alone.
    pub first_alone: bool,
    /// A float among its arguments may be an input of the graph: it decides what values the result holds, and nothing
    /// else about it.
    pub float_input: bool,
    /// It may draw random numbers (torch's tag `nondeterministic_seeded`).
    pub random: bool,
    /// It draws in order to drop elements: not where a parameter says that none is dropped.
    pub dropout: bool,
    /// It gives as many elements as fulfil a condition.
    pub counts: bool,
    /// The device chooses its kernel, and with it the layout of its result.
    pub device_kernel: bool,
    /// A library of the device computes it: its results lie otherwise on each device.
    pub device_layout: bool,
    /// Its results have channels last where its first argument has.
    pub keeps_format: bool,
    /// It gives its argument back where it is switched off.
    pub idle: bool,
    /// Written in place, its result does not depend on what it writes over, unless a keyword says so.
    pub overwrites: bool,
    /// Written in place into floats, it takes any number, and any tensor of the operand's sizes and type.
    pub accepts_floats: bool,
    /// Written in place, torch notices only with the data at hand that its result cannot be cast to the operand's type.
    pub late_cast_error: bool,
    /// It keeps statistics in arguments, which its schema may not mention.
    pub statistics: bool,
    /// It never gives its operand itself, though it may give a view of it.
    pub new_object: bool,
    /// It raises a `RuntimeError` for sizes that it does not take.
    pub rejects: bool,
    /// The kind of tensor values on which it fails, if there is one.
    pub raises: Option<Failure>,
    /// Its use of a number among its arguments.
    pub scalar: Option<ScalarUse>,
    /// Autocast's policy on the CPU.
    pub cpu: Option<Cast>,
    /// Autocast's policy on a GPU.
    pub cuda: Option<Cast>,
}

impl Traits {
    /// The traits of an operator without a row.
    pub(super) const NONE: Traits = Traits {
        alias: None,
        product: false,
        cheap: false,
        detached: false,
        first_alone: false,
        float_input: false,
        random: false,
        dropout: false,
        counts: false,
        device_kernel: false,
        device_layout: false,
        keeps_format: false,
        idle: false,
        overwrites: false,
        accepts_floats: false,
        late_cast_error: false,
        statistics: false,
        new_object: false,
        rejects: false,
        raises: None,
        scalar: None,
        cpu: None,
        cuda: None,
    };
}

/// The kinds of aliasing of results with operands, where the schema does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aliasing {
    /// They share memory, though the schema says nothing of it.
    Shares,
    /// They may share memory, though the schema says nothing of it.
    MayShare,
    /// They may not share memory, though the schema says that they do: a copy is made where no view is possible or
    /// needed.
    MayCopy,
}

/// The uses that an operator makes of a number among its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarUse {
    /// It computes with it in more than the element type, or as with a tensor.
    Wide,
    /// It writes it into elements, of whatever type.
    Fill,
}

/// The cast policies: conversions that a call makes of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// They become the chosen type (`lower_precision_fp`).
    Lower,
    /// They become 32 bits wide (`fp32`).
    Full,
    /// The first becomes 32 bits wide, unless the call names the element type of its result (`fp32_set_opt_dtype`).
    FullResult,
    /// They become the widest type among them (`promote`).
    Widest,
    /// They stay what they are.
    Keep,
    /// It calls others that widen: what has 32 bits stays, the rest is not known.
    Composed,
    /// It calls others, which do one thing or another.
    Unknown,
}

/// The kinds of tensor values on which a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Indices, of which one is out of bounds.
    Index,
    /// A divisor of integers that is zero.
    Division,
    /// Elements that the operator does not take: a singular matrix, a negative probability.
    Value,
}
