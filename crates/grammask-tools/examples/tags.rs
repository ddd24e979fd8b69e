//! Prints one line of JSON for each output of `tests/outputs.toml`: the tag, the text, and true if the text
//! belongs to the tag. `peers.py` compares them with XGrammar.

use std::io::Write;

#[path = "../tests/golden/mod.rs"]
mod golden;

fn main() -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    for output in golden::outputs() {
        let line = serde_json::json!({
            "format": output.format,
            "tag": golden::tag(&output),
            "text": output.text,
            "accept": output.accept,
        });
        writeln!(stdout, "{line}")?;
    }
    Ok(())
}
