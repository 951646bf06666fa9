//! Kernels in text, as the middle writes them.

/// `gelu(x * w + b)` by its tanh form.
pub(crate) fn gelu(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel gelu(%0: f32[{n}] in, %1: f32[{cols}] in, %2: f32[{cols}] in, %3: f32[{n}] out) {{
  parallel i0 in 0..{rows} {{
    for i1 in 0..{cols} vector {{
      v0: f32 = load %0[{cols}*i0 + i1]
      v1: f32 = load %1[i1]
      v2: f32 = load %2[i1]
      v3: f32 = fma v0, v1, v2
      v4: f32 = mul v3, v3
      v5: f32 = mul v4, v3
      v6: f32 = const 0.044715
      v7: f32 = fma v5, v6, v3
      v8: f32 = const 0.7978845608028654
      v9: f32 = mul v7, v8
      v10: f32 = tanh v9
      v11: f32 = const 1
      v12: f32 = add v10, v11
      v13: f32 = const 0.5
      v14: f32 = mul v3, v13
      v15: f32 = mul v14, v12
      store %3[{cols}*i0 + i1] = v15
    }}
  }}
}}"
    )
}

/// Softmax along rows; the exponentials wait in scratch.
pub(crate) fn softmax(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel softmax(%0: f32[{n}] in, %1: f32[{n}] out, %2: f32[{cols}] scratch) {{
  parallel i0 in 0..{rows} {{
    for i1 in 0..{cols} vector reduce(a0: max f32) {{
      v0: f32 = load %0[{cols}*i0 + i1]
      a0 <- v0
    }}
    v1: f32 = reduced a0
    for i2 in 0..{cols} vector reduce(a1: sum f32) {{
      v2: f32 = load %0[{cols}*i0 + i2]
      v3: f32 = sub v2, v1
      v4: f32 = exp v3
      store %2[i2] = v4
      a1 <- v4
    }}
    v5: f32 = reduced a1
    v6: f32 = reciprocal v5
    for i3 in 0..{cols} vector {{
      v7: f32 = load %2[i3]
      v8: f32 = mul v7, v6
      store %1[{cols}*i0 + i3] = v8
    }}
  }}
}}"
    )
}

/// Layer norm along rows, with weight and bias.
pub(crate) fn layer_norm(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    let share = 1.0 / cols as f64;
    format!(
        "kernel layer_norm(%0: f32[{n}] in, %1: f32[{cols}] in, %2: f32[{cols}] in, %3: f32[{n}] out) {{
  parallel i0 in 0..{rows} {{
    v20: f32 = const {share}
    for i1 in 0..{cols} vector reduce(a0: sum f32) {{
      v0: f32 = load %0[{cols}*i0 + i1]
      a0 <- v0
    }}
    v1: f32 = reduced a0
    v2: f32 = mul v1, v20
    for i2 in 0..{cols} vector reduce(a1: sum f32) {{
      v3: f32 = load %0[{cols}*i0 + i2]
      v4: f32 = sub v3, v2
      v5: f32 = mul v4, v4
      a1 <- v5
    }}
    v6: f32 = reduced a1
    v7: f32 = mul v6, v20
    v8: f32 = const 0.00001
    v9: f32 = add v7, v8
    v10: f32 = rsqrt v9
    for i3 in 0..{cols} vector {{
      v11: f32 = load %0[{cols}*i0 + i3]
      v12: f32 = sub v11, v2
      v13: f32 = mul v12, v10
      v14: f32 = load %1[i3]
      v15: f32 = load %2[i3]
      v16: f32 = fma v13, v14, v15
      store %3[{cols}*i0 + i3] = v16
    }}
  }}
}}"
    )
}

/// Sums over rows: each lane has a column.
pub(crate) fn column_sum(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel column_sum(%0: f32[{n}] in, %1: f32[{cols}] out) {{
  parallel i0 in 0..{cols} vector {{
    for i1 in 0..{rows} reduce(a0: sum f32) {{
      v0: f32 = load %0[i0 + {cols}*i1]
      a0 <- v0
    }}
    v1: f32 = reduced a0
    store %1[i0] = v1
  }}
}}"
    )
}

/// A transposed copy: loads by ones, stores by strides.
pub(crate) fn transpose(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel transpose(%0: f32[{n}] in, %1: f32[{n}] out) {{
  parallel i0 in 0..{rows} {{
    for i1 in 0..{cols} vector {{
      v0: f32 = load %0[{cols}*i0 + i1]
      store %1[i0 + {rows}*i1] = v0
    }}
  }}
}}"
    )
}

/// A transposed copy: loads by strides, stores by ones.
pub(crate) fn transpose_back(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel transpose_back(%0: f32[{n}] in, %1: f32[{n}] out) {{
  parallel i0 in 0..{rows} {{
    for i1 in 0..{cols} vector {{
      v0: f32 = load %0[i0 + {rows}*i1]
      store %1[{cols}*i0 + i1] = v0
    }}
  }}
}}"
    )
}

