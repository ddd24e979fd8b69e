//! Options of a rule in XGrammar's EBNF: `name[lazy, max_chars=20] ::= …`.

use super::{Malformed, Parser};

/// Options of a rule that change its language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleOptions {
    pub lazy: bool,
    /// Budget of characters.
    pub max_chars: Option<u64>,
}

/// Options without a value, and with one.
const OPTION_NAMES: [&str; 5] = ["lazy", "max_chars", "max_tokens", "capture", "temperature"];

/// Returns the length of a list of options in brackets, if the text begins with one.
pub(super) fn option_list(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let mut end = 0;
    let mut is_quoted = false;
    for byte in inside.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b']' if !is_quoted => break,
            b'\n' => return None,
            _ => {}
        }
        end += 1;
    }
    let list = inside.get(..end)?;
    inside.get(end..end + 1)?;
    let is_known = |option: &str| {
        let name = option.split('=').next().unwrap_or_default().trim();
        OPTION_NAMES.contains(&name)
    };
    (!list.trim().is_empty() && list.split(',').all(is_known)).then_some(end + 2)
}

impl Parser<'_, '_> {
    /// Reads the options after the name of a rule, which begins at `start`.
    pub(super) fn options(&mut self, start: usize) -> Result<RuleOptions, Malformed> {
        let mut options = RuleOptions::default();
        if self.is_llama() {
            return Ok(options);
        }
        let open = self.cursor.at;
        let Some(length) = option_list(self.cursor.rest()) else {
            if self.cursor.looking_at("[") && self.cursor.is_first_on_line(start) {
                let span = self.here();
                let hint = "the options are lazy, max_chars, max_tokens, capture and temperature";
                return self.fail_hint("unknown option of a rule", span, hint);
            }
            return Ok(options);
        };
        let list = &self.cursor.text[open + 1..open + length - 1];
        self.cursor.at += length;
        let span = self.since(open);
        for option in list.split(',') {
            let (name, value) = option.split_once('=').map_or((option, None), |(a, b)| (a, Some(b.trim())));
            match (name.trim(), value) {
                ("lazy", None) => options.lazy = true,
                ("max_chars", Some(value)) => match value.parse() {
                    Ok(value) => options.max_chars = Some(value),
                    Err(_) => return self.fail("`max_chars` is a number", span),
                },
                ("max_tokens", Some(value)) if value.parse::<u64>().is_ok() => {
                    self.builder.annotation("`max_tokens`", span);
                }
                ("capture", _) => self.builder.annotation("`capture`", span),
                ("temperature", Some(value)) if value.parse::<f64>().is_ok() => {
                    self.builder.annotation("`temperature`", span);
                }
                (name, _) => return self.fail(format!("the option `{name}` has a wrong form"), span),
            }
        }
        Ok(options)
    }
}
