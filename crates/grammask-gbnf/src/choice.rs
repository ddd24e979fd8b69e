//! A list of texts as a grammar: the output is one of them.

use grammask_notation::{Builder, Errors, Outcome};
use grammask_syntax::Span;

/// Translates a list of texts: a JSON array of strings, or one text per line.
///
/// ```
/// use grammask_gbnf::translate_choice;
///
/// let common = grammask_notation::Config::default();
/// let outcome = translate_choice(r#"["yes", "no", ""]"#, "choice.json", &common)?;
/// assert_eq!(outcome.ast.to_string(), "%start start?;\nstart ::= 'yes' | 'no' | '';\n");
/// assert!(outcome.empty_output);
/// # Ok::<(), grammask_notation::Errors>(())
/// ```
///
/// # Errors
/// If the text begins with `[` and is not a JSON array of strings, or if there is no text.
pub fn translate_choice(
    text: &str,
    file_name: &str,
    config: &grammask_notation::Config,
) -> Result<Outcome, Errors> {
    let mut builder = Builder::new(config);
    let base = builder.add_source(file_name, text);
    let items = if text.trim_start().starts_with('[') {
        read_array(text).map_err(|(at, message)| {
            let end = text[at..].chars().next().map_or(at, |char| at + char.len_utf8());
            builder.error_hint(
                message,
                Span::new(base + at, base + end),
                "a list of choices is a JSON array of strings, such as [\"yes\", \"no\"]",
            );
        })
    } else {
        Ok(read_lines(text))
    };
    match items {
        Ok(items) => push_choices(builder, base, &items),
        Err(()) => Err(builder.into_errors()),
    }
}

/// Translates a list of texts.
///
/// # Errors
/// If there is no text.
pub fn translate_choices<'t>(
    choices: impl IntoIterator<Item = &'t str>,
    config: &grammask_notation::Config,
) -> Result<Outcome, Errors> {
    translate_choice(&choices_to_json(choices), "choice", config)
}

/// Returns a list of texts as a JSON array.
pub fn choices<'t>(choices: impl IntoIterator<Item = &'t str>) -> String {
    choices_to_json(choices)
}

fn choices_to_json<'t>(choices: impl IntoIterator<Item = &'t str>) -> String {
    let mut out = String::from("[");
    for (index, choice) in choices.into_iter().enumerate() {
        out.push_str(if index == 0 { "\"" } else { ", \"" });
        for char in choice.chars() {
            match char {
                '"' | '\\' => out.extend(['\\', char]),
                '\0'..='\x1F' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
                _ => out.push(char),
            }
        }
        out.push('"');
    }
    out + "]"
}

/// A choice and its span in the text.
type Item = (String, usize, usize);

fn push_choices(mut builder: Builder, base: usize, items: &[Item]) -> Result<Outcome, Errors> {
    let whole = Span::new(base, base);
    if items.is_empty() {
        builder.error_hint("there is no choice", whole, "write at least one text");
    }
    if builder.has_errors() {
        return Err(builder.into_errors());
    }
    let mut known = rustc_hash::FxHashSet::default();
    let mut parts = Vec::with_capacity(items.len());
    for (text, start, end) in items {
        let span = Span::new(base + start, base + end);
        if known.insert(text.as_str()) {
            parts.push(builder.text(text, span));
        } else {
            builder.note("the choice is listed twice", span);
        }
    }
    let body = builder.alternatives(parts, whole);
    let name = builder.declare("start");
    builder.rule(&name, whole, body, whole);
    builder.finish(&name, whole)
}

/// Reads one choice per line. A line break at the end is not a choice.
fn read_lines(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let item = line.strip_suffix('\n').unwrap_or(line);
        let item = item.strip_suffix('\r').unwrap_or(item);
        items.push((item.to_owned(), at, at + item.len()));
        at += line.len();
    }
    items
}

/// Reads a JSON array of strings. An error is an offset and a message.
fn read_array(text: &str) -> Result<Vec<Item>, (usize, &'static str)> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize| {
        while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        at
    };
    let mut items = Vec::new();
    let mut at = skip(skip(0) + 1);
    if bytes.get(at) == Some(&b']') {
        at += 1;
    } else {
        loop {
            let start = at;
            let (value, end) = grammask_notation::json::read_string(text, start)
                .map_err(|(offset, message)| (offset.min(text.len()), message))?;
            items.push((value, start, end));
            at = skip(end);
            match bytes.get(at) {
                Some(b',') => at = skip(at + 1),
                Some(b']') => {
                    at += 1;
                    break;
                }
                _ => return Err((at.min(text.len()), "`,` or `]` is missing")),
            }
        }
    }
    let end = skip(at);
    if end < text.len() { Err((end, "text after the end of the list")) } else { Ok(items) }
}
