//! JSON Schemas: real ones with documents, and the standard's official cases; grammask side by side with llguidance, and documents
//! that a random model writes, which a validator must find valid.

pub mod data;
pub mod follow;
pub mod hostile;
pub mod judge;
pub mod large;
pub mod maskbench;
pub mod options;
pub mod python;
pub mod report;
pub mod samples;
pub mod server;
pub mod server_report;
pub mod suite;
pub mod tally;
pub mod together;
#[cfg(feature = "walks")]
pub mod walks;
