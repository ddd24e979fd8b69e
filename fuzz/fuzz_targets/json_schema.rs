//! The target `json_schema`: see the function of this name.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: grammask_fuzz::write_seeds_if_asked("json_schema"),
    |data: &[u8]| grammask_fuzz::json_schema(data)
);
