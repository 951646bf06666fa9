//! Generates the enumerations of ATen's overloads and operators, and their table, from `schemas.txt` and
//! `operators.txt`. A row that names nothing published, or stands out of order, fails the build by its line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::{env, fs, iter};

const SCHEMAS: &str = "src/aten/schemas.txt";
const OPERATORS: &str = "src/aten/operators.txt";

/// Traits that an in-place form has from the operator without underscore.
const INHERITED: [&str; 9] =
    ["float_input", "random", "dropout", "idle", "overwrites", "accepts_floats", "late_cast_error", "raises", "scalar"];

/// Operators whose names are keywords of Rust.
const KEYWORDS: [&str; 1] = ["where"];

/// A published operator.
#[derive(Default)]
struct Operator<'a> {
    /// Overloads with their schemas, in the order of the file.
    overloads: Vec<(&'a str, &'a str)>,
    /// Rules by overload.
    rules: BTreeMap<&'a str, &'a str>,
    /// Names of traits, with values where they have one.
    traits: Vec<(&'a str, Option<&'a str>)>,
}

fn main() {
    println!("cargo::rerun-if-changed={SCHEMAS}");
    println!("cargo::rerun-if-changed={OPERATORS}");
    let [schemas, rows] = [SCHEMAS, OPERATORS].map(|path| fs::read_to_string(path).expect(path));
    let mut operators = published(&schemas);
    if let Err((line, problem)) = read_rows(&rows, &mut operators) {
        println!("cargo::error={OPERATORS}:{line}: {problem}");
        return;
    }
    let out = env::var("OUT_DIR").expect("cargo sets it");
    for (file, text) in [("operators.rs", generate(&operators)), ("composites.rs", composites(&operators))] {
        fs::write(Path::new(&out).join(file), text).expect("OUT_DIR can be written to");
    }
}

fn published(schemas: &str) -> BTreeMap<&str, Operator<'_>> {
    let mut operators: BTreeMap<&str, Operator<'_>> = BTreeMap::new();
    for line in schemas.lines() {
        let schema = line.strip_prefix("aten::").unwrap_or(line);
        let name = schema.split('(').next().unwrap_or(schema);
        let (packet, overload) = name.split_once('.').unwrap_or((name, "default"));
        operators.entry(packet).or_default().overloads.push((overload, schema));
    }
    operators
}

/// Adds the table's rows; else the line of the first that is wrong, and why.
fn read_rows<'a>(rows: &'a str, operators: &mut BTreeMap<&'a str, Operator<'a>>) -> Result<(), (usize, String)> {
    let mut before = "";
    for (line, row) in iter::zip(1.., rows.lines()).filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let fail = |problem: String| Err((line, problem));
        let (name, columns) = row.split_once(' ').unwrap_or((row, ""));
        let Some(operator) = operators.get_mut(name) else { return fail(format!("no operator `{name}`")) };
        if name <= before {
            return fail(format!("`{name}` stands after `{before}`"));
        }
        before = name;
        for column in columns.split_whitespace() {
            match column.split_once('=') {
                Some((overloads, rule)) if rule.contains('.') => {
                    for overload in overloads.split(',') {
                        if !operator.overloads.iter().any(|(published, _)| *published == overload) {
                            return fail(format!("no overload `{name}.{overload}`"));
                        }
                        if operator.rules.insert(overload, rule).is_some() {
                            return fail(format!("two rules of `{name}.{overload}`"));
                        }
                    }
                }
                Some((word, value)) => operator.traits.push((word, Some(value))),
                None => operator.traits.push((column, None)),
            }
        }
    }
    Ok(())
}

/// The compositions that rules name, each with the overloads that it stands for.
fn composites(operators: &BTreeMap<&str, Operator<'_>>) -> String {
    let mut composites: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, operator) in operators {
        for (overload, rule) in &operator.rules {
            if let Some(composite) = rule.split('/').next().and_then(|rule| rule.strip_prefix("Compose.")) {
                composites.entry(composite).or_default().push(format!("`aten.{name}.{overload}`"));
            }
        }
    }
    let mut variants = String::new();
    for (composite, mut overloads) in composites {
        overloads.sort_unstable();
        line(&mut variants, format_args!("/// {}.\n{composite},", overloads.join(", ")));
    }
    format!(
        "\
/// The compositions that the compiler writes out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Composite {{\n{variants}}}
"
    )
}

