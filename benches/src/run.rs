//! Runs measurements: each engine works in a process of its own, and this process collects and summarizes the
//! times.

pub mod compare;
pub mod hour;
pub mod machine;
pub mod measure;
pub mod timing;
pub mod worker;
