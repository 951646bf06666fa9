//! Printing kernels.
//!
//! Index expressions are imported into an arena of the printer's own, in which each loop variable bears the name of
//! its axis and the range of its loop: so they print, and simplify, as they will when they are read back.

use super::dtype_name;
use crate::loop_ir::{Acc, Axis, Kernel, Loop, Op, Role, Stmt, StoreMode, Value};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};
use symshapes::{Expr, Pool, Sym};

/// The numberings of entities in a printed text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    /// The numbers of the kernel's arenas, and the kernel's name.
    Kept,
    /// Their order of appearance, and no name.
    Canonical,
}

/// Prints one kernel.
pub(super) struct Printer<'a, W> {
    kernel: &'a Kernel,
    numbering: Numbering,
    out: &'a mut W,
    depth: usize,
    pool: Pool,
    symbols: FxHashMap<Sym, Sym>,
    bound: usize,
    axes: FxHashMap<Axis, Axis>,
    values: FxHashMap<Value, Value>,
    accs: FxHashMap<Acc, Acc>,
}

impl<'a, W: Write> Printer<'a, W> {
    pub(super) fn new(kernel: &'a Kernel, numbering: Numbering, out: &'a mut W) -> Self {
        Printer {
            kernel,
            numbering,
            out,
            depth: 1,
            pool: Pool::new(),
            symbols: FxHashMap::default(),
            bound: 0,
            axes: FxHashMap::default(),
            values: FxHashMap::default(),
            accs: FxHashMap::default(),
        }
    }

