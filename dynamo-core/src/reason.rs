//! The reason why a graph ends: one registry, a row per reason.
//!
//! Each row has a name, by which the book's page and users' searches find it, and a hint. The text says what of the
//! user's program it was.

use crate::value_id::ValueId;
use guards::Constant;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Declares [`Kind`] from its rows.
macro_rules! reasons {
    ($($variant:ident, $code:literal, $what:literal, $hint:literal;)*) => {
        /// A kind of reason.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $what] $variant,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// The name that stands in messages and in the book.
            pub fn code(self) -> &'static str {
                match self { $(Kind::$variant => $code,)* }
            }

            /// The general description of what happened.
            pub fn what(self) -> &'static str {
                match self { $(Kind::$variant => $what,)* }
            }

            /// Advice to the user.
            pub fn hint(self) -> &'static str {
                match self { $(Kind::$variant => $hint,)* }
            }
        }
    };
}

reasons! {
    Opcode, "RI0001", "An instruction that is not traced.",
        "Move the statement out of the compiled function.";
    Call, "RI0002", "A call of a function that is not traced.",
        "If it works on plain values only, call it before or after the tensor work.";
    SkippedFunction, "RI0003", "A call into a library that is never traced.",
        "Call it outside of the compiled function.";
    DataDependentJump, "RI0004", "A branch on the value of a tensor.",
        "Use torch.where or torch.cond to keep both sides in one graph.";
    TensorToPython, "RI0005", "A value of a tensor is read by Python.",
        "Keep the computation on tensors, or read the value at the end.";
    Attribute, "RI0006", "A read or write of an attribute that is not traced.",
        "Read the attribute before the tensor work.";
    Operator, "RI0007", "An operator on objects that are not traced.",
        "Convert the operands to numbers, tensors or containers of them.";
    Iteration, "RI0008", "An iteration over an object that is not traced.",
        "Iterate over a list, tuple, dict or range.";
    Construct, "RI0009", "A value that generated code cannot build again.",
        "Do not keep such a value across the break.";
    Raised, "RI0010", "The program raises an exception.",
        "Check the arguments before the tensor work.";
    Asked, "RI0011", "The program asks for it: graph_break() or a disabled function.",
        "Remove the call to keep the graph whole.";
    TooDeep, "RI0012", "Calls nested deeper than the tracer follows.",
        "Turn the recursion into a loop.";
    TorchOp, "RI0013", "A call of torch whose result is not known.",
        "Report it: the operator lacks a rule.";
    Mutation, "RI0014", "A change of an object that is not followed.",
        "Change lists and dicts that the function made itself, or tensors.";
    Shape, "RI0015", "A question about sizes that has no answer.",
        "Use torch._check to state what holds.";
    Print, "RI0016", "Output is written.",
        "Print outside of the compiled function.";
    TooLong, "RI0017", "More instructions than a trace may have.",
        "Move the loop out of the compiled function, or write it with tensors.";
    Context, "RI0018", "A context manager that is not traced.",
        "Enter it outside of the compiled function.";
    Promise, "RI0019", "A size that is not what mark_dynamic or dynamic_shapes says of it.",
        "Declare what it may be, or remove the mark.";
    MayFail, "RI0020", "A call that may fail on what its tensors hold, where a handler or an effect before it would show.",
        "Make the call outside of the try, and before lists, dicts and attributes are changed.";
}

/// A reason with what it was about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// The kind.
    pub kind: Kind,
    /// The part of the user's program that it was about: `print`, `Tensor.item`.
    pub text: String,
    /// The builtin class of the exception that the program raises here, if that is certain: handlers may catch it.
    pub exception: Option<String>,
    /// The contents of that exception, as far as they are certain.
    #[serde(skip)]
    pub(crate) contents: Option<Box<Contents>>,
}

/// The contents of an exception that the interpreter raises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Contents {
    /// No arguments.
    Nothing,
    /// Its only argument.
    Argument(Constant),
    /// Its only argument, an object: the key of a `KeyError`.
    Key(ValueId),
    /// Its only argument, a text that names a class.
    OfClass(ClassText),
    /// The text about a variable that is not bound, and the attribute `name`.
    Variable {
        /// The text.
        text: String,
        /// The variable, if the exception has it as an attribute.
        name: Option<String>,
    },
}

