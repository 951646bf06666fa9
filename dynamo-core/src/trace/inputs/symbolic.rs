//! Inputs of the graph: tensors of the caller's, and numbers that become symbols.

use crate::{
    host::{Mark, TensorView, Unbacked},
    reason::{Kind, Reason},
    trace::{Traced, Tracer, core::value::Value, options::Dynamic},
};
use fx::{Meta, TensorMeta};
use guards::{Constant, GuardKind, Layout, Root, Source, SourceId, Step, TensorGuard};
use std::sync::Arc;
use symshapes::{Constraint, Dim, EnvError, Expr, InputKind, Policy, Range, StrideInputs};

impl Tracer<'_> {
    /// True if an integer of the caller's is to be a symbol. One that is global or a default is so only once it has
    /// changed, such as a counter that the function advances: most are settings.
    pub(in crate::trace) fn is_dynamic_int(&self, source: SourceId) -> bool {
        match self.declared(source) {
            Some(Mark::Named(_) | Mark::Dynamic(..) | Mark::Maybe) => return true,
            Some(_) => return false,
            None => {}
        }
        match self.options.dynamic {
            _ if self.shapes.specialises || !self.options.ints => false,
            Dynamic::Never => false,
            Dynamic::Always => self.is_passed(source),
            Dynamic::Automatic => self.has_changed(source),
        }
    }

    /// True for what is reached through an argument or a variable of the function.
    fn is_passed(&self, source: SourceId) -> bool {
        match self.sources.get(source) {
            Some(Source::Root(root)) => matches!(root, Root::Local(_) | Root::Cell(_)),
            Some(Source::Step { step: Step::Defaults(_) | Step::KwDefaults(_), .. }) | None => false,
            Some(Source::Step { base, .. }) => self.is_passed(base),
        }
    }

    /// True if a float of the caller's is to be a symbol, wherever it is.
    /// A float that is not finite stays a constant: guards compare numbers.
    pub(in crate::trace) fn is_dynamic_float(&self, bits: u64, source: SourceId) -> bool {
        let wherever_it_is = || match self.options.dynamic {
            _ if self.shapes.specialises => false,
            Dynamic::Never => false,
            Dynamic::Always => true,
            Dynamic::Automatic => self.has_changed(source),
        };
        let finite = f64::from_bits(bits).is_finite();
        let undeclared = || self.declared(source).is_none();
        self.options.floats && finite && (self.is_dynamic_int(source) || undeclared() && wherever_it_is())
    }

    pub(in crate::trace) fn float_input(&mut self, hint: f64, source: Option<SourceId>) -> Traced {
        let Some(source) = source else { return Ok(self.constant(Constant::float(hint))) };
        if let Some(known) = self.number_input(source) {
            return Ok(known);
        }
        let float = self.shapes.env.float(source.into(), hint, Policy::Dynamic);
        let name = input_name(&self.sources.display(source).to_string());
        let number = self.float_placeholder(&name, float, source)?;
        self.objects.source_of[number] = source.into();
        Ok(number)
    }

    pub(in crate::trace) fn symbolic_input(&mut self, hint: i64, source: Option<SourceId>) -> Traced {
        let Some(source) = source else { return Ok(self.constant(Constant::Int(hint))) };
        if let Some(known) = self.number_input(source) {
            return Ok(known);
        }
        let expr = match self.declared(source) {
            Some(Mark::Named(named)) => self
                .shapes
                .env
                .named_input(source.into(), InputKind::Int, hint, &named, "")
                .map_err(|error| self.shape_error(&error))?,
            _ => self.shapes.env.int(source.into(), hint, Policy::Dynamic),
        };
        let name = self.shapes.env.pool().display(expr).to_string();
        let node = self.placeholder(&name, Meta::Int(expr), source);
        Ok(self.sourced(Value::SymInt { expr, node }, source))
    }

    pub(in crate::trace) fn tensor_input(&mut self, view: &TensorView, source: Option<SourceId>) -> Traced {
        let Some(source) = source else {
            return Err(Reason::new(Kind::Attribute, "A tensor that can be reached through no variable."));
        };
        let (sizes, strides, offset) = self.tensor_shape(view, source).map_err(|error| self.shape_error(&error))?;
        let guard = TensorGuard {
            python_type: self.object(view.class),
            dispatch_keys: view.dispatch_keys.clone(),
            dtype: view.dtype,
            device: view.device,
            layout: Layout::Strided,
            requires_grad: view.requires_grad,
            sizes: self.fixed(&sizes),
            strides: self.fixed(&strides),
        };
        let guard = self.sources.tensor(guard);
        self.guard(source, GuardKind::TensorMatch(guard));
        let name = input_name(&self.sources.display(source).to_string());
        let requires_grad = view.requires_grad;
        let meta = TensorMeta { dtype: view.dtype, device: view.device, sizes, strides, offset, requires_grad };
        let node = self.placeholder(&name, Meta::Tensor(meta), source);
        if view.is_parameter {
            self.graph.parameters.push(node);
        }
        Ok(self.value(Value::Tensor(node)))
    }

    fn tensor_shape(&mut self, view: &TensorView, source: SourceId) -> Result<(Vec<Expr>, Vec<Expr>, Expr), EnvError> {
        let mut dims = Vec::new();
        for (d, &hint) in (0..).zip(&view.sizes) {
            let size = self.sources.size(source, d);
            if view.is_parameter {
                // It may be replaced by one of another shape, but that is no reason for a symbol.
                dims.push((size, Dim { policy: Policy::Static, constraint: None }, Mark::default()));
                continue;
            }
            self.shapes.hints.push((size, hint));
            let mark = self.declared(size).or_else(|| view.marks.get(d as usize).cloned()).unwrap_or_default();
            dims.push((size, self.dim(&mark, size), mark));
        }
        // Where a tensor starts is guarded by nothing, and so is nothing that the trace may know.
        let offset = Expr::ZERO;
        if dims.iter().all(|(_, dim, mark)| dim.policy == Policy::Static && !matches!(mark, Mark::Pinned(_))) {
            // Its own guard says all there is to say.
            let mut ints = |values: &[i64]| values.iter().map(|&value| self.shapes.env.pool_mut().int(value)).collect();
            return Ok((ints(&view.sizes), ints(&view.strides), offset));
        }
        let mut sizes = Vec::new();
        for ((size, dim, mark), &hint) in dims.into_iter().zip(&view.sizes) {
            sizes.push(match &mark {
                Mark::Named(named) => self.shapes.env.named_input(size.into(), InputKind::Size, hint, named, "")?,
                Mark::Pinned(value) if *value != hint => return Err(not_pinned(size, hint, *value)),
                _ => self.shapes.env.size(size.into(), hint, &dim, "")?,
            });
            if let (Mark::Unbacked(said), Some(&size)) = (mark, sizes.last()) {
                self.believe(size, &said)?;
            }
        }
        let dims = 0..view.strides.len() as u32;
        let stride_sources: Vec<_> = dims.map(|d| self.sources.stride(source, d).into()).collect();
        let inputs = StrideInputs {
            sources: &stride_sources,
            sizes: &sizes,
            size_hints: &view.sizes,
            stride_hints: &view.strides,
        };
        let strides = self.shapes.env.strides(inputs, "")?;
        Ok((sizes, strides, offset))
    }

    /// True for a size or an integer that was another in an earlier call.
    fn has_changed(&self, source: SourceId) -> bool {
        let changed = &self.options.changed;
        !changed.is_empty() && changed.contains(&self.sources.display(source).to_string())
    }

    /// The mark that `dynamic_shapes` gives a size or an integer.
    fn declared(&self, source: SourceId) -> Option<Mark> {
        if self.options.declared.is_empty() {
            return None;
        }
        let printed = self.sources.display(source).to_string();
        self.options.declared.iter().find(|(source, _)| *source == printed).map(|(_, mark)| mark.clone())
    }

    /// States what the user says of a size that decides nothing.
    fn believe(&mut self, size: Expr, said: &Unbacked) -> Result<(), EnvError> {
        let place = self.place();
        let (pool, mut stated) = (self.shapes.env.pool_mut(), Vec::new());
        if let Some(min) = said.min {
            let min = pool.int(min);
            stated.push(pool.le(min, size));
        }
        if let Some(max) = said.max {
            let max = pool.int(max);
            stated.push(pool.le(size, max));
        }
        if let Some(group) = &said.group {
            let first = *self.shapes.groups.entry(Arc::clone(group)).or_insert(size);
            stated.push(pool.eq(size, first));
        }
        stated.into_iter().try_for_each(|p| self.shapes.env.check(p, "mark_unbacked", &place))
    }

    /// The reason why the environment has no answer.
    pub(in crate::trace) fn shape_error(&self, error: &EnvError) -> Reason {
        let names = |source: symshapes::SourceId| self.sources.display(source.into()).to_string();
        let promised = matches!(error, EnvError::HintOutOfRange { .. } | EnvError::NotAsNamed { .. });
        let kind = if promised { Kind::Promise } else { Kind::Shape };
        Reason::new(kind, format!("{}.", error.explain(&names)))
    }

    /// The values of those that are constants.
    fn fixed(&self, exprs: &[Expr]) -> Vec<Option<i64>> {
        exprs.iter().map(|&e| self.shapes.env.pool().as_int(e)).collect()
    }

    /// The policy for a dimension, and the user's promise about it.
    fn dim(&self, mark: &Mark, printed: SourceId) -> Dim {
        let changed = || self.has_changed(printed);
        let policy = match (mark, self.options.dynamic) {
            (Mark::Static, _) => Policy::Static,
            (Mark::Unbacked(_), _) => Policy::Unbacked,
            (Mark::Pinned(_), _) => Policy::Static,
            (Mark::Named(_), _) => Policy::Dynamic,
            (Mark::Dynamic(..), _) => Policy::Dynamic,
            (Mark::Maybe, _) | (Mark::None, Dynamic::Always) => Policy::Duck,
            (Mark::None, Dynamic::Never) => Policy::Static,
            (Mark::None, Dynamic::Automatic) if changed() => Policy::Duck,
            (Mark::None, Dynamic::Automatic) => Policy::Static,
        };
        let promised = match *mark {
            Mark::Dynamic(None, None) => Some(Range::ALL),
            Mark::Dynamic(low, high) => Some(Range::new(low.unwrap_or(0), high.unwrap_or(i64::MAX))),
            Mark::None | Mark::Static | Mark::Maybe | Mark::Unbacked(_) | Mark::Named(_) | Mark::Pinned(_) => None,
        };
        let constraint = promised.map(|range| Constraint::marked(range, ""));
        Dim { policy, constraint }
    }
}

/// The error of a size that `dynamic_shapes` says to be another.
fn not_pinned(source: SourceId, size: i64, value: i64) -> EnvError {
    let (named, at) = (value.to_string(), "dynamic_shapes".to_owned());
    EnvError::NotAsNamed { input: source.into(), size, named, expected: None, at }
}

/// A printed source as the name of a graph's input: `L['x'].y` is `L_x_y`.
pub fn input_name(source: &str) -> String {
    let mut name = String::new();
    for c in source.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name
}
