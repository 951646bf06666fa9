//! The check of pools that come from elsewhere: whatever is read from a file.

use crate::{
    float_node::FloatNode,
    ids::{Expr, Sym},
    node::Node,
    pool::Pool,
    pred_node::PredNode,
};
use cranelift_entity::EntityRef;

impl Pool {
    /// True if every row names only rows that there are, and nothing is made of itself: then nothing that the pool is
    /// asked ends in a panic or goes on for ever. A pool that was made here always is closed; one that was read may not
    /// be.
    pub fn is_closed(&self) -> bool {
        let constants = [Node::Int(0), Node::Int(1)];
        let has_constants = constants.iter().enumerate().all(|(at, node)| self.nodes.get_index(at) == Some(node));
        let is_pred = |(at, pred): (usize, &PredNode)| match pred {
            PredNode::Bool(_) | PredNode::Unknown => true,
            PredNode::Eq(expr) | PredNode::Ne(expr) | PredNode::Le(expr) => expr.index() < self.nodes.len(),
            PredNode::And(preds) | PredNode::Or(preds) => preds.iter().all(|pred| pred.index() < at),
            PredNode::Float(relation) => [relation.left, relation.right].iter().all(|f| f.index() < self.floats.len()),
        };
        has_constants
            && self.facts.len() == self.nodes.len()
            && self.names.values().flatten().all(|sym: &Sym| sym.index() < self.symbols.len())
            && Grounded::of(self).is_all()
            && self.preds.iter().enumerate().all(is_pred)
    }
}

/// The rows that are made of constants and of symbols without a meaning, after however many steps.
struct Grounded {
    exprs: Vec<bool>,
    floats: Vec<bool>,
    symbols: Vec<bool>,
}

impl Grounded {
    fn of(pool: &Pool) -> Grounded {
        let (exprs, floats, symbols) = (pool.nodes.len(), pool.floats.len(), pool.symbols.len());
        let mut rows =
            Grounded { exprs: vec![false; exprs], floats: vec![false; floats], symbols: vec![false; symbols] };
        while rows.step(pool) {}
        rows
    }

    fn is_all(&self) -> bool {
        [&self.exprs, &self.floats, &self.symbols].into_iter().flatten().all(|&grounded| grounded)
    }

    /// Adds the rows that are made of those found so far; false if there are none.
    fn step(&mut self, pool: &Pool) -> bool {
        let mut found = false;
        for (at, symbol) in pool.symbols.values().enumerate() {
            let is = symbol.exprs().all(|expr| self.expr(expr));
            found |= is && !std::mem::replace(&mut self.symbols[at], is);
        }
        for (at, float) in pool.floats.iter().enumerate() {
            let is = match *float {
                FloatNode::Const(_) => true,
                FloatNode::Sym(sym) => self.symbol(sym),
                FloatNode::Int(expr) => self.expr(expr),
                FloatNode::IntTrueDiv(a, b) => self.expr(a) && self.expr(b),
                FloatNode::Unary(_, a) | FloatNode::RoundDecimal(a, _) => has(&self.floats, a),
                FloatNode::Binary(_, a, b) => has(&self.floats, a) && has(&self.floats, b),
            };
            found |= is && !std::mem::replace(&mut self.floats[at], is);
        }
        for (at, node) in pool.nodes.iter().enumerate() {
            let mut is = match node {
                Node::Sym(sym) => self.symbol(*sym),
                Node::Round(_, float) => has(&self.floats, *float),
                _ => true,
            };
            node.children(|child| is &= self.expr(child));
            found |= is && !std::mem::replace(&mut self.exprs[at], is);
        }
        found
    }

    fn expr(&self, expr: Expr) -> bool {
        has(&self.exprs, expr)
    }

    fn symbol(&self, sym: Sym) -> bool {
        has(&self.symbols, sym)
    }
}

fn has(rows: &[bool], row: impl EntityRef) -> bool {
    rows.get(row.index()).copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use crate::{Pool, Range};

    fn read(json: &str) -> Option<Pool> {
        serde_json::from_str::<Pool>(json).ok().filter(Pool::is_closed)
    }

    #[test]
    fn what_was_written_is_closed_and_what_names_other_rows_is_not() {
        let mut pool = Pool::new();
        let sym = pool.symbol("s0", Range::new(2, 100));
        let (size, three) = (pool.sym(sym), pool.int(3));
        let product = pool.mul(size, three);
        pool.add(product, size);
        let json = serde_json::to_string(&pool).expect("a pool is written");
        assert!(read(&json).is_some());
        let numbers: Vec<usize> = (0..json.len()).filter(|&at| json.as_bytes()[at].is_ascii_digit()).collect();
        for at in numbers {
            for digit in ["0", "7", "99999"] {
                let damaged = format!("{}{digit}{}", &json[..at], &json[at + 1..]);
                if let Some(mut pool) = read(&damaged) {
                    let all: Vec<_> = (0..pool.len()).map(|at| crate::Expr::from_u32(at as u32)).collect();
                    for expr in all {
                        let _ = pool.display(expr).to_string();
                        pool.add(expr, expr);
                    }
                }
            }
        }
    }
}
