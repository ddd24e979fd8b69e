//! Regular expressions as regular languages: the texts in which a pattern of ECMA-262, Rust or Python
//! matches.
//!
//! A pattern with assertions at its ends only, as nearly all are, becomes one regex of the Rust `regex`
//! crate: `^ab` is `ab(?s:.)*`. Any other pattern becomes concatenations, intersections and complements of
//! such regexes.
//!
//! ```
//! use grammask_pattern::{Config, Language, translate};
//! use grammask_regular::{Limits, Store};
//!
//! let mut store = Store::new(&Limits::default());
//! let pattern = translate("^(?!ab)", &Config::default(), &mut store)?;
//! assert!(matches!(pattern.get(pattern.root), Language::Not(_)));
//!
//! let error = translate("a(b", &Config::default(), &mut store).unwrap_err();
//! assert_eq!(error.to_string(), "the group is not closed, at byte 1");
//! # Ok::<(), grammask_pattern::Error>(())
//! ```
//!
//! # Stages
//!
//! | module | from → to |
//! | --- | --- |
//! | `syntax` | text of a dialect → syntax tree |
//! | `atomic` | atomic groups and possessive quantifiers → look-ahead |
//! | `search` | syntax tree → regexes, for assertions at the ends |
//! | `lookaround` | syntax tree → languages, for assertions anywhere |
//! | `language` | hash-consed expressions of languages |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod atomic;
mod config;
mod error;
mod language;
mod lookaround;
mod search;
mod syntax;
mod write;

#[cfg(test)]
mod tests;

pub use config::{Config, Dialect, Extent, Limits};
pub use error::{Cause, Error};
pub use language::{Language, LanguageId};

use grammask_regular::Store;

use language::Languages;
use syntax::node::{Assertion, Node};

/// The language of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The language and all languages it is made of. Operands precede the languages made of them. The first
    /// three are those of the constants of [`LanguageId`].
    pub languages: Vec<Language>,
    /// The texts in which the pattern matches.
    pub root: LanguageId,
    /// The dialect that the pattern was read in, never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Remarks about readings that the author may not expect.
    pub notes: Vec<Note>,
}

impl Pattern {
    /// Returns a language of the pattern.
    pub fn get(&self, id: LanguageId) -> &Language {
        &self.languages[id.index()]
    }
}

/// A remark about a pattern that has a language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// Byte offset in the pattern; 0 for a remark about the pattern as a whole.
    pub offset: usize,
    /// The remark.
    pub message: String,
}

/// Returns true if a text is a regular expression of a dialect, supported here or not. [`Dialect::Auto`]
/// counts as [`Dialect::Ecma`].
pub fn is_pattern(source: &str, dialect: Dialect, limits: &Limits) -> bool {
    let result = match dialect {
        Dialect::Auto | Dialect::Ecma => syntax::ecma::parse(source, limits),
        Dialect::Rust => syntax::rust::parse(source, limits, false),
        Dialect::Python => syntax::python::parse(source, limits),
    };
    !matches!(result, Err(Error { cause: Cause::Invalid, .. }))
}

/// Returns the texts in which a pattern matches, somewhere or from end to end by [`Config::extent`].
///
/// Automata of `store` decide whether languages are empty; nothing else depends on them. [`Dialect`] says
/// how a pattern is read.
///
/// # Errors
/// When the pattern is invalid, has back-references, or exceeds one of the limits.
///
/// # Complexity
/// Linear in the length of the pattern, if it has assertions at its ends only.
pub fn translate(source: &str, config: &Config, store: &mut Store) -> Result<Pattern, Error> {
    let (mut parsed, dialect) = syntax::parse(source, config)?;
    if config.extent == Extent::Part {
        let mut has_looks = false;
        for ahead in [true, false] {
            parsed.node = drop_outer_looks(parsed.node, ahead, &mut has_looks);
        }
        if has_looks {
            let message =
                "look-around at the edge of the pattern has no effect: it would see the text around";
            parsed.notes.push(Note { offset: 0, message: message.to_owned() });
        }
    }
    let mut languages = Languages::new(config, store);
    languages.set_word(parsed.word);
    let mut node = atomic::resolve(parsed.node, &mut languages)?;
    if config.extent != Extent::Search {
        let [start, end] = [Assertion::Start, Assertion::End].map(Node::Assertion);
        node = Node::sequence(vec![start, node, end]);
    }
    let root = search::search(&mut languages, node, source.len())?;
    let notes = parsed.notes;
    Ok(Pattern { languages: languages.into_nodes(), root, dialect, notes })
}

/// Removes the look-ahead at the end of a node, or the look-behind at its beginning. The depth is that of the
/// groups, which is limited.
fn drop_outer_looks(node: Node, ahead: bool, has_looks: &mut bool) -> Node {
    match node {
        Node::Look { ahead: found, .. } if found == ahead => {
            *has_looks = true;
            Node::Sequence(Vec::new())
        }
        Node::Sequence(mut parts) => {
            let outer = if ahead { parts.pop() } else { (!parts.is_empty()).then(|| parts.remove(0)) };
            if let Some(outer) = outer {
                let outer = drop_outer_looks(outer, ahead, has_looks);
                parts.insert(if ahead { parts.len() } else { 0 }, outer);
            }
            Node::sequence(parts)
        }
        Node::Alternatives(parts) => {
            let parts = parts.into_iter().map(|part| drop_outer_looks(part, ahead, has_looks));
            Node::Alternatives(parts.collect())
        }
        node => node,
    }
}

/// Returns the version of Unicode that properties of characters follow, such as `16.0`.
pub fn unicode_version() -> String {
    let exists = |version: &str| regex_syntax::parse(&format!(r"\p{{age={version}}}")).is_ok();
    let versions =
        (1..MAX_UNICODE_VERSION).rev().flat_map(|major| (0..3).rev().map(move |minor| (major, minor)));
    let mut names = versions.map(|(major, minor)| format!("{major}.{minor}"));
    names.find(|version| exists(version)).unwrap_or_default()
}

/// Greatest version of Unicode that is looked for.
const MAX_UNICODE_VERSION: u32 = 64;
