//! The overloads and operators of ATen as enumerations, with what the table says of each.
//!
//! `build.rs` generates both from `schemas.txt`, the schemas that torch publishes, and `operators.txt`, one row for
//! each operator of which more is known. What the columns mean stands in `rules.rs` and `traits.rs`.

use super::{
    Overload, parse,
    rules::{Composite, Extern, Rule},
    traits::{Aliasing, Cast, Failure, ScalarUse, Traits},
};
use crate::prim::{Domain, Pointwise, Reduction};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, ops::Deref, sync::OnceLock};

include!(concat!(env!("OUT_DIR"), "/operators.rs"));

impl Aten {
    /// Every overload, sorted by operator.
    pub fn every() -> impl ExactSizeIterator<Item = Aten> {
        OPS.iter().copied()
    }

    /// The overload of this name: `aten.add.Tensor`, `add.Tensor`; without an overload the default one.
    pub fn named(name: &str) -> Option<Aten> {
        let name = name.strip_prefix("aten.").unwrap_or(name);
        let (packet, overload) = name.split_once('.').unwrap_or((name, "default"));
        Packet::named(packet)?.overloads().find(|op| op.overload_name() == overload)
    }

    /// The operator.
    pub fn packet(self) -> Packet {
        PACKET_OF[self as usize]
    }

    /// The name that a node's target has: `aten.add.Tensor`.
    pub fn target(self) -> &'static str {
        TARGETS[self as usize]
    }

    /// The name as in `torch.ops.aten`: `add.Tensor`, `relu.default`.
    pub fn name(self) -> &'static str {
        &self.target()["aten.".len()..]
    }

    /// The name of the overload alone: `Tensor`, `default`.
    pub fn overload_name(self) -> &'static str {
        &self.name()[self.packet().name().len() + 1..]
    }

    /// The schema as torch publishes it, without the namespace.
    pub fn schema_text(self) -> &'static str {
        SCHEMAS[self as usize]
    }

    /// Parameters and results.
    pub fn overload(self) -> &'static Overload {
        static PARSED: [OnceLock<Overload>; OPS.len()] = [const { OnceLock::new() }; OPS.len()];
        PARSED[self as usize].get_or_init(|| {
            let schema = parse::schema(self.schema_text()).expect("a test parses every schema");
            Overload { op: self, schema }
        })
    }

    /// The rule by which the compiler lowers it; `None` if it is called.
    pub fn rule(self) -> Option<Rule> {
        RULES[self as usize].map(|(rule, _)| rule)
    }

    /// The dtypes (of the first operand and of the result) for which eager has it; those that the primitives of its
    /// rule refuse are not listed. For others the call is left to eager, whose error it is.
    pub fn domain(self) -> Domain {
        RULES[self as usize].map_or(Domain::All, |(_, domain)| domain)
    }

    /// The facts about the operator beside its schemas.
    pub fn traits(self) -> &'static Traits {
        self.packet().traits()
    }
}

impl Deref for Aten {
    type Target = Overload;

    fn deref(&self) -> &Overload {
        self.overload()
    }
}

impl fmt::Display for Aten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target())
    }
}

impl fmt::Debug for Aten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target())
    }
}

impl Serialize for Aten {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.target())
    }
}

impl<'de> Deserialize<'de> for Aten {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Aten, D::Error> {
        let name = String::deserialize(deserializer)?;
        Aten::named(&name).ok_or_else(|| de::Error::custom(format!("no overload `{name}`")))
    }
}

impl Packet {
    /// Every operator, sorted by name.
    pub fn every() -> impl ExactSizeIterator<Item = Packet> {
        PACKETS.iter().copied()
    }

    /// The operator of this name: `add`.
    pub fn named(name: &str) -> Option<Packet> {
        PACKET_NAMES.binary_search(&name).ok().map(|at| PACKETS[at])
    }

    /// The name: `add`.
    pub fn name(self) -> &'static str {
        PACKET_NAMES[self as usize]
    }

    /// The overloads, in the order of the table.
    pub fn overloads(self) -> impl ExactSizeIterator<Item = Aten> {
        OPS[usize::from(FIRSTS[self as usize])..usize::from(FIRSTS[self as usize + 1])].iter().copied()
    }

    /// The facts about it beside its schemas.
    pub fn traits(self) -> &'static Traits {
        &TRAITS[self as usize]
    }

    /// These facts as the table writes them: `random scalar=Wide`, sorted.
    pub fn trait_words(self) -> &'static str {
        TRAIT_WORDS[self as usize]
    }

    /// The operator that this one is the in-place form of: `add` of `add_`.
    pub fn out_of_place(self) -> Option<Packet> {
        self.name().strip_suffix('_').and_then(Packet::named)
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_parses_and_every_name_is_found() {
        for op in Aten::every() {
            parse::schema(op.schema_text()).unwrap_or_else(|error| panic!("{op}: {error}"));
            assert_eq!(Aten::named(op.target()), Some(op));
            assert_eq!(Aten::named(op.name()), Some(op));
        }
        assert!(Packet::every().all(|packet| Packet::named(packet.name()) == Some(packet)));
    }

    #[test]
    fn names_with_and_without_prefix_and_default() {
        for name in ["aten.relu.default", "relu.default", "relu", "aten.relu"] {
            assert_eq!(Aten::named(name), Some(Aten::relu_default));
        }
        assert_eq!(["aten.no_such_op.default", "add.no_such_overload"].map(Aten::named), [None; 2]);
        assert_eq!((Aten::add_Tensor.packet(), Aten::add_Tensor.overload_name()), (Packet::add, "Tensor"));
        assert_eq!((Packet::add_.out_of_place(), Packet::add.out_of_place()), (Some(Packet::add), None));
    }

    #[test]
    fn traits_are_written_as_in_the_table() {
        assert_eq!(Packet::convolution.trait_words(), "cpu=Lower cuda=Lower keeps_format product");
        assert_eq!(Packet::fill_.trait_words(), "cuda=Keep float_input overwrites scalar=Fill");
        assert_eq!(Packet::_pdist_backward.trait_words(), "");
    }

    /// A published operator of these families without a row would be taken for one that is the same on each device.
    #[test]
    fn operators_of_libraries_have_rows() {
        let family = |packet: &Packet| ["fft_", "linalg_"].iter().any(|name| packet.name().starts_with(name));
        let whole = |packet: &Packet| packet.traits().device_layout && packet.traits().cpu.is_some();
        let missing: Vec<Packet> = Packet::every().filter(family).filter(|packet| !whole(packet)).collect();
        assert_eq!(missing, []);
        assert!(Packet::_fft_c2c.traits().device_layout && !Packet::mm.traits().device_layout);
    }

    #[test]
    fn in_place_forms_have_traits_of_their_operators() {
        assert!(Packet::bernoulli_.traits().random && Packet::uniform_.traits().random);
        assert_eq!(Packet::scatter_add_.traits().raises, Some(Failure::Index));
        assert_eq!(Packet::fill_.traits().scalar, Some(ScalarUse::Fill));
        assert!(Packet::relu_.traits().accepts_floats && Packet::multiply_.traits().late_cast_error);
        assert!(Packet::dropout_.traits().dropout && !Packet::bernoulli_.traits().dropout);
        assert_eq!(Packet::exp_.traits().cuda, Some(Cast::Keep));
    }
}
