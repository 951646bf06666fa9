//! Depthwise convolution.

use fx::prim::Pointwise;
use symshapes::Expr;

use super::super::{Args, Builder, Rewrite, unsupported};
use super::{axes, elements};

/// A convolution in which no two channels meet.
pub(super) fn depthwise(b: &mut Builder, a: &Args) -> Rewrite {
    let (image, weight) = (a.tensor("input")?, a.tensor("weight")?);
    let sizes = |b: &Builder, t| b.sizes(t).iter().map(|&n| b.graph.pool.as_int(n)).collect::<Vec<_>>();
    let &[Some(outputs), Some(1), Some(rows), Some(columns)] = sizes(b, weight).as_slice() else {
        return unsupported("a convolution of several channels");
    };
    let channels = sizes(b, image).get(1).copied().flatten();
    if (a.has("transposed") && a.bool("transposed")?) || a.int("groups")? != outputs || channels != Some(outputs) {
        return unsupported("a convolution of several channels");
    }
    if a.result()?.strides.get(1) == Some(&Expr::ONE) {
        return unsupported("channels last, along which the weights of an element lie apart");
    }
    let axes = axes(b, a, image, [rows, columns])?;
    let elements = elements(b, a, image, axes, 0.0)?;
    let along_channels = [b.int(outputs), Expr::ONE, Expr::ONE];
    let mut sum = a.opt_tensor("bias")?.map(|bias| b.reshape(bias, &along_channels));
    for (number, element) in elements.into_iter().enumerate() {
        let (row, column) = (b.int(number as i64 / columns), b.int(number as i64 % columns));
        let factor = b.slice(weight, 2, row, 1, Expr::ONE);
        let factor = b.slice(factor, 3, column, 1, Expr::ONE);
        let factor = b.reshape(factor, &along_channels);
        sum = Some(match sum {
            Some(sum) => b.fma(element, factor, sum),
            None => b.map(Pointwise::Mul, &[element, factor]),
        });
    }
    sum.map_or_else(|| unsupported("no window"), Ok)
}
