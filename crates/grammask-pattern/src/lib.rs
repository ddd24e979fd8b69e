//! Regular expressions as regular languages: the texts in which a pattern of ECMA-262 matches.
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
//! | `syntax` | text → syntax tree |
//! | `search` | syntax tree → regexes, for assertions at the ends |
//! | `lookaround` | syntax tree → languages, for assertions anywhere |
//! | `language` | hash-consed expressions of languages |

mod config;
mod error;
mod language;
mod lookaround;
mod search;
mod syntax;
mod write;

#[cfg(test)]
mod tests;

pub use config::{Config, Limits};
pub use error::{Cause, Error};
pub use language::{Language, LanguageId};

use grammask_regular::Store;

use language::Languages;

/// The language of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The language and all languages it is made of. Operands precede the languages made of them. The first
    /// three are those of the constants of [`LanguageId`].
    pub languages: Vec<Language>,
    /// The texts in which the pattern matches.
    pub root: LanguageId,
}

impl Pattern {
    /// Returns a language of the pattern.
    pub fn get(&self, id: LanguageId) -> &Language {
        &self.languages[id.index()]
    }
}

/// Returns true if a text is a regular expression of ECMA-262, supported here or not.
pub fn is_pattern(source: &str, config: &Config) -> bool {
    !matches!(syntax::ecma::parse(source, &config.limits), Err(Error { cause: Cause::Invalid, .. }))
}

/// Returns the texts in which a pattern of ECMA-262 matches somewhere. Automata of `store` decide whether
/// languages are empty; nothing else depends on them.
///
/// The flag `u` is on, all others are off. In addition, escapes and lone brackets of Annex B that match
/// themselves are valid, such as `\-`, `\@` and `{`. Escapes of other dialects, such as `\A`, `\Z` and `\h`,
/// are invalid.
///
/// # Errors
/// When the pattern is invalid, has back-references or flags, or exceeds one of the limits.
///
/// # Complexity
/// Linear in the length of the pattern, if it has assertions at its ends only.
pub fn translate(source: &str, config: &Config, store: &mut Store) -> Result<Pattern, Error> {
    let mut languages = Languages::new(config, store);
    let node = syntax::ecma::parse(source, &config.limits)?;
    let root = search::search(&mut languages, node, source.len())?;
    Ok(Pattern { languages: languages.into_nodes(), root })
}
