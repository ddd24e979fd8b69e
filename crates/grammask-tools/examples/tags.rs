//! Prints a structural tag for each output of `tests/outputs.toml`, one line of JSON each: the tag, the text and
//! whether it belongs to the tag. `xgrammar.py` compares them with XGrammar.

use std::io::Write;

#[path = "../tests/common/mod.rs"]
mod common;

fn main() -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    for output in common::outputs() {
        let line = serde_json::json!({
            "format": output.format,
            "tag": common::tag(&output),
            "text": output.text,
            "accept": output.accept,
        });
        writeln!(stdout, "{line}")?;
    }
    Ok(())
}
