//! Reading kernels: line by line, with one cursor over the line.
//!
//! The parser checks that names are defined before their use, since it could not build the kernel otherwise; all else
//! is [`verify`](crate::loop_ir::verify)'s business.

use super::{Reason, TextError, dtype_name, print::role_name};
use crate::loop_ir::{
    Acc, AccData, Axis, AxisData, Kernel, Loop, Op, Param, ParamData, Role, Scalar, Stmt, StoreMode, Value, ValueData,
};
use cranelift_entity::{EntityRef, PrimaryMap};
use fx::prim::{Pointwise, Reduction};
use rustc_hash::{FxHashMap, FxHashSet};
use std::str::FromStr;
use symshapes::{DType, Expr, Pool, Range, Sym};

type Result<T> = std::result::Result<T, TextError>;

/// Reads one kernel, the whole of `text`.
pub(super) fn kernel(text: &str) -> Result<Kernel> {
    let mut parser = Parser::new(text);
    let mut line = parser.next_line()?;
    let (name, params) = parser.signature(&mut line)?;
    let mut line = parser.next_line()?;
    let root = parser.loop_("parallel", &mut line)?;
    let mut line = parser.next_line()?;
    line.expect("}", "`}` after the parallel loop")?;
    line.end()?;
    if let Some(extra) = parser.lines.next() {
        return Err(extra.error(Reason::Trailing));
    }
    let Parser { pool: exprs, sizes, axes, values, accs, .. } = parser;
    let mut kernel = Kernel {
        name,
        exprs,
        sizes,
        params,
        axes: PrimaryMap::new(),
        values: dense(values, || ValueData { op: Op::Const(Scalar::Int(0)), dtype: DType::I64 }),
        accs: dense(accs, || AccData { kind: Reduction::Sum, dtype: DType::F32 }),
        root,
    };
    let exprs = &mut kernel.exprs;
    kernel.axes = dense(axes, || AxisData { sym: exprs.symbol("unused", Range::index(1)), extent: Expr::ONE });
    Ok(kernel)
}

/// The arena with these rows at their numbers; `filler` gives the rows of numbers that the text skips.
fn dense<K: EntityRef + std::hash::Hash, V>(
    mut rows: FxHashMap<K, V>,
    mut filler: impl FnMut() -> V,
) -> PrimaryMap<K, V> {
    let len = rows.keys().map(|k| k.index() + 1).max().unwrap_or(0);
    (0..len).map(|i| rows.remove(&K::new(i)).unwrap_or_else(&mut filler)).collect()
}

/// The lines that say something.
fn lines(text: &str) -> impl Iterator<Item = Cursor<'_>> {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(i, line)| Cursor { line: i + 1, text: line.split('#').next().unwrap_or(""), at: 0 });
    lines.filter(|line| !line.text.trim().is_empty())
}

