//! Commands that must pass before a change is taken, or before a release.

pub mod audit;
pub mod ci;
pub mod loom;
pub mod memcheck;
pub mod msrv;
pub mod wasm;
