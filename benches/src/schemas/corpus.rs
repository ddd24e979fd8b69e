//! Programs over a file of schemas with documents: times and verdicts, random walks, threads, and a server's
//! view.

pub mod maskbench;
pub mod server;
pub mod server_report;
pub mod together;
#[cfg(feature = "walks")]
pub mod walks;