struct Parser<'a> {
    lines: Box<dyn Iterator<Item = Cursor<'a>> + 'a>,
    last_line: usize,
    /// Numbers of entities stay below this.
    limit: usize,
    params: usize,
    pool: Pool,
    symbols: FxHashSet<Sym>,
    sizes: Vec<Sym>,
    axes: FxHashMap<Axis, AxisData>,
    values: FxHashMap<Value, ValueData>,
    accs: FxHashMap<Acc, AccData>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser {
            lines: Box::new(lines(text)),
            last_line: text.lines().count().max(1),
            limit: text.len(),
            params: 0,
            pool: Pool::new(),
            symbols: FxHashSet::default(),
            sizes: Vec::new(),
            axes: FxHashMap::default(),
            values: FxHashMap::default(),
            accs: FxHashMap::default(),
        }
    }

    fn next_line(&mut self) -> Result<Cursor<'a>> {
        let unfinished = TextError { line: self.last_line, column: 1, reason: Reason::Unfinished };
        self.lines.next().ok_or(unfinished)
    }

    /// `kernel name(%0: f32[8] in, …) {`
    fn signature(&mut self, line: &mut Cursor<'a>) -> Result<(String, PrimaryMap<Param, ParamData>)> {
        line.expect("kernel", "`kernel`")?;
        let name = line.run(|c| !matches!(c, '<' | '(')).trim().to_owned();
        if line.eat("<") {
            self.sizes(line)?;
        }
        line.expect("(", "`(`")?;
        let mut params: PrimaryMap<Param, ParamData> = PrimaryMap::new();
        while !line.eat(")") {
            if !params.is_empty() {
                line.expect(",", "`,` or `)`")?;
            }
            line.expect(&params.next_key().to_string(), "the next param, `%` and its number")?;
            line.expect(":", "`:`")?;
            let dtype = line.dtype()?;
            line.expect("[", "`[`")?;
            let len = self.index(line, Some(']'))?;
            params.push(ParamData { dtype, len, role: line.role()? });
        }
        line.expect("{", "`{`")?;
        line.end()?;
        self.params = params.len();
        Ok((name, params))
    }

    /// `s0: 2.., s1: 1..=512>`
    fn sizes(&mut self, line: &mut Cursor<'a>) -> Result<()> {
        loop {
            let at = line.skip_space().clone();
            let name = line.symbol("a size")?;
            line.expect(":", "`:`")?;
            let from = line.skip_space().clone();
            let lo = if line.peek("..") { i64::MIN } else { line.int("the least value")? };
            line.expect("..", "`..`")?;
            let hi = if line.eat("=") { line.int("the greatest value")? } else { i64::MAX };
            let range = from.range(lo, hi)?;
            if self.pool.find(name).is_some() {
                return Err(at.error(Reason::Twice(name.to_owned())));
            }
            let sym = self.pool.symbol(name, range);
            self.symbols.insert(sym);
            self.sizes.push(sym);
            if !line.eat(",") {
                return line.expect(">", "`,` or `>`");
            }
        }
    }

    /// An expression of sizes: what stands before the first of `ends`, or all that is left.
    fn extent(&mut self, line: &mut Cursor<'a>, ends: &[&str]) -> Result<Expr> {
        let at = line.skip_space().clone();
        let left = line.left();
        let end = ends.iter().filter_map(|end| left.find(end)).min().unwrap_or(left.len());
        let text = &left[..end];
        line.at += text.len();
        let e = self.pool.parse(text.trim()).map_err(|e| at.error(e.into()))?;
        match self.pool.symbols(e).iter().find(|sym| !self.sizes.contains(sym)) {
            Some(&unknown) => Err(at.error(Reason::Undefined(self.pool.name(unknown).to_owned()))),
            None => Ok(e),
        }
    }

    /// `for i1 in 0..8 vector reduce(a0: max f32) {` and what follows, to the closing brace.
    fn loop_(&mut self, keyword: &'static str, line: &mut Cursor<'a>) -> Result<Loop> {
        line.expect(keyword, keyword)?;
        let at = line.skip_space().clone();
        let axis = self.define(line, "i", |p: &Parser<'_>, axis: Axis| p.axes.contains_key(&axis))?;
        let name = axis.to_string();
        if self.pool.find(&name).is_some() {
            return Err(at.error(Reason::Twice(name)));
        }
        line.expect("in", "`in`")?;
        line.expect("0..", "`0..`")?;
        let extent = self.extent(line, &[" vector", " reduce(", " {"])?;
        let sym = self.pool.position(&name, extent);
        self.symbols.insert(sym);
        self.axes.insert(axis, AxisData { sym, extent });
        let vector = line.eat("vector");
        let accs = if line.eat("reduce(") { self.accs(line)? } else { Vec::new() };
        line.expect("{", "`{`")?;
        line.end()?;
        let mut body = Vec::new();
        loop {
            let mut line = self.next_line()?;
            if line.eat("}") {
                line.end()?;
                return Ok(Loop { axis, vector, accs, body });
            }
            body.push(self.stmt(&mut line)?);
        }
    }

    /// `a0: max f32, …)`
    fn accs(&mut self, line: &mut Cursor<'a>) -> Result<Vec<Acc>> {
        let mut accs = Vec::new();
        loop {
            let acc = self.define(line, "a", |p: &Parser<'_>, acc: Acc| p.accs.contains_key(&acc))?;
            line.expect(":", "`:`")?;
            let kind = line.named(Reduction::from_str)?;
            self.accs.insert(acc, AccData { kind, dtype: line.dtype()? });
            accs.push(acc);
            if line.eat(")") {
                return Ok(accs);
            }
            line.expect(",", "`,` or `)`")?;
        }
    }

    fn stmt(&mut self, line: &mut Cursor<'a>) -> Result<Stmt> {
        if line.peek("for ") {
            return Ok(Stmt::Loop(self.loop_("for", line)?));
        }
        let stmt = if line.eat("store ") {
            self.store(line)?
        } else if line.peek("a") {
            let acc = self.acc(line)?;
            line.expect("<-", "`<-`")?;
            let value = self.value(line)?;
            let position = if line.eat("at ") { Some(self.index(line, None)?) } else { None };
            Stmt::Accumulate { acc, value, position }
        } else {
            self.let_(line)?
        };
        line.end()?;
        Ok(stmt)
    }

    fn store(&mut self, line: &mut Cursor<'a>) -> Result<Stmt> {
        let (param, index) = self.element(line)?;
        let mode = if line.eat("+=") { StoreMode::Add } else { StoreMode::Set };
        if mode == StoreMode::Set {
            line.expect("=", "`=` or `+=`")?;
        }
        let value = self.value(line)?;
        Ok(Stmt::Store { param, index, value, mask: self.mask(line)?, mode })
    }

    fn let_(&mut self, line: &mut Cursor<'a>) -> Result<Stmt> {
        let value = self.define(line, "v", |p: &Parser<'_>, value: Value| p.values.contains_key(&value))?;
        line.expect(":", "`:`")?;
        let dtype = line.dtype()?;
        line.expect("=", "`=`")?;
        let op = self.op(line)?;
        self.values.insert(value, ValueData { op, dtype });
        Ok(Stmt::Let(value))
    }

    fn op(&mut self, line: &mut Cursor<'a>) -> Result<Op> {
        let start = line.clone();
        Ok(match line.word() {
            "const" => Op::Const(line.scalar()?),
            "index" => Op::Index(self.index(line, None)?),
            "bind" => self.bind(line)?,
            "load" => {
                let (param, index) = self.element(line)?;
                Op::Load { param, index, mask: self.mask(line)? }
            }
            "convert" => Op::Convert(self.value(line)?),
            "bitcast" => Op::Bitcast(self.value(line)?),
            "reduced" => Op::Reduced(self.acc(line)?),
            name => {
                let op = Pointwise::from_str(name).map_err(|e| start.error(Reason::Operation(e.0)))?;
                let mut args = smallvec::smallvec![self.value(line)?];
                while line.eat(",") {
                    args.push(self.value(line)?);
                }
                Op::Map(op, args)
            }
        })
    }

    /// `v0 as j0 in 0..=99`
    fn bind(&mut self, line: &mut Cursor<'a>) -> Result<Op> {
        let value = self.value(line)?;
        line.expect("as ", "`as`")?;
        let at = line.clone();
        let name = line.symbol("a symbol")?;
        line.expect("in ", "`in`")?;
        if self.pool.find(name).is_some() {
            return Err(at.error(Reason::Twice(name.to_owned())));
        }
        let from = line.skip_space().clone();
        let lo = line.int("the least value")?;
        line.expect("..", "`..`")?;
        let sym = if line.eat("=") {
            let hi = line.int("the greatest value")?;
            self.pool.symbol(name, from.range(lo, hi)?)
        } else if lo == 0 {
            let extent = self.extent(line, &[])?;
            let sym = self.pool.position(name, extent);
            let Range { lo, hi } = self.pool.symbol_range(sym);
            from.range(lo, hi).map(|_| sym)?
        } else {
            return Err(from.error(Reason::Expected("`0..`")));
        };
        self.symbols.insert(sym);
        Ok(Op::Bind(sym, value))
    }

    /// `%0[8*i0 + i1]`
    fn element(&mut self, line: &mut Cursor<'a>) -> Result<(Param, Expr)> {
        let at = line.skip_space().clone();
        line.expect("%", "a param")?;
        let number: usize = line.number("a param's number")?;
        if number >= self.params {
            return Err(at.error(Reason::Undefined(format!("%{number}"))));
        }
        line.expect("[", "`[`")?;
        Ok((Param::new(number), self.index(line, Some(']'))?))
    }

    /// An index expression, up to `end` or the end of the line.
    fn index(&mut self, line: &mut Cursor<'a>, end: Option<char>) -> Result<Expr> {
        let at = line.skip_space().clone();
        let text = match end {
            Some(end) => line.until(end, "`]`")?,
            None => line.rest(),
        };
        let e = self.pool.parse(text).map_err(|e| at.error(e.into()))?;
        match self.pool.symbols(e).iter().find(|s| !self.symbols.contains(s)) {
            Some(&unknown) => Err(at.error(Reason::Undefined(self.pool.name(unknown).to_owned()))),
            None => Ok(e),
        }
    }

    fn mask(&mut self, line: &mut Cursor<'a>) -> Result<Option<Value>> {
        if line.eat("if ") { self.value(line).map(Some) } else { Ok(None) }
    }

    /// The entity that this line defines.
    fn define<E: EntityRef + std::fmt::Display>(
        &self,
        line: &mut Cursor<'a>,
        prefix: &'static str,
        exists: impl Fn(&Parser<'_>, E) -> bool,
    ) -> Result<E> {
        let at = line.skip_space().clone();
        let entity: E = line.entity(prefix)?;
        if entity.index() >= self.limit {
            return Err(at.error(Reason::Number(entity.to_string())));
        }
        if exists(self, entity) { Err(at.error(Reason::Twice(entity.to_string()))) } else { Ok(entity) }
    }

    fn value(&self, line: &mut Cursor<'a>) -> Result<Value> {
        let at = line.skip_space().clone();
        let value: Value = line.entity("v")?;
        let known = self.values.contains_key(&value);
        if known { Ok(value) } else { Err(at.error(Reason::Undefined(value.to_string()))) }
    }

    fn acc(&self, line: &mut Cursor<'a>) -> Result<Acc> {
        let at = line.skip_space().clone();
        let acc: Acc = line.entity("a")?;
        let known = self.accs.contains_key(&acc);
        if known { Ok(acc) } else { Err(at.error(Reason::Undefined(acc.to_string()))) }
    }
}

/// A place in a line.
#[derive(Clone)]
struct Cursor<'a> {
    line: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn error(&self, reason: Reason) -> TextError {
        TextError { line: self.line, column: self.at + 1, reason }
    }

    fn left(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) -> &mut Self {
        self.at += self.left().len() - self.left().trim_start().len();
        self
    }

    fn peek(&mut self, token: &str) -> bool {
        self.skip_space().left().starts_with(token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.error(Reason::Expected(what))) }
    }

    fn end(&mut self) -> Result<()> {
        if self.skip_space().left().is_empty() {
            Ok(())
        } else {
            Err(self.error(Reason::Expected("the end of the line")))
        }
    }

    /// Everything that is left.
    fn rest(&mut self) -> &'a str {
        let rest = self.left();
        self.at = self.text.len();
        rest.trim_end()
    }

    /// Takes the text before `end`, and skips `end`.
    fn until(&mut self, end: char, what: &'static str) -> Result<&'a str> {
        let found = self.left().split_once(end);
        let (before, _) = found.ok_or_else(|| self.error(Reason::Expected(what)))?;
        self.at += before.len() + end.len_utf8();
        Ok(before)
    }

    /// The longest run of characters that satisfy `part`.
    fn run(&mut self, part: impl Fn(char) -> bool) -> &'a str {
        let left = self.skip_space().left();
        let run = &left[..left.find(|c| !part(c)).unwrap_or(left.len())];
        self.at += run.len();
        run
    }

    fn word(&mut self) -> &'a str {
        self.run(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// The name of a symbol, which an index expression does not take for a number.
    fn symbol(&mut self, what: &'static str) -> Result<&'a str> {
        let at = self.skip_space().clone();
        let name = self.word();
        let is_name = name.starts_with(|c: char| !c.is_ascii_digit());
        if is_name { Ok(name) } else { Err(at.error(Reason::Expected(what))) }
    }

    fn number<T: FromStr>(&mut self, what: &'static str) -> Result<T> {
        let at = self.skip_space().clone();
        self.run(|c| c.is_ascii_digit()).parse().map_err(|_| at.error(Reason::Expected(what)))
    }

    fn int(&mut self, what: &'static str) -> Result<i64> {
        let at = self.skip_space().clone();
        self.run(|c| c.is_ascii_digit() || c == '-').parse().map_err(|_| at.error(Reason::Expected(what)))
    }

    fn entity<E: EntityRef>(&mut self, prefix: &'static str) -> Result<E> {
        let what = match prefix {
            "v" => "a value, `v` and its number",
            "a" => "an accumulator, `a` and its number",
            _ => "an axis, `i` and its number",
        };
        self.expect(prefix, what)?;
        let number: u32 = self.number(what)?;
        if number == u32::MAX { Err(self.error(Reason::Expected(what))) } else { Ok(E::new(number as usize)) }
    }

    /// The integers from `lo` to `hi`, which were read here.
    fn range(&self, lo: i64, hi: i64) -> Result<Range> {
        let range = Range::new(lo, hi);
        if range.is_empty() { Err(self.error(Reason::Empty(range))) } else { Ok(range) }
    }

    fn scalar(&mut self) -> Result<Scalar> {
        let at = self.skip_space().clone();
        let text = self.run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        let float = || text.parse().map(Scalar::Float);
        text.parse().map(Scalar::Int).or_else(|_| float()).map_err(|_| at.error(Reason::Expected("a number")))
    }

    fn dtype(&mut self) -> Result<DType> {
        let at = self.skip_space().clone();
        let name = self.word();
        let dtype = DType::ALL.iter().copied().find(|&d| dtype_name(d) == name);
        dtype.ok_or_else(|| at.error(Reason::DType(name.to_owned())))
    }

    fn role(&mut self) -> Result<Role> {
        let at = self.skip_space().clone();
        let name = self.word();
        let role = [Role::In, Role::Out, Role::InOut, Role::Scratch].into_iter().find(|&r| role_name(r) == name);
        role.ok_or_else(|| at.error(Reason::Expected("`in`, `out`, `inout` or `scratch`")))
    }

    fn named<T>(&mut self, parse: impl Fn(&str) -> std::result::Result<T, fx::prim::UnknownPrim>) -> Result<T> {
        let at = self.skip_space().clone();
        parse(self.word()).map_err(|e| at.error(Reason::Operation(e.0)))
    }
}
