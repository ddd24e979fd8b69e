//! A soak of some walks finds nothing, and does something.

use std::process::Command;

#[test]
fn some_walks_find_nothing() {
    // However fast the machine is, and whatever else it does.
    let options = ["--minutes", "0.05", "--walks", "400"];
    let output = Command::new(env!("CARGO_BIN_EXE_soak")).args(options).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(" 0 differences"), "{text}");
    let count = |what: &str| {
        let line = text.lines().find(|line| line.contains(what))?;
        line.split_once(' ')?.0.parse::<usize>().ok()
    };
    assert!(count(" are the oracle's").is_some_and(|masks| masks > 200), "{text}");
    assert!(count(" with little room").is_some_and(|masks| masks > 200), "{text}");
    assert!(count(" by walking").is_some_and(|masks| masks > 20), "{text}");
}
