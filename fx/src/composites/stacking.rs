//! Stacks, tiles, splits and grids: rearrangements of whole tensors (`TensorShape.cpp`, `TensorTransformations.cpp`).

use super::{
    Expand, ExpandSeveral,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::Expr;

/// The composites of this family that give a tensor.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::hstack_default, |p| {
        let tensors = each(p, at_least_1d)?;
        let dim = if p.rank(tensors[0])? == 1 { 0 } else { 1 };
        cat(p, tensors, dim)
    }),
    (Aten::vstack_default, vstack),
    (Aten::row_stack_default, vstack),
    (Aten::dstack_default, |p| {
        let tensors = each(p, at_least_3d)?;
        cat(p, tensors, 2)
    }),
    (Aten::column_stack_default, |p| {
        let tensors = each(p, column)?;
        cat(p, tensors, 1)
    }),
    (Aten::atleast_1d_default, |p| at_least_1d(p, p.node("self")?)),
    (Aten::atleast_2d_default, |p| at_least_2d(p, p.node("self")?)),
    (Aten::atleast_3d_default, |p| at_least_3d(p, p.node("self")?)),
    (Aten::cartesian_prod_default, cartesian_product),
    (Aten::diag_default, |p| {
        let this = p.node("self")?;
        let op = match p.rank(this)? {
            1 => Aten::diag_embed_default,
            2 => Aten::diagonal_copy_default,
            _ => return Err(p.rejected("neither a vector nor a matrix")),
        };
        p.call(op, p.args(&["self", "diagonal"]))
    }),
    (Aten::tile_default, |p| {
        let this = p.node("self")?;
        let dims = p.bound.list("dims").ok_or_else(|| p.unsupported("repeats that are no list"))?;
        let missing = p.rank(this)?.saturating_sub(dims.len());
        let repeats = [&vec![Arg::Int(1); missing], dims].concat();
        p.with(Aten::repeat_default, this, repeats)
    }),
    (Aten::linalg_diagonal_default, |p| p.call(Aten::diagonal_default, p.args(&["A", "offset", "dim1", "dim2"]))),
    (Aten::adjoint_default, |p| {
        let this = p.node("self")?;
        if p.is_complex(this)? {
            return Err(p.unsupported("complex numbers"));
        }
        p.demand(p.rank(this)? >= 2, "a tensor that holds no matrices")?;
        p.call(Aten::transpose_int, [Arg::Node(this), Arg::Int(-2), Arg::Int(-1)])
    }),
    (Aten::fliplr_default, |p| {
        let this = p.node("self")?;
        p.demand(p.rank(this)? >= 2, "a tensor without columns")?;
        p.with(Aten::flip_default, this, vec![Arg::Int(1)])
    }),
    (Aten::flipud_default, |p| {
        let this = p.node("self")?;
        p.demand(p.rank(this)? >= 1, "a number")?;
        p.with(Aten::flip_default, this, vec![Arg::Int(0)])
    }),
    (Aten::flatten_dense_tensors_default, |p| {
        let tensors = p.nodes("tensors")?;
        p.demand(!tensors.is_empty(), "no tensor")?;
        let flat = tensors.into_iter().map(|tensor| flat(p, tensor)).collect::<Outcome<Vec<_>>>()?;
        cat(p, flat, 0)
    }),
    (Aten::movedim_int, moved),
    (Aten::movedim_intlist, moved),
    (Aten::moveaxis_int, moved),
    (Aten::moveaxis_intlist, moved),
    (Aten::sum_to_size_default, sum_to_size),
    (Aten::take_along_dim_default, take_along_dim),
    (Aten::repeat_interleave_self_int, repeat_interleave),
    (Aten::fft_fftshift_default, |p| shifted(p, 0)),
    (Aten::fft_ifftshift_default, |p| shifted(p, 1)),
];