    pub(super) fn kernel(mut self) -> fmt::Result {
        let kernel = self.kernel;
        self.out.write_str("kernel ")?;
        if self.numbering == Numbering::Kept {
            self.name()?;
        }
        self.sizes()?;
        self.out.write_char('(')?;
        for (i, (param, data)) in kernel.params.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let (dtype, role) = (dtype_name(data.dtype), role_name(data.role));
            let len = self.index(data.len);
            write!(self.out, "{separator}{param}: {dtype}[{len}] {role}")?;
        }
        self.out.write_str(") {\n")?;
        self.loop_("parallel", &kernel.root)?;
        self.out.write_str("}\n")
    }

    /// `<s0: 2.., s1: 1..=512>`, where there are sizes.
    fn sizes(&mut self) -> fmt::Result {
        let kernel = self.kernel;
        for (i, &size) in kernel.sizes.iter().enumerate() {
            let range = kernel.exprs.symbol_range(size);
            let name = match self.numbering {
                Numbering::Kept => kernel.exprs.name(size).to_owned(),
                Numbering::Canonical => format!("s{i}"),
            };
            self.symbols.insert(size, self.pool.symbol(&name, range));
            write!(self.out, "{}{name}: ", if i == 0 { "<" } else { ", " })?;
            match (range.lo, range.hi) {
                (i64::MIN, i64::MAX) => write!(self.out, ".."),
                (lo, i64::MAX) => write!(self.out, "{lo}.."),
                (lo, hi) => write!(self.out, "{lo}..={hi}"),
            }?;
        }
        if kernel.sizes.is_empty() { Ok(()) } else { self.out.write_char('>') }
    }

    /// The name, with `_` for what would not read back.
    fn name(&mut self) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let mut chars = self.kernel.name.chars();
        chars.try_for_each(|c| self.out.write_char(if plain(c) { c } else { '_' }))
    }

    fn loop_(&mut self, keyword: &str, l: &Loop) -> fmt::Result {
        let axis = define(self.numbering, &mut self.axes, l.axis);
        let data = &self.kernel.axes[l.axis];
        let extent = self.pool.import(&self.kernel.exprs, data.extent, &mut self.symbols);
        self.symbols.insert(data.sym, self.pool.position(&axis.to_string(), extent));
        self.indent()?;
        write!(self.out, "{keyword} {axis} in 0..{}", self.pool.display(extent))?;
        if l.vector {
            self.out.write_str(" vector")?;
        }
        self.accs(&l.accs)?;
        self.out.write_str(" {\n")?;
        self.depth += 1;
        l.body.iter().try_for_each(|stmt| self.stmt(stmt))?;
        self.depth -= 1;
        self.indent()?;
        self.out.write_str("}\n")
    }

    fn accs(&mut self, accs: &[Acc]) -> fmt::Result {
        for (i, &acc) in accs.iter().enumerate() {
            let data = &self.kernel.accs[acc];
            let number = define(self.numbering, &mut self.accs, acc);
            let open = if i == 0 { " reduce(" } else { ", " };
            write!(self.out, "{open}{number}: {} {}", data.kind, dtype_name(data.dtype))?;
        }
        if accs.is_empty() { Ok(()) } else { self.out.write_char(')') }
    }

    fn indent(&mut self) -> fmt::Result {
        (0..self.depth).try_for_each(|_| self.out.write_str("  "))
    }

    fn stmt(&mut self, stmt: &Stmt) -> fmt::Result {
        if let Stmt::Loop(inner) = stmt {
            return self.loop_("for", inner);
        }
        self.indent()?;
        match stmt {
            Stmt::Let(value) => self.let_(*value)?,
            Stmt::Store { param, index, value, mask, mode } => {
                let sign = match mode {
                    StoreMode::Set => "=",
                    StoreMode::Add => "+=",
                };
                let (index, value) = (self.index(*index), self.value(*value));
                write!(self.out, "store {param}[{index}] {sign} {value}")?;
                self.mask(*mask)?;
            }
            Stmt::Accumulate { acc, value, position } => {
                write!(self.out, "{} <- {}", known(&self.accs, *acc), self.value(*value))?;
                if let Some(position) = position {
                    let position = self.index(*position);
                    write!(self.out, " at {position}")?;
                }
            }
            Stmt::Loop(_) => {}
        }
        self.out.write_char('\n')
    }

    fn let_(&mut self, value: Value) -> fmt::Result {
        let data = &self.kernel.values[value];
        let number = define(self.numbering, &mut self.values, value);
        write!(self.out, "{number}: {} = ", dtype_name(data.dtype))?;
        match &data.op {
            Op::Const(scalar) => write!(self.out, "const {scalar}"),
            Op::Index(e) => {
                let index = self.index(*e);
                write!(self.out, "index {index}")
            }
            Op::Bind(sym, value) => self.bind(*sym, *value),
            Op::Load { param, index, mask } => {
                let index = self.index(*index);
                write!(self.out, "load {param}[{index}]")?;
                self.mask(*mask)
            }
            Op::Map(op, args) => {
                write!(self.out, "{op}")?;
                args.iter().enumerate().try_for_each(|(i, &arg)| {
                    let separator = if i == 0 { " " } else { ", " };
                    write!(self.out, "{separator}{}", known(&self.values, arg))
                })
            }
            Op::Convert(v) => write!(self.out, "convert {}", self.value(*v)),
            Op::Bitcast(v) => write!(self.out, "bitcast {}", self.value(*v)),
            Op::Reduced(acc) => write!(self.out, "reduced {}", known(&self.accs, *acc)),
        }
    }

    fn bind(&mut self, sym: Sym, value: Value) -> fmt::Result {
        let range = self.kernel.exprs.symbol_range(sym);
        let name = format!("j{}", self.bound);
        self.bound += 1;
        write!(self.out, "bind {} as {name} in {}..", self.value(value), range.lo)?;
        if let Some(bound) = self.kernel.exprs.bound(sym) {
            let bound = self.pool.import(&self.kernel.exprs, bound, &mut self.symbols);
            self.symbols.insert(sym, self.pool.position(&name, bound));
            return write!(self.out, "{}", self.pool.display(bound));
        }
        self.symbols.insert(sym, self.pool.symbol(&name, range));
        write!(self.out, "={}", range.hi)
    }

    fn mask(&mut self, mask: Option<Value>) -> fmt::Result {
        mask.map_or(Ok(()), |mask| write!(self.out, " if {}", known(&self.values, mask)))
    }

    fn value(&self, value: Value) -> Value {
        known(&self.values, value)
    }

    fn index(&mut self, e: Expr) -> String {
        let e = self.pool.import(&self.kernel.exprs, e, &mut self.symbols);
        self.pool.display(e).to_string()
    }
}

/// The number that an entity gets where it is defined.
fn define<E>(numbering: Numbering, numbers: &mut FxHashMap<E, E>, entity: E) -> E
where
    E: cranelift_entity::EntityRef + std::hash::Hash,
{
    let next = match numbering {
        Numbering::Kept => entity,
        Numbering::Canonical => E::new(numbers.len()),
    };
    *numbers.entry(entity).or_insert(next)
}

/// The number that an entity was given; its own if it was not defined.
fn known<E: Copy + Eq + std::hash::Hash>(numbers: &FxHashMap<E, E>, entity: E) -> E {
    numbers.get(&entity).copied().unwrap_or(entity)
}

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::In => "in",
        Role::Out => "out",
        Role::InOut => "inout",
        Role::Scratch => "scratch",
    }
}
