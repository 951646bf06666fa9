//! Whether the system has a Vulkan loader: without one wgpu finds as little as without a driver, and says nothing.
//!
//! The only `unsafe` of this crate is here.

use libloading::Library;

/// The loader's file, as wgpu looks for it.
const LIBRARY: &str = if cfg!(windows) {
    "vulkan-1.dll"
} else if cfg!(target_vendor = "apple") {
    "libvulkan.dylib"
} else if cfg!(target_os = "android") {
    "libvulkan.so"
} else {
    "libvulkan.so.1"
};

/// The name of the loader and the system's message, where there is none.
pub(crate) fn missing() -> Option<(&'static str, String)> {
    // SAFETY: the library is the system's, and wgpu has just tried to load it: what it does when it is loaded is sound
    // or was done before. Nothing of it is called.
    let loaded = unsafe { Library::new(LIBRARY) };
    let error = loaded.err()?;
    Some((LIBRARY, error.to_string()))
}
