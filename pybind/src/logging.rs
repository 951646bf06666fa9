//! Logging: the log of all crates goes to stderr, filtered by the environment variable `RUST_INDUCTOR_LOG`.

use tracing_subscriber::EnvFilter;

/// The variable; its value has the syntax of tracing's filters (`rust_inductor=debug`).
const VARIABLE: &str = "RUST_INDUCTOR_LOG";

/// Starts logging. Without the variable, warnings are shown.
pub(crate) fn init() {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new("warn"));
    // An error means that the process has a subscriber already, which then decides.
    drop(
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_target(true)
            .without_time()
            .try_init(),
    );
}
