//! The text of the last error of a thread, and calls that never let a panic out.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a function that failed. `grammask_last_error` has the reason.
pub const GRAMMASK_ERROR: i32 = -1;

/// The version, for `grammask_version`.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Returns the version of the library, as `1.2.3`. Never freed.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the name is exported")]
pub extern "C" fn grammask_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// Returns the text of the last error of this thread: what is wrong, where, and often what helps. It is empty
/// if there was none, and valid until the next error of this thread.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the name is exported")]
pub extern "C" fn grammask_last_error() -> *const c_char {
    LAST_ERROR.with(|text| {
        text.try_borrow().map_or(VERSION[VERSION.len() - 1..].as_ptr().cast(), |text| text.as_ptr())
    })
}

/// A failed call, whose text is stored.
#[derive(Debug)]
pub struct Failure;

/// Stores the text of an error.
pub fn fail<T>(message: impl Display) -> Result<T, Failure> {
    let text = message.to_string().replace('\0', "\u{fffd}");
    LAST_ERROR.with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = CString::new(text).unwrap_or_default();
        }
    });
    Err(Failure)
}

/// Runs `work`; an error and a panic become `otherwise`.
pub fn guarded<T>(otherwise: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => value,
        Ok(Err(Failure)) => otherwise,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text =
                text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
            let _ = fail::<()>(format_args!("a fault in grammask, please report it: {text}"));
            otherwise
        }
    }
}