/// The composites of this family that give several tensors.
pub(super) const SEVERAL: &[(Aten, ExpandSeveral)] = &[
    (Aten::atleast_1d_Sequence, |p| each(p, at_least_1d)),
    (Aten::atleast_2d_Sequence, |p| each(p, at_least_2d)),
    (Aten::atleast_3d_Sequence, |p| each(p, at_least_3d)),
    (Aten::broadcast_tensors_default, broadcast),
    (Aten::meshgrid_default, |p| {
        let tensors = p.nodes("tensors")?;
        grid(p, &tensors)
    }),
    (Aten::meshgrid_indexing, |p| match p.bound.str("indexing")? {
        "ij" => {
            let tensors = p.nodes("tensors")?;
            grid(p, &tensors)
        }
        "xy" => grid_by_columns(p),
        _ => Err(p.rejected("an order of dimensions that is neither `ij` nor `xy`")),
    }),
];

/// Each tensor of the call's list, changed alike.
fn each(p: &mut Parts, change: fn(&mut Parts, NodeId) -> Outcome) -> Outcome<Vec<NodeId>> {
    let tensors = p.nodes("tensors")?;
    p.demand(!tensors.is_empty(), "no tensor")?;
    tensors.into_iter().map(|tensor| change(p, tensor)).collect()
}

fn cat(p: &mut Parts, tensors: Vec<NodeId>, dim: i64) -> Outcome {
    let tensors = Arg::List(tensors.into_iter().map(Arg::Node).collect());
    p.call(Aten::cat_default, [tensors, Arg::Int(dim)])
}

fn vstack(p: &mut Parts) -> Outcome {
    let tensors = each(p, at_least_2d)?;
    cat(p, tensors, 0)
}

fn at_least_1d(p: &mut Parts, tensor: NodeId) -> Outcome {
    if p.rank(tensor)? > 0 { Ok(tensor) } else { p.reshape(tensor, &[Expr::ONE]) }
}

fn at_least_2d(p: &mut Parts, tensor: NodeId) -> Outcome {
    match p.rank(tensor)? {
        0 => p.reshape(tensor, &[Expr::ONE; 2]),
        1 => p.with(Aten::unsqueeze_default, tensor, 0),
        _ => Ok(tensor),
    }
}

fn at_least_3d(p: &mut Parts, tensor: NodeId) -> Outcome {
    match p.rank(tensor)? {
        0 => p.reshape(tensor, &[Expr::ONE; 3]),
        1 => {
            let row = p.with(Aten::unsqueeze_default, tensor, 0)?;
            p.with(Aten::unsqueeze_default, row, -1)
        }
        2 => p.with(Aten::unsqueeze_default, tensor, -1),
        _ => Ok(tensor),
    }
}

/// A number or vector as a column.
fn column(p: &mut Parts, tensor: NodeId) -> Outcome {
    let sizes = p.sizes_of(tensor)?;
    if sizes.len() > 1 {
        return Ok(tensor);
    }
    let count = p.product(&sizes);
    p.reshape(tensor, &[count, Expr::ONE])
}

pub(super) fn flat(p: &mut Parts, tensor: NodeId) -> Outcome {
    let sizes = p.sizes_of(tensor)?;
    let count = p.product(&sizes);
    p.reshape(tensor, &[count])
}

/// A tensor with some dimensions at other places, the others in their order.
fn moved(p: &mut Parts) -> Outcome {
    let this = p.node("self")?;
    let rank = p.rank(this)?;
    let dims = |name| p.bound.ints(name)?.into_iter().map(|dim| p.wrap(dim, rank)).collect::<Outcome<Vec<_>>>();
    let (source, destination) = (dims("source")?, dims("destination")?);
    p.move_dims(this, &source, &destination)
}

