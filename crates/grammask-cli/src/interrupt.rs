//! Ctrl-C: the first one asks the command to end with its report, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use grammask::CancelFlag;
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_default};

/// Returns a flag that Ctrl-C sets. Where the system refuses the handler, the flag stays clear, and Ctrl-C
/// ends the process.
pub(crate) fn flag() -> CancelFlag {
    let flag = Arc::new(AtomicBool::new(false));
    // The order counts: the first handler does nothing until the second one has set the flag.
    let _ = register_conditional_default(SIGINT, Arc::clone(&flag))
        .and_then(|_| register(SIGINT, Arc::clone(&flag)));
    CancelFlag::from(flag)
}
