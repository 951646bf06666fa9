//! Prints functions made by a `Builder` for one version, as JSON: a list of code objects.

use dynamo_core::bytecode::code::flags;
use dynamo_core::bytecode::{Builder, CodeObject, Comparison, Condition, Const, EncodeError, LocalId, Op, Version};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let version = Version::from_name(&name).ok_or("the argument is a version, as in 3.11")?;
    let functions = [compare, count, calls, stack, conditions].map(|make| make(version));
    let functions = functions.into_iter().collect::<Result<Vec<_>, _>>()?;
    serde_json::to_writer(std::io::stdout().lock(), &functions)?;
    Ok(())
}

fn local(number: u32) -> LocalId {
    LocalId::from_u32(number)
}

/// A function of these locals, of which the first so many are its arguments.
fn function(version: Version, name: &str, argcount: u32, locals: &[&str]) -> Builder {
    let code = CodeObject {
        argcount,
        flags: flags::OPTIMIZED | flags::NEWLOCALS,
        firstlineno: 1,
        name: name.to_owned(),
        qualname: name.to_owned(),
        filename: "built.py".to_owned(),
        varnames: locals.iter().map(|&name| name.to_owned()).collect(),
        ..CodeObject::default()
    };
    let mut builder = Builder::new(version, code);
    builder.emit(Op::Resume, 0);
    builder
}

fn returned(mut builder: Builder) -> Result<CodeObject, EncodeError> {
    builder.return_value();
    builder.finish()
}

/// `return [a < b, a <= b, a == b, a != b, a > b, a >= b]`
fn compare(version: Version) -> Result<CodeObject, EncodeError> {
    let mut b = function(version, "compare", 2, &["a", "b"]);
    for number in 0..6 {
        b.load_local(local(0));
        b.load_local(local(1));
        b.compare(Comparison::from_number(number).unwrap_or(Comparison::Eq));
    }
    b.build_list(6);
    returned(b)
}

/// `i = 0`, then `global LAST; LAST = i; i = add(i, 1)` while `i < n`; `return i`
fn count(version: Version) -> Result<CodeObject, EncodeError> {
    let mut b = function(version, "count", 1, &["n", "i"]);
    b.load_const(Const::Int(0));
    b.store_local(local(1));
    let again = b.label();
    b.bind(again);
    b.load_local(local(1));
    b.store_global("LAST");
    b.callee(|b| b.load_global("add"));
    b.load_local(local(1));
    b.load_const(Const::Int(1));
    b.call(2);
    b.store_local(local(1));
    b.load_local(local(1));
    b.load_local(local(0));
    b.compare(Comparison::Lt);
    b.jump_if(Condition::True, again);
    b.load_checked(local(1));
    returned(b)
}

/// `c = a; return (dict(x=c, **d), "-".join(t), (lambda: c)(), sorted(t, reverse=1), (lambda: 7)())`
fn calls(version: Version) -> Result<CodeObject, EncodeError> {
    let mut inner = Builder::new(version, function(version, "inner", 0, &[]).into_parts().0);
    inner.emit(Op::CopyFreeVars, 1);
    inner.emit(Op::Resume, 0);
    inner.load_deref(local(0));
    inner.return_value();
    let (code, body) = inner.into_parts();
    let inner = CodeObject { freevars: vec!["c".to_owned()], ..code }.with_body(&body)?;
    let mut plain = function(version, "plain", 0, &[]);
    plain.load_const(Const::Int(7));
    let plain = returned(plain)?;

    let (code, _) = function(version, "calls", 3, &["a", "d", "t"]).into_parts();
    let mut b = Builder::new(version, CodeObject { cellvars: vec!["c".to_owned()], ..code });
    b.emit(Op::MakeCell, 3);
    b.emit(Op::Resume, 0);
    b.load_local(local(0));
    b.store_deref(local(3));
    b.callee(|b| b.load_global("dict"));
    b.load_local(local(1));
    b.load_deref(local(3));
    b.call_with_names(2, &["x"]);
    b.load_const(Const::Str("-".to_owned()));
    b.load_method("join");
    b.load_local(local(2));
    b.call(1);
    b.callee(|b| b.make_function(inner, &[local(3)]));
    b.call(0);
    b.callee(|b| b.load_global("sorted"));
    b.load_local(local(2));
    b.build_tuple(1);
    b.load_const(Const::Str("reverse".to_owned()));
    b.load_const(Const::Int(1));
    b.build_map(1);
    b.call_unpacked(true);
    b.callee(|b| b.make_function(plain, &[]));
    b.call(0);
    b.build_tuple(5);
    returned(b)
}

/// `o.x, o.y, o.z = t; o.l[0] = o.x; del t`, then the values moved about
fn stack(version: Version) -> Result<CodeObject, EncodeError> {
    let mut b = function(version, "stack", 2, &["o", "t"]);
    b.load_local(local(1));
    b.unpack_sequence(3);
    for name in ["x", "y", "z"] {
        b.load_local(local(0));
        b.store_attr(name);
    }
    b.load_local(local(0));
    b.load_attr("x");
    b.load_local(local(0));
    b.load_attr("l");
    b.load_const(Const::Int(0));
    b.store_subscript();
    b.delete_local(local(1));
    (0..4).for_each(|number| b.load_const(Const::Int(number)));
    b.lift(3); // 0 2 3 1
    b.sink(4); // 1 0 2 3
    b.swap(2); // 1 0 3 2
    b.copy(4); // 1 0 3 2 1
    b.load_const(Const::Str("dropped".to_owned()));
    b.pop();
    b.load_local(local(0));
    b.load_attr("l");
    b.load_const(Const::Int(0));
    b.subscript();
    b.build_tuple(6);
    returned(b)
}

/// For each condition whether it holds of `a`: a jump forwards and one backwards.
fn conditions(version: Version) -> Result<CodeObject, EncodeError> {
    let mut b = function(version, "conditions", 1, &["a"]);
    let all = [Condition::True, Condition::False, Condition::None, Condition::NotNone];
    for condition in all {
        let (test, back, yes, end) = (b.label(), b.label(), b.label(), b.label());
        b.load_local(local(0));
        b.jump_if(condition, yes);
        b.load_const(Const::Str("no".to_owned()));
        b.jump(test);
        b.bind(back);
        b.load_const(Const::Str("back".to_owned()));
        b.build_tuple(2);
        b.jump(end);
        b.bind(yes);
        b.load_const(Const::Str("yes".to_owned()));
        b.bind(test);
        b.load_local(local(0));
        b.jump_if(condition, back);
        b.bind(end);
    }
    b.build_list(all.len() as u32);
    returned(b)
}