/// A transposed copy as the middle writes it: stores by ones along the lanes, loads by ones inside.
pub(crate) fn transpose_lanes(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel transpose_lanes(%0: f32[{n}] in, %1: f32[{n}] out) {{
  parallel i0 in 0..{rows} vector {{
    for i1 in 0..{cols} {{
      v0: f32 = load %0[{cols}*i0 + i1]
      store %1[i0 + {rows}*i1] = v0
    }}
  }}
}}"
    )
}

/// A transposed copy times a constant and a factor for each row, which stays as it is (`in`) or changes (`inout`).
pub(crate) fn transpose_scaled(rows: i64, cols: i64, factors: &str) -> String {
    let n = rows * cols;
    let change = if factors == "in" { "" } else { "store %2[i0] = v4" };
    format!(
        "kernel transpose_scaled(%0: f32[{n}] in, %1: f32[{n}] out, %2: f32[{rows}] {factors}) {{
  parallel i0 in 0..{rows} vector {{
    v0: f32 = const 1.5
    v1: f32 = load %2[i0]
    for i1 in 0..{cols} {{
      v2: f32 = load %0[{cols}*i0 + i1]
      v3: f32 = mul v2, v0
      v4: f32 = mul v3, v1
      store %1[i0 + {rows}*i1] = v4
      {change}
    }}
  }}
}}"
    )
}

/// Sums of a matrix, a transposed one of another type, and every other element of a row that the inner loop does not
/// move along.
pub(crate) fn add_transposed(rows: i64, cols: i64, dtype: &str) -> String {
    let (n, row) = (rows * cols, 2 * rows);
    format!(
        "kernel add_transposed(%0: {dtype}[{n}] in, %1: f32[{n}] in, %2: f32[{n}] out, %3: f32[{row}] in) {{
  parallel i0 in 0..1 {{
    for i1 in 0..{rows} vector {{
      for i2 in 0..{cols} {{
        v0: {dtype} = load %0[{cols}*i1 + i2]
        v1: f32 = convert v0
        v2: f32 = load %1[i1 + {rows}*i2]
        v3: f32 = load %3[2*i1]
        v4: f32 = add v1, v2
        v5: f32 = add v4, v3
        store %2[i1 + {rows}*i2] = v5
      }}
    }}
  }}
}}"
    )
}

/// The position of the first maximum of each row.
pub(crate) fn argmax(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel argmax(%0: f32[{n}] in, %1: i64[{rows}] out) {{
  parallel i0 in 0..{rows} {{
    for i1 in 0..{cols} vector reduce(a0: argmax f32) {{
      v0: f32 = load %0[{cols}*i0 + i1]
      a0 <- v0 at i1
    }}
    v1: i64 = reduced a0
    store %1[i0] = v1
  }}
}}"
    )
}

/// Rows padded by three on both sides.
pub(crate) fn pad(rows: i64, cols: i64) -> String {
    let (n, wide) = (rows * cols, cols + 6);
    let out = rows * wide;
    let last = cols + 3;
    format!(
        "kernel pad(%0: f32[{n}] in, %1: f32[{out}] out) {{
  parallel i0 in 0..{rows} {{
    v0: i64 = const 3
    v1: i64 = const {last}
    for i1 in 0..{wide} vector {{
      v2: i64 = index i1
      v3: bool = ge v2, v0
      v4: bool = lt v2, v1
      v5: bool = and v3, v4
      v6: f32 = load %0[{cols}*i0 + i1 - 3] if v5
      store %1[{wide}*i0 + i1] = v6
    }}
  }}
}}"
    )
}

/// Rows of a table, by position: the positions are uniform along the lanes.
pub(crate) fn embedding(rows: i64, cols: i64) -> String {
    let (n, table) = (rows * cols, 10 * cols);
    format!(
        "kernel embedding(%0: i64[{rows}] in, %1: f32[{table}] in, %2: f32[{n}] out) {{
  parallel i0 in 0..{rows} {{
    v0: i64 = load %0[i0]
    v1: i64 = bind v0 as j0 in 0..=9
    for i1 in 0..{cols} vector {{
      v2: f32 = load %1[{cols}*j0 + i1]
      store %2[{cols}*i0 + i1] = v2
    }}
  }}
}}"
    )
}

/// Elements by position: each lane its own.
pub(crate) fn gather(n: i64) -> String {
    format!(
        "kernel gather(%0: i64[{n}] in, %1: f32[10] in, %2: f32[{n}] out) {{
  parallel i0 in 0..{n} vector {{
    v0: i64 = load %0[i0]
    v1: i64 = bind v0 as j0 in 0..=9
    v2: f32 = load %1[j0]
    store %2[i0] = v2
  }}
}}"
    )
}

/// A flattened addition of a row: the index of the row is a remainder.
pub(crate) fn bias(rows: i64, cols: i64) -> String {
    let n = rows * cols;
    format!(
        "kernel bias(%0: f32[{n}] in, %1: f32[{cols}] in, %2: f32[{rows}] in, %3: f32[{n}] out) {{
  parallel i0 in 0..{n} vector {{
    v0: f32 = load %0[i0]
    v1: f32 = load %1[Mod(i0, {cols})]
    v2: f32 = load %2[i0//{cols}]
    v3: f32 = add v0, v1
    v4: f32 = mul v3, v2
    store %3[i0] = v4
  }}
}}"
    )
}
