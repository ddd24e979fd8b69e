//! JSON Schemas: real ones with documents, the official tests, and large or hostile ones.
//!
//! grammask and llguidance answer the same questions through [`judge::Judge`].

pub mod corpus;
pub mod data;
pub mod follow;
pub mod hostile;
pub mod judge;
pub mod large;
pub mod options;
pub mod python;
pub mod report;
pub mod samples;
pub mod suite;
pub mod tally;
