//! The first cases of the fuzzer find nothing.

use std::process::Command;

#[test]
fn the_first_cases_find_nothing() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_fuzz")).args(["--seed", "0", "--cases", "300"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("300 cases from 0 on, 0 findings"), "{text}");
    let masks = text.lines().find_map(|line| line.split_once(" masks of ")).map(|(count, _)| count.parse());
    assert!(matches!(masks, Some(Ok(200..=2_400))), "{text}");
}
