//! The header and the library, as a C program uses them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the library: this program is in `deps` below it.
fn library_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a path");
    program.parent().expect("a folder").to_path_buf()
}

#[test]
fn a_c_program_uses_every_function() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = library_folder();
    let program = folder.join("grammask_smoke");
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(package.join("include"));
    compile.arg(package.join("tests/smoke.c")).arg("-L").arg(&folder).arg("-lgrammask_c");
    compile.arg(format!("-Wl,-rpath,{}", folder.display())).arg("-o").arg(&program);
    assert!(compile.status().expect("a C compiler, which Rust needs as well").success());
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"ok\n");
}

#[test]
fn the_header_declares_every_function_and_the_program_calls_it() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(package.join(path)).expect(path);
    let (header, program) = (read("include/grammask.h"), read("tests/smoke.c"));
    let mut functions = Vec::new();
    for file in ["error", "vocabulary", "grammar", "matcher", "fill"] {
        let text = read(&format!("src/{file}.rs"));
        for line in text.split("extern \"C\" fn ").skip(1) {
            functions.push(line.split('(').next().unwrap_or_default().to_owned());
        }
    }
    assert_eq!(functions.len(), 24);
    for function in &functions {
        assert!(header.contains(&format!("{function}(")), "{function} is not in the header");
        assert!(program.contains(&format!("{function}(")), "{function} is not in smoke.c");
    }
}