fn generate(operators: &BTreeMap<&str, Operator<'_>>) -> String {
    let [mut ops, mut names, mut schemas, mut rules, mut packet_of] = [const { String::new() }; 5];
    let [mut packets, mut packet_names, mut firsts, mut traits, mut words] = [const { String::new() }; 5];
    let mut count = 0;
    for (name, operator) in operators {
        let variant = if KEYWORDS.contains(name) { format!("r#{name}") } else { (*name).to_owned() };
        line(&mut packets, format_args!("/// `aten::{name}`\n{variant},"));
        line(&mut packet_names, format_args!("{name:?},"));
        line(&mut firsts, format_args!("{count},"));
        let own = traits_of(name, operators);
        line(&mut traits, format_args!("{},", expression(&own)));
        line(&mut words, format_args!("{:?},", text(&own)));
        for (overload, schema) in &operator.overloads {
            line(&mut ops, format_args!("/// `aten::{schema}`\n{name}_{overload},"));
            line(&mut names, format_args!("\"aten.{name}.{overload}\","));
            line(&mut schemas, format_args!("{schema:?},"));
            line(&mut packet_of, format_args!("Packet::{variant},"));
            let rule = operator.rules.get(overload);
            line(&mut rules, format_args!("{},", rule.map_or("None".to_owned(), |rule| rule_of(rule))));
            count += 1;
        }
    }
    line(&mut firsts, format_args!("{count}"));
    let total = operators.len();
    format!(
        "\
/// An overload of an ATen operator, torch's `OpOverload`: `Aten::add_Tensor` is `aten.add.Tensor`.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(non_camel_case_types, reason = \"named as torch names them\")]
pub enum Aten {{\n{ops}}}

/// An ATen operator, whatever its overload, torch's `OpOverloadPacket`: `Packet::add`.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(non_camel_case_types, reason = \"named as torch names them\")]
pub enum Packet {{\n{packets}}}

/// The overloads, sorted by operator.
static OPS: [Aten; {count}] = {{ use Aten::*; [{all_ops}] }};
static TARGETS: [&str; {count}] = [\n{names}];
static SCHEMAS: [&str; {count}] = [\n{schemas}];
static PACKET_OF: [Packet; {count}] = [\n{packet_of}];
static RULES: [Option<(Rule, Domain)>; {count}] = [\n{rules}];
/// The operators, sorted by name.
static PACKETS: [Packet; {total}] = {{ use Packet::*; [{all_packets}] }};
static PACKET_NAMES: [&str; {total}] = [\n{packet_names}];
/// The place of each operator's first overload, and their number at the end.
static FIRSTS: [u16; {total} + 1] = [\n{firsts}];
static TRAITS: [Traits; {total}] = [\n{traits}];
/// The traits of each operator as the table writes them.
static TRAIT_WORDS: [&str; {total}] = [\n{words}];
",
        all_ops = without_docs(&ops),
        all_packets = without_docs(&packets),
    )
}

fn line(to: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(to, "{text}").expect("memory does not fail");
}

/// The variants of an enumeration as the elements of an array.
fn without_docs(variants: &str) -> String {
    variants.lines().filter(|line| !line.starts_with("///")).collect()
}

/// `Compose.Add/Floats` as an expression of Rust.
fn rule_of(text: &str) -> String {
    let (rule, domain) = text.split_once('/').unwrap_or((text, "All"));
    let (kind, value) = rule.split_once('.').expect("a rule has a dot");
    let of = match kind {
        "Map" => "Pointwise",
        "Reduce" => "Reduction",
        "Compose" => "Composite",
        _ => "Extern",
    };
    format!("Some((Rule::{kind}({of}::{value}), Domain::{domain}))")
}

/// The traits of an operator, by name and with values where they have one.
type Words<'a> = BTreeSet<(&'a str, Option<&'a str>)>;

/// The traits of an operator, with those of the one that it is the in-place form of.
fn traits_of<'a>(name: &str, operators: &BTreeMap<&str, Operator<'a>>) -> Words<'a> {
    let plain = name.strip_suffix('_').and_then(|plain| operators.get(plain));
    let inherited = plain.into_iter().flat_map(|plain| &plain.traits).filter(|(word, _)| INHERITED.contains(word));
    operators[name].traits.iter().chain(inherited).copied().collect()
}

/// Traits as the table writes them.
fn text(words: &Words<'_>) -> String {
    let word =
        |(word, value): &(&str, Option<&str>)| value.map_or((*word).to_owned(), |value| format!("{word}={value}"));
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Traits as an expression of Rust.
fn expression(words: &Words<'_>) -> String {
    let fields = words.iter().map(|&(word, value)| {
        let of = match word {
            "alias" => "Aliasing",
            "raises" => "Failure",
            "scalar" => "ScalarUse",
            _ => "Cast",
        };
        value.map_or(format!("{word}: true, "), |value| format!("{word}: Some({of}::{value}), "))
    });
    format!("Traits {{ {}..Traits::NONE }}", fields.collect::<String>())
}
