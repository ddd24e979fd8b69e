//! White space and punctuation between the parts of a document, by [`Whitespace`].

use grammask_syntax::Text;

use crate::{Config, Whitespace};

/// Patterns for white space and punctuation.
pub(super) struct Separators {
    pub around: Option<Text>,
    pub comma: Text,
    pub colon: Text,
    /// Of objects, then of arrays: opening, closing, and both for an empty one.
    pub brackets: [[Text; 3]; 2],
}

impl Separators {
    pub(crate) fn new(config: &Config) -> Self {
        let whitespace = &config.whitespace;
        let space = match *whitespace {
            Whitespace::Flexible { longest: 0 } | Whitespace::Compact | Whitespace::Separators { .. } => {
                String::new()
            }
            Whitespace::Flexible { longest } => format!("[ \\t\\n\\r]{{0,{longest}}}"),
            Whitespace::Bounded { blanks, indentation } => {
                let [blanks, indentation] = [blanks, indentation].map(at_most_blanks);
                format!("(?:{blanks}|\\r?\\n{indentation})")
            }
        };
        let (comma, colon) = match whitespace {
            Whitespace::Separators { item, key } => (regex_of(item), regex_of(key)),
            _ => ([&*space, ",", &*space].concat(), [&*space, ":", &*space].concat()),
        };
        let brackets = |open: &str, close: &str| {
            [[open, &*space].concat(), [&*space, close].concat(), [open, &*space, close].concat()]
                .map(Text::from)
        };
        Self {
            brackets: [brackets("\\{", "\\}"), brackets("\\[", "\\]")],
            around: (config.surrounding_whitespace && !space.is_empty()).then_some(space.into()),
            comma: comma.into(),
            colon: colon.into(),
        }
    }
}

/// Returns a pattern for a run of spaces and tabs.
fn at_most_blanks(most: u32) -> String {
    match most {
        0 => String::new(),
        1 => "[ \\t]?".to_owned(),
        _ => format!("[ \\t]{{0,{most}}}"),
    }
}

/// Returns a pattern for a text of punctuation and white space.
fn regex_of(text: &str) -> String {
    text.chars()
        .flat_map(|char| {
            (!char.is_alphanumeric() && char.is_ascii()).then_some('\\').into_iter().chain([char])
        })
        .collect()
}

pub(super) const OBJECT: usize = 0;

pub(super) const ARRAY: usize = 1;

pub(super) const OPEN: usize = 0;

pub(super) const CLOSE: usize = 1;

pub(super) const NOTHING: usize = 2;