/// Vectors spread over a grid of all of their places, the first along the first dimension.
fn grid(p: &mut Parts, tensors: &[NodeId]) -> Outcome<Vec<NodeId>> {
    p.demand(!tensors.is_empty(), "no tensor")?;
    let mut sizes = Vec::new();
    for &tensor in tensors {
        let own = p.sizes_of(tensor)?;
        p.demand(own.len() <= 1, "a tensor of several dimensions")?;
        p.demand(p.dtype(tensor)? == p.dtype(tensors[0])?, "tensors of several element types")?;
        sizes.push(own.first().copied().unwrap_or(Expr::ONE));
    }
    let all = p.size_args(&sizes);
    let spread = |(place, tensor): (usize, NodeId)| {
        let mut alone = vec![Arg::Int(1); tensors.len()];
        alone[place] = Arg::Int(-1);
        let alone = p.with(Aten::view_default, tensor, alone)?;
        p.with(Aten::expand_default, alone, all.clone())
    };
    tensors.iter().copied().enumerate().map(spread).collect()
}

/// A grid whose first two dimensions are exchanged.
fn grid_by_columns(p: &mut Parts) -> Outcome<Vec<NodeId>> {
    let mut tensors = p.nodes("tensors")?;
    let is_plane = tensors.len() >= 2;
    if is_plane {
        tensors.swap(0, 1);
    }
    let mut grids = grid(p, &tensors)?;
    if is_plane {
        grids.swap(0, 1);
    }
    Ok(grids)
}

fn cartesian_product(p: &mut Parts) -> Outcome {
    let tensors = p.nodes("tensors")?;
    for &tensor in &tensors {
        p.demand(p.rank(tensor)? == 1, "a tensor that is no vector")?;
    }
    if let [only] = tensors[..] {
        return Ok(only);
    }
    let grids = grid(p, &tensors)?;
    let columns = grids.into_iter().map(|grid| flat(p, grid)).collect::<Outcome<Vec<_>>>()?;
    let columns = Arg::List(columns.into_iter().map(Arg::Node).collect());
    p.call(Aten::stack_default, [columns, Arg::Int(1)])
}

