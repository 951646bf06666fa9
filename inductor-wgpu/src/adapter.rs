//! Selection of the machine's adapter.

use std::convert::Infallible;
use std::str::FromStr;

use crate::loader;
use wgpu::{Adapter, AdapterInfo, Backends, DeviceType, Instance, InstanceDescriptor};

/// The user's choice among the machine's adapters.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum AdapterChoice {
    /// The fastest kind there is: discrete before integrated before virtual before software.
    #[default]
    Best,
    /// One that computes on the processor, such as Mesa's lavapipe.
    Software,
    /// The first, in that order, whose name contains this, whatever the case of its letters.
    Named(String),
}

impl FromStr for AdapterChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<AdapterChoice, Infallible> {
        Ok(match text {
            "" | "best" => AdapterChoice::Best,
            "software" => AdapterChoice::Software,
            name => AdapterChoice::Named(name.to_owned()),
        })
    }
}

/// The reason why there is no device.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpenError {
    /// The library that finds drivers is missing.
    #[error(
        "no WebGPU adapter was found: there is no Vulkan loader ({library}: {reason}); on Debian and Ubuntu, `apt-get \
         install libvulkan1 mesa-vulkan-drivers` brings it, and a driver that needs no GPU"
    )]
    NoLoader {
        /// Its name.
        library: String,
        /// The system's error message.
        reason: String,
    },
    /// No adapter at all.
    #[error(
        "no WebGPU adapter was found: there is a Vulkan loader, and no driver for it; on Debian and Ubuntu, `apt-get \
         install mesa-vulkan-drivers` brings some, one of which needs no GPU"
    )]
    NoAdapter,
    /// None as the user wants it.
    #[error("no WebGPU adapter is {wanted}; there are: {}", .found.join(", "))]
    NoSuchAdapter {
        /// The adapter that was asked for.
        wanted: String,
        /// The names of those that there are.
        found: Vec<String>,
    },
    /// An adapter that gives no device.
    #[error("the WebGPU adapter {adapter} gives no device: {reason}")]
    Refused {
        /// Its name.
        adapter: String,
        /// The adapter's error message.
        reason: String,
    },
}

/// The adapter that a choice names.
pub(crate) fn choose(choice: &AdapterChoice) -> Result<Adapter, OpenError> {
    let descriptor =
        InstanceDescriptor { backends: Backends::PRIMARY, ..InstanceDescriptor::new_without_display_handle() };
    let mut adapters = pollster::block_on(Instance::new(descriptor).enumerate_adapters(Backends::PRIMARY));
    if adapters.is_empty() {
        return Err(match loader::missing() {
            Some((library, reason)) => OpenError::NoLoader { library: library.to_owned(), reason },
            None => OpenError::NoAdapter,
        });
    }
    adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    let at = adapters.iter().position(|adapter| suits(choice, &adapter.get_info()));
    match at {
        Some(at) => Ok(adapters.swap_remove(at)),
        None => {
            let found = adapters.iter().map(|adapter| adapter.get_info().name).collect();
            let wanted = match choice {
                AdapterChoice::Named(name) => format!("named `{name}`"),
                AdapterChoice::Software | AdapterChoice::Best => "software".to_owned(),
            };
            Err(OpenError::NoSuchAdapter { wanted, found })
        }
    }
}

/// The faster kinds first.
fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

fn suits(choice: &AdapterChoice, info: &AdapterInfo) -> bool {
    match choice {
        AdapterChoice::Best => true,
        AdapterChoice::Software => info.device_type == DeviceType::Cpu,
        AdapterChoice::Named(name) => info.name.to_lowercase().contains(&name.to_lowercase()),
    }
}
