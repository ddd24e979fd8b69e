//! The target `vocabulary`: see the function of this name.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: grammask_fuzz::write_seeds_if_asked("vocabulary"),
    |data: &[u8]| grammask_fuzz::vocabulary(data)
);
