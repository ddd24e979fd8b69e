//! Parts that the fuzzer, the soaks and the measurements share: comparison with the oracle, real schemas, CPU
//! time of threads, and a watch over time and memory.

pub mod agreement;
pub mod schemas;
pub mod thread_time;
pub mod watch;
