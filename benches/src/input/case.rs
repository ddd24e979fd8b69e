//! The grammars and texts: `fixtures/grammars/*.kbnf` with `fixtures/texts/*.txt`, and the same languages in
//! the notations of the other engines, in `benches/grammars`.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// A grammar and a text in its language.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the grammar's file.
    pub name: String,
    /// The grammar in KBNF.
    pub kbnf: String,
    /// Grammar of this language in the notation of the crate `kbnf`, where that differs.
    pub old_kbnf: Option<String>,
    /// Grammar of this language in llguidance's Lark, where such a file exists.
    pub lark: Option<String>,
    /// A text in the language.
    pub text: String,
}

/// Loads all cases, or those with the given names, sorted by name.
///
/// # Errors
/// If there is no such case, or a file cannot be read.
pub fn load(names: &[String]) -> anyhow::Result<Vec<Case>> {
    let mut found = Vec::new();
    let folder = root().join("fixtures/grammars");
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "kbnf")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            found.push(name.to_owned());
        }
    }
    found.sort();
    for name in names {
        ensure!(found.contains(name), "unknown grammar {name}; there are {}", found.join(", "));
    }
    found.retain(|name| names.is_empty() || names.contains(name));
    found.iter().map(|name| Case::load(name)).collect()
}

impl Case {
    /// Reads the files of the case.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn load(name: &str) -> anyhow::Result<Self> {
        let read = |path: String| std::fs::read_to_string(root().join(&path)).with_context(|| path);
        Ok(Self {
            name: name.to_owned(),
            kbnf: read(format!("fixtures/grammars/{name}.kbnf"))?,
            old_kbnf: read(format!("benches/grammars/{name}.kbnf")).ok(),
            lark: read(format!("benches/grammars/{name}.lark")).ok(),
            text: read(format!("fixtures/texts/{name}.txt"))?,
        })
    }
}

/// Returns the folder of the workspace.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}
