//! Programs over a file of schemas with documents: times and verdicts, random walks, threads, a server's
//! view, and schemas of today under two configurations.

pub mod maskbench;
pub mod practice;
mod practice_report;
pub mod server;
pub mod server_report;
pub mod together;
#[cfg(feature = "walks")]
pub mod validator;
#[cfg(feature = "walks")]
pub mod walks;
