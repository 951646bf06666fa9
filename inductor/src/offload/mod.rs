//! Plans of which a device runs a part.
//!
//! [`Placement`] says of each step whether the device does it (and then how) or the host; [`Session`] is one run: it
//! knows of each buffer where its value is (on the host, on the device, on both) and copies only what a step lacks.
//! Whoever runs the plan tells the session what the host is about to read and what it has written.
//!
//! Invariants: a step sees the latest value of every buffer that it reads; a buffer that a step writes only in part
//! keeps the rest of its value. This module names no device and touches no memory of the host's but what it is handed.

mod placement;
mod session;
#[cfg(test)]
mod tests;

pub use placement::{HostStep, Placement, StepDevice};
pub use session::Session;
