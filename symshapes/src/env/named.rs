//! Sizes that are declared by name: `batch`, `2*batch + 1`. Dimensions of one name have one size, whatever it is.
//!
//! Invariant: `dims` maps a name to an expression of its value, over the symbol of the first dimension that was
//! declared by it. What declares it is no guard that breaks a promise: `declared` lists what relates a dimension to its
//! name.

use super::NamedSize;
use super::{Constraint, Dim, EnvError, Input, InputKind, Policy, ShapeEnv, SourceId};
use crate::ids::Expr;

impl ShapeEnv {
    /// A size, or an integer, that is declared by name.
    pub fn named_input(
        &mut self,
        source: SourceId,
        kind: InputKind,
        hint: i64,
        named: &NamedSize,
        at: &str,
    ) -> Result<Expr, EnvError> {
        if named.unbacked {
            return self.unbacked_named_input(source, kind, named, at);
        }
        let mismatch = |expected| EnvError::NotAsNamed {
            input: source,
            size: hint,
            named: named.text(),
            expected,
            at: named.at.clone(),
        };
        if let Some(&root) = self.dims.get(&named.name) {
            let expr = self.of_root(root, named);
            if self.hint(expr) != Some(hint) {
                return Err(mismatch(self.hint(expr)));
            }
            self.inputs.push(Input { source, kind, expr, owned: None, constraint: None });
            return Ok(expr);
        }
        let constraint = Constraint { range: named.image(kind), at: named.at.clone(), name: Some(named.clone()) };
        let expr = match kind {
            InputKind::Size => {
                self.size(source, hint, &Dim { policy: Policy::Dynamic, constraint: Some(constraint) }, at)?
            }
            _ => self.fresh_input(source, kind, hint, Some(Box::new(constraint))).1,
        };
        let (root, rest) = self.root_of(expr, named);
        let exact = self.pool.eq(rest, Expr::ZERO);
        self.declared.push(exact);
        if !self.evaluate(exact, at)? {
            return Err(mismatch(None));
        }
        self.dims.insert(named.name.clone(), root);
        Ok(expr)
    }

    /// Of such sizes nothing is decided; what declares them is stated.
    fn unbacked_named_input(
        &mut self,
        source: SourceId,
        kind: InputKind,
        named: &NamedSize,
        at: &str,
    ) -> Result<Expr, EnvError> {
        let expr = self.unbacked_input(source, kind, None);
        let mut stated = self.bounds(expr, named.image(kind));
        if let Some(&root) = self.dims.get(&named.name) {
            let wanted = self.of_root(root, named);
            stated.push(self.pool.eq(expr, wanted));
        } else {
            let (root, rest) = self.root_of(expr, named);
            stated.push(self.pool.eq(rest, Expr::ZERO));
            self.dims.insert(named.name.clone(), root);
        }
        let message = format!("the dimension is declared as {}", named.text());
        stated.into_iter().try_for_each(|p| self.check(p, &message, at))?;
        Ok(expr)
    }

    /// The size, where the name has this value.
    fn of_root(&mut self, root: Expr, named: &NamedSize) -> Expr {
        let product = self.pool.mul_int(root, named.factor);
        let expr = self.pool.add_int(product, named.offset);
        self.simplify(expr)
    }

    /// The value of the name, where this is the size; and what has to be zero for that.
    fn root_of(&mut self, size: Expr, named: &NamedSize) -> (Expr, Expr) {
        if named.is_plain() {
            return (size, Expr::ZERO);
        }
        let product = match named.offset.checked_neg() {
            Some(less) => self.pool.add_int(size, less),
            None => self.pool.overflow(),
        };
        (self.pool.floor_div_int(product, named.factor), self.pool.modulo_int(product, named.factor))
    }
}
