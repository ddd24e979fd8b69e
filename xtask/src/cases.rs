//! Random cases that the fuzzer and the soak share: comparison with the oracle, and a watch over time and
//! memory.

pub mod agreement;
pub mod watch;
