//! A matrix product in tiles, whatever the matrices are made of: what convolution shares with `mm`.
//!
//! A workgroup of 256 threads computes a tile of the product. It loads a slab of each operand to workgroup memory, all
//! threads add its products to registers, and so on along `k`. Sums are in `float32`, those of integers in integers.

use inductor::device::Refusal;

use super::groups;

/// The sizes of a tile. `rows * columns / (per_row * per_column)` is 256.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// Rows and columns of the product that a workgroup computes.
    rows: i64,
    columns: i64,
    /// The number of steps along `k` that it loads at once.
    depth: i64,
    /// Rows and columns that a thread computes.
    per_row: i64,
    per_column: i64,
}

const LARGE: Tile = Tile { rows: 64, columns: 64, depth: 16, per_row: 4, per_column: 4 };
const SMALL: Tile = Tile { rows: 16, columns: 16, depth: 16, per_row: 1, per_column: 1 };

/// The definition of a product: functions in WGSL that load the operands and store the result.
pub(super) struct Product {
    /// Declares `fn load_a(batch: u32, row: u32, k: u32) -> T`, `fn load_b(batch: u32, k: u32, column: u32) -> T` and
    /// `fn store(batch: u32, row: u32, column: u32, sum: T)`.
    pub(super) functions: String,
    /// `T`, the type of WGSL that is computed with.
    pub(super) of: &'static str,
    /// True if neighbours in memory are neighbours along `k` in the first operand, so that they are loaded in that
    /// order.
    pub(super) a_along_k: bool,
    /// Counterpart of `a_along_k` for the second operand.
    pub(super) b_along_k: bool,
}

impl Tile {
    /// The tile for a product of so many rows and columns.
    pub(super) fn of(rows: i64, columns: i64) -> Tile {
        if rows <= 32 || columns <= 32 { SMALL } else { LARGE }
    }

    /// The workgroups for it.
    pub(super) fn groups(self, rows: i64, columns: i64, batches: i64) -> Result<[u32; 3], Refusal> {
        Ok([groups(columns, self.columns)?, groups(rows, self.rows)?, groups(batches, 1)?])
    }

    /// The shader after its declarations, among which are the numbers `m`, `n` and `k`.
    pub(super) fn text(self, product: &Product) -> String {
        let Tile { rows, columns, depth, per_row, per_column } = self;
        let (a_loads, b_loads) = (rows * depth / 256, columns * depth / 256);
        let (a_row, a_k) = split(product.a_along_k, depth, rows);
        let (b_column, b_k) = split(product.b_along_k, depth, columns);
        let (across, sums) = (columns / per_column, per_row * per_column);
        format!(
            "{functions}
var<workgroup> slab_a: array<{of}, {a_length}>;
var<workgroup> slab_b: array<{of}, {b_length}>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {{
    let row = group.y * {rows}u;
    let column = group.x * {columns}u;
    let own_row = (thread / {across}u) * {per_row}u;
    let own_column = (thread % {across}u) * {per_column}u;
    var sums: array<{of}, {sums}>;
    for (var at = 0u; at < p.k; at += {depth}u) {{
        for (var i = 0u; i < {a_loads}u; i++) {{
            let e = thread + i * 256u;
            let r = {a_row};
            let k = {a_k};
            var value = {of}(0);
            if (row + r < p.m && at + k < p.k) {{ value = load_a(group.z, row + r, at + k); }}
            slab_a[k * {rows}u + r] = value;
        }}
        for (var i = 0u; i < {b_loads}u; i++) {{
            let e = thread + i * 256u;
            let c = {b_column};
            let k = {b_k};
            var value = {of}(0);
            if (column + c < p.n && at + k < p.k) {{ value = load_b(group.z, at + k, column + c); }}
            slab_b[k * {columns}u + c] = value;
        }}
        workgroupBarrier();
        for (var k = 0u; k < {depth}u; k++) {{
            for (var r = 0u; r < {per_row}u; r++) {{
                let a = slab_a[k * {rows}u + own_row + r];
                for (var c = 0u; c < {per_column}u; c++) {{
                    sums[r * {per_column}u + c] += a * slab_b[k * {columns}u + own_column + c];
                }}
            }}
        }}
        workgroupBarrier();
    }}
    for (var r = 0u; r < {per_row}u; r++) {{
        for (var c = 0u; c < {per_column}u; c++) {{
            if (row + own_row + r < p.m && column + own_column + c < p.n) {{
                store(group.z, row + own_row + r, column + own_column + c, sums[r * {per_column}u + c]);
            }}
        }}
    }}
}}
",
            functions = product.functions,
            of = product.of,
            a_length = rows * depth,
            b_length = columns * depth,
        )
    }
}

/// The position across and along `k` of element `e` of a slab.
fn split(along_k: bool, depth: i64, width: i64) -> (String, String) {
    if along_k {
        (format!("e / {depth}u"), format!("e % {depth}u"))
    } else {
        (format!("e % {width}u"), format!("e / {width}u"))
    }
}
