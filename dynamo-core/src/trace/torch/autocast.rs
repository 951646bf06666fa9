//! Automatic mixed precision: contexts that choose element types on their own.
//!
//! Entering and leaving are nodes of the graph, as in torch's own. Which devices are concerned while tracing stands in
//! `Modes::autocast`; the graph ends as it began, and code that goes on inside of a context enters it anew.
//!
//! The result of a call is inferred with its arguments as they are converted before it. The rules for the CPU and for
//! CUDA are known (`fx::aten::autocast`): for other devices nothing is traced while it is on.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::{AUTOCAST, Autocast},
            modes::{ENTER_AUTOCAST, EXIT_AUTOCAST, EnteredAutocast},
            value::{Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, NodeId};
use guards::Constant;
use symshapes::{DType, DeviceKind};

impl Tracer<'_> {
    /// A manager that the caller has made.
    pub(in crate::trace) fn autocast_object(&mut self, this: ValueId) -> Traced<Autocast> {
        let mut attr = |name: &str| self.get_attr(this, name).map(Some);
        let (device, dtype) = (attr("device")?, attr("fast_dtype")?);
        let (enabled, cache) = (attr("_enabled")?, attr("_cache_enabled")?);
        // Its class has asked for the device.
        self.autocast_with(device, dtype, enabled, cache)
    }

    /// A manager of these arguments of its class.
    pub(in crate::trace) fn autocast_of(
        &mut self,
        device: Option<ValueId>,
        dtype: Option<ValueId>,
        enabled: Option<ValueId>,
        cache: Option<ValueId>,
    ) -> Traced<Autocast> {
        let autocast = self.autocast_with(device, dtype, enabled, cache)?;
        if autocast.device == DeviceKind::Cuda && autocast.enabled && !self.has_cuda(autocast.dtype)? {
            return Err(Reason::new(Kind::Context, "`autocast` for CUDA, which is not available."));
        }
        Ok(autocast)
    }

    fn autocast_with(
        &mut self,
        device: Option<ValueId>,
        dtype: Option<ValueId>,
        enabled: Option<ValueId>,
        cache: Option<ValueId>,
    ) -> Traced<Autocast> {
        let unknown = |what: &str| Reason::new(Kind::Context, format!("`autocast` {what}."));
        let mut given = |value: Option<ValueId>| -> Traced<Constant> {
            let Some(value) = value else { return Ok(Constant::None) };
            let value = self.decided(value)?;
            Ok(self.as_constant(value)?.unwrap_or(Constant::Ellipsis))
        };
        let (device, dtype, enabled, cache) = (given(device)?, given(dtype)?, given(enabled)?, given(cache)?);
        let (device, default) = match device {
            Constant::Str(name) if name == "cpu" => (DeviceKind::Cpu, DType::BF16),
            Constant::Str(name) if name == "cuda" => (DeviceKind::Cuda, DType::F16),
            _ => return Err(unknown("of a device other than the CPU and CUDA")),
        };
        let dtype = match dtype {
            Constant::DType(dtype) => dtype,
            Constant::None => self.current_type(device).unwrap_or(default),
            _ => return Err(unknown("to an unknown type")),
        };
        let enabled = match enabled {
            Constant::Bool(enabled) => enabled,
            Constant::None => true,
            _ => return Err(unknown("that is perhaps on")),
        };
        let cache = match cache {
            Constant::Bool(cache) => Some(cache),
            Constant::None => None,
            _ => return Err(unknown("with an unknown cache")),
        };
        // torch warns, and leaves it off; on CUDA it takes any type.
        if !matches!(dtype, DType::BF16 | DType::F16) {
            return Err(unknown("to a type that is not supported"));
        }
        Ok(Autocast { device, dtype, enabled, cache })
    }

    /// True if there is a GPU that has this type.
    fn has_cuda(&mut self, dtype: DType) -> Traced<bool> {
        // No guard: which GPUs there are does not change.
        let mut says = |function: &str| {
            let answer = self.fold(function, &[])?;
            Ok(matches!(self.get(answer)?, Value::Const(Constant::Bool(true))))
        };
        Ok(says("torch.cuda.is_available")? && (dtype != DType::BF16 || says("torch.cuda.is_bf16_supported")?))
    }

    /// The type that a device's autocast has been set to, on or off, by the innermost manager that is for it or around
    /// the call.
    fn current_type(&self, device: DeviceKind) -> Option<DType> {
        let node = |entered: &EnteredAutocast| &self.graph.torch[entered.node].args;
        let is_for = |args: &&Vec<Arg>| args.first().and_then(Arg::as_str) == Some(device.name());
        let innermost = self.modes.autocast.entered.iter().rev().map(node).find(is_for);
        match innermost.and_then(|args| args.get(1)) {
            Some(&Arg::DType(dtype)) => Some(dtype),
            _ => self.chosen(device),
        }
    }

    /// The type that is chosen for a device, if it is on there.
    pub(in crate::trace) fn chosen(&self, device: DeviceKind) -> Option<DType> {
        self.modes.autocast.current.iter().find(|(kind, _)| *kind == device).map(|&(_, dtype)| dtype)
    }

    /// The type that is chosen for the device of this name, if it is on there; without a name, for GPUs.
    pub(in crate::trace) fn autocast_for(&mut self, device: Option<ValueId>) -> Traced<Option<DType>> {
        let name = match device {
            None => Constant::Str("cuda".to_owned()),
            Some(name) => self.as_constant(name)?.unwrap_or(Constant::None),
        };
        match name {
            Constant::Str(name) if name == "cpu" => Ok(self.chosen(DeviceKind::Cpu)),
            Constant::Str(name) if name == "cuda" => Ok(self.chosen(DeviceKind::Cuda)),
            _ => Err(Reason::new(Kind::Context, "The autocast of another device.")),
        }
    }

    /// Enters a manager.
    pub(in crate::trace) fn enter_autocast(&mut self, autocast: Autocast) {
        let cache = autocast.cache.map_or(Arg::None, Arg::Bool);
        let args = vec![
            Arg::Str(autocast.device.name().to_owned()),
            Arg::DType(autocast.dtype),
            Arg::Bool(autocast.enabled),
            cache,
        ];
        let node = self.emit_effect(ENTER_AUTOCAST, args);
        self.modes.autocast.entered.push(EnteredAutocast { node, before: self.modes.autocast.current.clone() });
        self.modes.autocast.current.retain(|(kind, _)| *kind != autocast.device);
        if autocast.enabled {
            self.modes.autocast.current.push((autocast.device, autocast.dtype));
        }
    }

    /// Leaves the manager that was entered last.
    pub(in crate::trace) fn leave_autocast(&mut self) -> Traced<()> {
        let entered =
            self.modes.autocast.entered.pop().ok_or_else(|| crate::reason::raised("RuntimeError: no autocast"))?;
        self.emit_effect(EXIT_AUTOCAST, vec![Arg::Node(entered.node)]);
        self.modes.autocast.current = entered.before;
        Ok(())
    }

    /// `__exit__` of a manager that was entered before the trace began. The graph goes on in the mode before, as in one
    /// that is entered; it ends as it began, and the manager is left behind it.
    pub(in crate::trace) fn leave_autocast_object(&mut self, this: ValueId) -> Traced {
        let mut attr = |name: &str| self.get_attr(this, name).map(Some);
        let (device, dtype) = (attr("device")?, attr("prev_fastdtype")?);
        let (enabled, cache) = (attr("prev")?, attr("prev_cache_enabled")?);
        let before = self.autocast_with(device, dtype, enabled, cache)?;
        let is_within = self.modes.autocast.entered.len() > self.modes.left.len();
        if is_within || self.source(this).is_none() || self.modes.left.contains(&this) {
            return Err(Reason::new(Kind::Context, format!("`{AUTOCAST}.__exit__`.")));
        }
        self.enter_autocast(before);
        self.modes.left.push(this);
        Ok(self.none())
    }

    /// Ends the graph outside of every manager that it entered.
    pub(in crate::trace) fn restore_autocast(&mut self) {
        for entered in self.modes.autocast.entered.clone().into_iter().rev() {
            self.emit_effect(EXIT_AUTOCAST, vec![Arg::Node(entered.node)]);
        }
    }

    /// A call of which only the effect matters.
    pub(in crate::trace) fn emit_effect(&mut self, target: &str, args: Vec<Arg>) -> NodeId {
        let node = self.graph.torch.push(NodeKind::CallFunction, target, args, vec![], None);
        self.place_node(node);
        self.graph.torch[node].meta = Some(fx::Meta::Plain(Arg::None));
        node
    }

    /// True for a manager's class.
    pub(in crate::trace) fn is_autocast(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::Object(class, _) if class == AUTOCAST))
    }
}