/// Tensors of the sizes to which all broadcast; one that has them is given back as it is.
fn broadcast(p: &mut Parts) -> Outcome<Vec<NodeId>> {
    let tensors = p.nodes("tensors")?;
    let shapes = tensors.iter().map(|&tensor| p.sizes_of(tensor)).collect::<Outcome<Vec<_>>>()?;
    let sizes = p.broadcast(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    let all = p.size_args(&sizes);
    let expand = |(tensor, own): (NodeId, &Vec<Expr>)| match *own == sizes {
        true => Ok(tensor),
        false => p.with(Aten::expand_default, tensor, all.clone()),
    };
    tensors.into_iter().zip(&shapes).map(expand).collect()
}

/// A tensor summed over the dimensions along which these sizes would broadcast to its own.
fn sum_to_size(p: &mut Parts) -> Outcome {
    let this = p.node("self")?;
    let own = p.sizes_of(this)?;
    let wanted = p.exprs("size")?;
    let leading = own.len().checked_sub(wanted.len()).ok_or_else(|| p.rejected("more dimensions than there are"))?;
    let mut dims: Vec<usize> = (0..leading).collect();
    for (dim, (&size, &to)) in own[leading..].iter().zip(&wanted).enumerate() {
        if !p.is_one(size)? && p.is_one(to)? {
            dims.push(leading + dim);
        } else if !p.are_equal(size, to)? {
            return Err(p.rejected("sizes that do not broadcast to the tensor's"));
        }
    }
    let summed = p.summed(this, &dims)?;
    if leading == 0 {
        return Ok(summed);
    }
    let sizes = p.size_args(&wanted);
    p.with(Aten::view_default, summed, sizes)
}

/// Elements at places along a dimension, of tensors that broadcast along the others.
fn take_along_dim(p: &mut Parts) -> Outcome {
    let (this, places) = (p.node("self")?, p.node("indices")?);
    if p.bound.get("dim").is_none() {
        let (this, places) = (flat(p, this)?, flat(p, places)?);
        return p.call(Aten::gather_default, [Arg::Node(this), Arg::Int(0), Arg::Node(places)]);
    }
    let (own, of_places) = (p.sizes_of(this)?, p.sizes_of(places)?);
    p.demand(own.len() == of_places.len(), "places of another rank")?;
    let dim = p.wrap(p.int("dim")?, own.len())?;
    let (mut without, mut of_places_without) = (own.clone(), of_places.clone());
    if let (Some(size), Some(count)) = (without.get_mut(dim), of_places_without.get_mut(dim)) {
        (*size, *count) = (Expr::ONE, Expr::ONE);
    }
    let mut all = p.broadcast(&[&without, &of_places_without])?;
    let mut expanded = |tensor: NodeId, along: Option<&Expr>| {
        if let (Some(size), Some(&along)) = (all.get_mut(dim), along) {
            *size = along;
        }
        let sizes = p.size_args(&all);
        p.with(Aten::expand_default, tensor, sizes)
    };
    let places = expanded(places, of_places.get(dim))?;
    let this = expanded(this, own.get(dim))?;
    let size = p.pool().as_int(own.get(dim).copied().unwrap_or(Expr::ONE));
    let size = size.ok_or_else(|| p.unsupported("a size that is not constant"))?;
    p.demand(size > 0, "places in an empty dimension")?;
    let places = p.with(Aten::remainder_Scalar, places, size)?;
    p.call(Aten::gather_default, [Arg::Node(this), Arg::Int(dim as i64), Arg::Node(places)])
}

/// Each element so many times in a row.
fn repeat_interleave(p: &mut Parts) -> Outcome {
    if !p.bound.get("output_size").is_none() {
        return Err(p.unsupported("a size that is promised"));
    }
    let this = p.node("self")?;
    let repeats = p.exprs("repeats")?[0];
    let (this, dim) = match p.bound.opt_int("dim")? {
        Some(dim) => (this, p.wrap(dim, p.rank(this)?)?),
        None => (flat(p, this)?, 0),
    };
    let mut sizes = p.sizes_of(this)?;
    p.demand(!sizes.is_empty(), "a tensor without dimensions")?;
    let next = p.with(Aten::unsqueeze_default, this, dim as i64 + 1)?;
    let longer = p.pool().mul(sizes[dim], repeats);
    let apart = [&sizes[..=dim], &[repeats], &sizes[dim + 1..]].concat();
    let apart = p.size_args(&apart);
    let repeated = p.with(Aten::expand_default, next, apart)?;
    let format = Arg::MemoryFormat("contiguous_format".to_owned());
    let copied = p.call_named(Aten::clone_default, vec![Arg::Node(repeated)], &[("memory_format", format)])?;
    sizes[dim] = longer;
    p.reshape(copied, &sizes)
}

/// A tensor rolled along dimensions by half of their sizes, rounded up by so much.
fn shifted(p: &mut Parts, rounded: i64) -> Outcome {
    let this = p.node("self")?;
    let sizes = p.sizes_of(this)?;
    let dims = match p.bound.opt_ints("dim")? {
        Some(dims) => dims.into_iter().map(|dim| p.wrap(dim, sizes.len())).collect::<Outcome<Vec<_>>>()?,
        None => (0..sizes.len()).collect(),
    };
    if dims.is_empty() {
        return Err(p.unsupported("no dimension"));
    }
    let mut shifts = Vec::new();
    for &dim in &dims {
        let size = sizes.get(dim).copied().ok_or_else(|| p.rejected("a dimension out of range"))?;
        let longer = p.pool().add_int(size, rounded);
        let half = p.pool().floor_div_int(longer, 2);
        shifts.push(p.size_arg(half));
    }
    let dims = dims.into_iter().map(|dim| Arg::Int(dim as i64)).collect();
    p.call(Aten::roll_default, [Arg::Node(this), Arg::List(shifts), Arg::List(dims)])
}
