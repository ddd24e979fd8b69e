//! Names of rules: the spelling of the user, and the identifier in KBNF.

use grammask_syntax::Text;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of a grammar: user spelling ↔ KBNF identifier.
///
/// An identifier consists of ASCII letters, digits and underscores. Other characters of a name become
/// underscores, and a name that collides with another one gets a number.
///
/// ```
/// use grammask_notation::Names;
///
/// let mut names = Names::default();
/// names.declare_all(["a-b", "a_b", "2nd"]);
/// let identifiers = ["a-b", "a_b", "2nd"].map(|name| names.identifier(name).unwrap().to_string());
/// assert_eq!(identifiers, ["a_b_2", "a_b", "_2nd"]);
/// assert_eq!(names.spelling("a_b_2"), "a-b");
/// assert_eq!(names.in_message("undefined nonterminal `a_b_2`"), "undefined nonterminal `a-b`");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    identifiers: FxHashMap<Text, Text>,
    /// Spellings of identifiers that differ from them.
    spellings: FxHashMap<Text, Text>,
    used: FxHashSet<Text>,
    /// By stem: the last number that was tried.
    numbers: FxHashMap<Text, usize>,
}

/// Maximum length of an identifier made from a longer name, in bytes, without its number.
const MAX_STEM_BYTES: usize = 80;

/// Returns true if KBNF has the name as it is.
pub fn is_identifier(name: &str) -> bool {
    name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Names {
    /// Declares names. Those that are identifiers keep their spelling, whatever precedes them.
    pub fn declare_all<'n>(&mut self, names: impl IntoIterator<Item = &'n str> + Clone) {
        for name in names.clone().into_iter().filter(|name| is_identifier(name)) {
            self.declare(name);
        }
        for name in names.into_iter().filter(|name| !is_identifier(name)) {
            self.declare(name);
        }
    }

    /// Returns the identifier of a name, and chooses one if there is none yet.
    pub fn declare(&mut self, name: &str) -> Text {
        if let Some(known) = self.identifiers.get(name) {
            return known.clone();
        }
        let identifier = self.fresh(name);
        self.identifiers.insert(name.into(), identifier.clone());
        if identifier != *name {
            self.spellings.insert(identifier.clone(), name.into());
        }
        identifier
    }

    /// Returns the identifier of a declared name.
    pub fn identifier(&self, name: &str) -> Option<&Text> {
        self.identifiers.get(name)
    }

    /// Returns an identifier that no name has, similar to `stem`.
    pub fn fresh(&mut self, stem: &str) -> Text {
        let stem = to_stem(stem);
        if self.used.insert(stem.clone()) {
            return stem;
        }
        let number = self.numbers.entry(stem.clone()).or_insert(1);
        loop {
            *number += 1;
            let name: Text = format!("{stem}_{number}").into();
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Sets the spelling of an identifier that [`fresh`](Self::fresh) made.
    pub fn set_spelling(&mut self, identifier: &Text, spelling: &str) {
        self.spellings.insert(identifier.clone(), spelling.into());
    }

    /// Returns the spelling of an identifier, which is the identifier itself for rules without a name.
    pub fn spelling<'n>(&'n self, identifier: &'n str) -> &'n str {
        self.spellings.get(identifier).map_or(identifier, Text::as_str)
    }

    /// Replaces the identifiers in a message by their spellings, where they are in backquotes.
    pub fn in_message(&self, message: &str) -> String {
        let mut out = String::with_capacity(message.len());
        for (index, piece) in message.split('`').enumerate() {
            if index > 0 {
                out.push('`');
            }
            out.push_str(if index % 2 == 1 { self.spelling(piece) } else { piece });
        }
        out
    }
}

/// Returns an identifier that is similar to a name.
fn to_stem(name: &str) -> Text {
    if is_identifier(name) && name.len() <= MAX_STEM_BYTES {
        return name.into();
    }
    let to_char = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let mut stem: String = name.chars().map(to_char).take(MAX_STEM_BYTES).collect();
    if stem.is_empty() || stem.starts_with(|first: char| first.is_ascii_digit()) {
        stem.insert(0, '_');
    }
    stem.into()
}
