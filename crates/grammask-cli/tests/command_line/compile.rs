//! `grammask compile`

use grammask::{Grammar, Vocabulary};

use crate::running::Folder;
use crate::show::VOCABULARY;

const GRAMMAR: &str = "start ::= '[' [value {',' value}] ']';\nvalue ::= #'[a-z]+' | \"none\" | start;\n";

fn folder(name: &str) -> Folder {
    Folder::new(name).with("list.kbnf", GRAMMAR).with("vocabulary.json", VOCABULARY)
}

const COMMAND: [&str; 6] = ["compile", "list.kbnf", "--vocab", "vocabulary.json", "-o", "list.grammask"];

#[test]
fn compiled_files_load_with_and_without_masks() {
    let folder = folder("compile_both");
    let vocabulary = Vocabulary::load(VOCABULARY.as_bytes()).unwrap();
    for (more, masks) in [(&[][..], 0), (&["--warm", "[a,none]"], 8)] {
        let run = folder.run(&[&COMMAND, more].concat());
        assert_eq!(run.status, 0, "{run}");
        let bytes = folder.read("list.grammask");
        assert_eq!(run.text(), format!("list.grammask: {} bytes, {masks} masks\n", bytes.len()));
        let loaded = Grammar::load(&bytes, &vocabulary).unwrap();
        assert_eq!(loaded.stats().tables.masks, masks);
        let mask = folder.run(&["mask", "list.kbnf", "--vocab", "vocabulary.json", "--format", "count"]);
        assert_eq!(format!("{}\n", loaded.matcher().mask().count()), mask.text());
        let json = folder.run(&[&COMMAND, more, &["--json"]].concat()).json();
        assert_eq!(json["bytes"], bytes.len());
        assert_eq!(json["vocabulary"], format!("{:032x}", vocabulary.fingerprint()));
    }
}

#[test]
fn a_rejected_text_and_an_unwritable_file_are_errors() {
    let folder = folder("compile_failures");
    let run = folder.run(&[&COMMAND[..], &["--warm", "[A"]].concat());
    assert_eq!((run.status, run.err.as_str()), (1, "error: the text is rejected at byte 1\n"), "{run}");
    let run = folder.run(&[&COMMAND[..5], &["no/such/folder"]].concat());
    assert_eq!(run.status, 4, "{run}");
    assert!(run.err.starts_with("error: cannot write no/such/folder: "), "{run}");
}
