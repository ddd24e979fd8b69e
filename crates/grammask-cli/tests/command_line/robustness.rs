//! Invalid arguments, unreadable files and closed pipes give a message and a status, never a panic.

use std::io::Read;
use std::process::Stdio;

use crate::running::Folder;

const COMMANDS: [&[&str]; 7] = [
    &["check", "FILE"],
    &["show", "ast", "FILE"],
    &["show", "sets", "FILE"],
    &["accept", "FILE", "a"],
    &["mask", "FILE"],
    &["bench", "FILE", "a"],
    &["generate", "FILE"],
];

#[test]
fn help_explains_the_exit_status() {
    let folder = Folder::new("robust_help");
    insta::assert_snapshot!("help", folder.run(&["--help"]));
    for command in ["check", "compile", "show", "accept", "mask", "bench", "generate"] {
        let run = folder.run(&[command, "--help"]);
        assert_eq!(run.status, 0);
        assert!(run.text().contains("Exit status:"), "{run}");
    }
    assert!(folder.run(&["accept", "--help"]).text().contains("line break"));
    assert_eq!(folder.run(&["--version"]).status, 0);
}

#[test]
fn invalid_arguments_fail_with_status_4() {
    let folder = Folder::new("robust_arguments");
    let arguments: [&[&str]; 7] = [
        &[],
        &["frobnicate"],
        &["check"],
        &["show", "soup", "g.kbnf"],
        &["generate", "g.kbnf", "--seed", "x"],
        &["generate", "g.kbnf", "--max-tokens", "-1"],
        &["mask", "g.kbnf", "--format", "words"],
    ];
    for arguments in arguments {
        let run = folder.run(arguments);
        assert_eq!((run.status, run.text().as_str()), (4, ""), "{run}");
        assert!(!run.err.is_empty());
        let run = folder.run(&[arguments, &["--json"]].concat());
        assert_eq!((run.status, &run.json()["error"]["kind"]), (4, &"usage".into()), "{run}");
    }
}

#[test]
fn every_command_reports_files_that_are_not_grammars() {
    let folder =
        Folder::new("robust_files").with("bytes.kbnf", (0..=255).collect::<Vec<u8>>()).with("empty.kbnf", "");
    for command in COMMANDS {
        for file in ["nowhere.kbnf", ".", "bytes.kbnf", "empty.kbnf"] {
            let arguments: Vec<&str> =
                command.iter().map(|&word| if word == "FILE" { file } else { word }).collect();
            let run = folder.run(&arguments);
            if file == "empty.kbnf" && arguments[..2] == ["show", "ast"] {
                // A tree without rules can be printed.
                assert_eq!(run.status, 0, "{run}");
                continue;
            }
            let is_answer = arguments[0] == "check" && file.ends_with(".kbnf") && file != "nowhere.kbnf";
            assert_eq!(run.status, if is_answer { 1 } else { 4 }, "{run}");
            assert!(run.err.contains("error: "), "{run}");
            let json = folder.run(&[&arguments[..], &["--json"]].concat()).json();
            assert!(json["error"].is_object() || json["errors"].is_array(), "{json}");
        }
    }
}

#[test]
fn extreme_grammars_are_handled() {
    let nested = format!("start ::= {}'a'{};", "(".repeat(100_000), ")".repeat(100_000));
    let alternatives: String = (0..50_000).map(|word| format!("| 'w{word}' ")).collect();
    let literal = "x".repeat(2_000_000);
    let folder = Folder::new("robust_monsters")
        .with("nested.kbnf", nested)
        .with("alternatives.kbnf", format!("start ::= 'a' {alternatives};"))
        .with("literal.kbnf", format!("start ::= '{literal}' | 'a';"))
        .with("states.kbnf", r#"start ::= #"(a|b)*a(a|b){20}" | 'a';"#);
    for grammar in ["nested.kbnf", "alternatives.kbnf", "literal.kbnf", "states.kbnf"] {
        assert_eq!(folder.run(&["check", grammar]).status, 0, "{grammar}");
        let run = folder.run(&["accept", grammar, "a"]);
        assert_eq!((run.status, run.text().as_str()), (0, "accept\n"), "{grammar}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::new("robust_pipe").with("g.kbnf", "start ::= #'.{3000}';");
    for arguments in [&["mask", "g.kbnf"][..], &["generate", "g.kbnf", "--max-tokens", "4000"]] {
        let mut child = folder.command(arguments).stdin(Stdio::null()).spawn().unwrap();
        let mut first = [0; 1];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        assert!(!err.contains("panicked") && !err.contains("error"), "{arguments:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new("robust_full").with("g.kbnf", "start ::= 'a';");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        folder.command(&["show", "ast", "g.kbnf"]).stdout(full).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write the output: "));
}

#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_read_as_far_as_needed() {
    let folder = Folder::new("robust_zero").with("g.kbnf", "start ::= 'a';");
    let run = folder.run(&["accept", "g.kbnf", "--file", "/dev/zero"]);
    assert_eq!(run.text(), "reject at byte 0\n");
    let run = folder.run(&["check", "/dev/zero"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with("/dev/zero:1:"), "{}", &run.err[..run.err.len().min(300)]);
}

/// Runs a command until it has written something, sends it SIGINT, and returns status, stdout and stderr.
#[cfg(unix)]
fn interrupted(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = folder.command(arguments);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The handler is in place when the measurement or the text begins.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let mut text = [String::new(), String::new()];
    // A large text would fill the pipe.
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    child.stderr.take().unwrap().read_to_string(&mut text[1]).unwrap();
    text[0] = reader.join().unwrap().unwrap();
    let [out, err] = text;
    (child.wait().unwrap().code(), out, err)
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_text_and_a_measurement_with_their_reports() {
    // The probability that a text ends early grows with its share of the maximum length.
    let folder = Folder::new("robust_interrupt").with("letters.kbnf", "start ::= (#'[a-z]+' ' ')+;");
    let vocabulary = r#"{"a": 0, "b": 1, " ": 2, "ab": 3}"#;
    folder.write("vocabulary.json", vocabulary);
    let options = ["--vocab", "vocabulary.json"];
    let generate = [&["generate", "letters.kbnf", "--max-tokens", "4000000000"][..], &options].concat();
    let (status, out, err) = interrupted(&folder, &generate);
    assert_eq!(status, Some(3), "{err}");
    assert!(!out.is_empty() && err.contains("interrupted: ") && err.contains(" masks: "), "{err}");

    folder.write("text", "ab ba ".repeat(400));
    let bench =
        [&["bench", "letters.kbnf", "--file", "text", "--passes", "800", "--json"][..], &options].concat();
    let (status, out, err) = interrupted(&folder, &bench);
    assert_eq!(status, Some(0), "{out}{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["interrupted"].as_u64().is_some_and(|pass| pass > 0), "{answer}");
    assert!(answer["ns"]["compile"]["count"].as_u64().is_some_and(|count| count > 0), "{answer}");
}

#[test]
fn deep_json_is_read_or_the_message_has_its_limit() {
    let levels = 3_000;
    let nested = format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    let folder = Folder::new("robust_deep_json").with("deep.json", &nested).with("s.json", "{}");
    let run = folder.run(&["check", "--schema", "deep.json"]);
    assert!(run.status == 0 || run.err.contains("limit"), "{run}");
    let run = folder.run(&["check", "--schema", "s.json", "--document", "https://a.example/=deep.json"]);
    assert!(run.status == 4 && run.err.contains("127 levels, the limit of a --document"), "{run}");
}
