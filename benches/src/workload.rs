//! Measurements of grammask alone: batches, long bounds, hard patterns, known masks, and growth with the
//! text.

pub mod batch;
pub mod bounds;
pub mod hard;
pub mod known;
pub mod linear;
pub mod recursion;
