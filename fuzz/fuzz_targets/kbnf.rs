//! The target `kbnf`: see the function of this name.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: grammask_fuzz::write_seeds_if_asked("kbnf"),
    |data: &[u8]| grammask_fuzz::kbnf(data)
);