/// A text of the interpreter's that names a class. It is made, and the name guarded, when the program asks for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ClassText {
    /// An object lacks an attribute.
    Lack {
        /// The object.
        of: ValueId,
        /// The attribute.
        name: String,
    },
    /// An object cannot do something.
    Refusal {
        /// The object.
        of: ValueId,
        /// The text, with `{}` in the place of the name of its class.
        text: &'static str,
    },
}

impl Reason {
    /// A reason about `text`.
    pub fn new(kind: Kind, text: impl Into<String>) -> Reason {
        Reason { kind, text: text.into(), exception: None, contents: None }
    }

    /// The exception that the program raises here for certain: `KeyError: 'a'`.
    pub fn raised(exception: &str) -> Reason {
        let class = exception.split(':').next().unwrap_or(exception);
        let named = !class.is_empty() && class.chars().all(char::is_alphanumeric);
        let text = format!("{exception}.");
        Reason { kind: Kind::Raised, text, exception: named.then(|| class.to_owned()), contents: None }
    }

    /// This reason, where the exception has this argument only.
    #[must_use]
    pub fn with_argument(self, argument: Constant) -> Reason {
        self.with(Contents::Argument(argument))
    }

    /// This reason, where nothing is known of the exception's contents.
    #[must_use]
    pub(crate) fn without_contents(self) -> Reason {
        Reason { contents: None, ..self }
    }

    /// This reason, where the exception has these contents.
    #[must_use]
    pub(crate) fn with(self, contents: Contents) -> Reason {
        Reason { contents: Some(Box::new(contents)), ..self }
    }

    /// This reason, where its text after the class is CPython's own: the only argument.
    #[must_use]
    pub fn verbatim(self) -> Reason {
        let said = self.text.strip_suffix('.').and_then(|text| text.split_once(": "));
        match said.map(|(_, said)| Constant::Str(said.to_owned())) {
            Some(said) => self.with_argument(said),
            None => self,
        }
    }

    /// The `AttributeError` of an attribute that an object certainly lacks.
    pub(crate) fn lacks(of: ValueId, name: &str) -> Reason {
        Reason::raised(&format!("AttributeError: {name}"))
            .with(Contents::OfClass(ClassText::Lack { of, name: name.to_owned() }))
    }

    /// The `TypeError` of an object whose class certainly cannot do something; its name stands for `{}` in the text.
    pub(crate) fn refused(of: ValueId, text: &'static str) -> Reason {
        Reason::raised(&format!("TypeError: {}", text.replace("{}", "…")))
            .with(Contents::OfClass(ClassText::Refusal { of, text }))
    }

    /// The `NameError` of a global variable that is certainly not there, or of an empty cell.
    pub(crate) fn undefined(text: String, name: &str) -> Reason {
        let reason = Reason::raised(&format!("NameError: {text}"));
        reason.with(Contents::Variable { text, name: Some(name.to_owned()) })
    }

    /// The `UnboundLocalError` of a local variable that has no value.
    pub(crate) fn unbound(name: &str) -> Reason {
        let text = format!("cannot access local variable '{name}' where it is not associated with a value");
        Reason::raised(&format!("UnboundLocalError: {text}")).with(Contents::Variable { text, name: None })
    }

    /// True for an attribute that is certainly not there.
    pub fn is_of_attribute(&self) -> bool {
        self.exception.as_deref() == Some("AttributeError")
    }

    /// This reason, of code in a handler: nothing but the interpreter can make an exception that is being handled.
    #[must_use]
    pub fn within_handler(self) -> Reason {
        let text = format!("{} The graph ends where the exception was raised that is handled there.", self.text);
        Reason { text, ..self }
    }

    /// This reason, of code that needs an exception that was raised before.
    #[must_use]
    pub fn after_exception(self) -> Reason {
        let text = format!("{} The graph ends where an exception was raised that is needed after it.", self.text);
        Reason { text, ..self }
    }

    /// This reason where it is not certain what the program has done before: no handler may catch it.
    #[must_use]
    pub fn uncaught(self) -> Reason {
        Reason { exception: None, ..self }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}] {} {}", self.kind.what(), self.kind.code(), self.text, self.kind.hint())
    }
}

/// An exception of one of the classes that are raised only where Python raises them too; others end the graph.
pub(crate) fn raised(what: &str) -> Reason {
    const CERTAIN: &[&str] = &["KeyError", "IndexError", "StopIteration", "ValueError"];
    let reason = Reason::raised(what);
    let certain = reason.exception.as_ref().is_some_and(|class| CERTAIN.contains(&class.as_str()));
    if certain { reason } else { reason.uncaught() }
}
