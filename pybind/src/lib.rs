//! The Python package.
