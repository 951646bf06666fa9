//! The table of a graph's nodes, as `torch.fx.Graph.print_tabular` prints it.
//!
//! One difference: a function is named, not shown by its address; `operator` functions and builtins look alike.

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node};
use crate::shown::{Shown, Style};
use crate::target::Callee;

type Row = [String; 5];

impl Graph {
    /// The table: kind, name, target, arguments and keyword arguments of each node.
    pub fn tabular(&self) -> String {
        let header = ["opcode", "name", "target", "args", "kwargs"].map(str::to_owned);
        let rows: Vec<Row> = self.nodes().map(|n| self.row(&self[n])).collect();
        // `tabulate` makes each column two wider than its header, however short the cells.
        let mut widths = header.each_ref().map(|h| h.len() + 2);
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let rule = widths.map(|w| "-".repeat(w));
        let lines = [&header, &rule].into_iter().chain(&rows).map(|row| line(row, &widths));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn row(&self, node: &Node) -> Row {
        let args = Arg::Tuple(node.args.clone());
        let kwargs = Arg::Dict(node.kwargs.iter().map(|(k, v)| (Arg::Str(k.clone()), v.clone())).collect());
        let shown = |arg: &Arg| Shown { graph: self, arg, style: Style::Repr }.to_string();
        [node.kind.name().to_owned(), node.name.to_string(), table_target(node), shown(&args), shown(&kwargs)]
    }
}

fn line(row: &Row, widths: &[usize; 5]) -> String {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, &w)| format!("{cell:<w$}")).collect();
    cells.join("  ").trim_end().to_owned()
}

fn table_target(node: &Node) -> String {
    if node.kind != Kind::CallFunction {
        return node.target.to_string();
    }
    match node.target.callee() {
        Callee::Operator(name) | Callee::Builtin(name) => format!("<built-in function {name}>"),
        Callee::Overload { namespace, name, overload } => format!("{namespace}.{name}.{overload}"),
        other @ Callee::Function { .. } => other.qualified(),
    }
}
