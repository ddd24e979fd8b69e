//! Cuts prose into sentences, and checks their length and their first words.

use super::blocks::{Block, Line};
use super::{Rule, Violation};

/// Words of a sentence. Longer ones have to be read twice.
const MAX_WORDS: usize = 30;

/// Abbreviations whose point does not end a sentence.
const ABBREVIATIONS: &[&str] = &["e.g.", "i.e.", "vs.", "cf.", "resp."];

/// A paragraph or an item of a list.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// Byte offset in `text` and number of each line.
    starts: Vec<(usize, usize)>,
}

impl Paragraph {
    fn push(&mut self, line: &str, number: usize) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.starts.push((self.text.len(), number));
        self.text.push_str(line);
    }

    fn line_at(&self, at: usize) -> usize {
        self.starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, number)| *number)
    }
}

/// Checks the sentences of a block.
pub fn check(path: &str, block: &Block) -> Vec<Violation> {
    let mut violations = Vec::new();
    for paragraph in paragraphs(&block.lines) {
        let text = mask_code_and_links(&paragraph.text);
        for (start, sentence) in sentences(&text) {
            let line = paragraph.line_at(start);
            let words =
                sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            if words > MAX_WORDS {
                let message = format!("a sentence of {words} words, {MAX_WORDS} are the limit");
                violations.push(Violation::new(path, line, Rule::Length, message));
            }
            if let Some(opening) = bad_opening(sentence) {
                let message = format!("a sentence begins with {opening}");
                violations.push(Violation::new(path, line, Rule::Opening, message));
            }
        }
    }
    violations
}

/// Cuts lines into paragraphs and items. Headings, tables, link targets, and indented or fenced code are left
/// out.
fn paragraphs(lines: &[Line]) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::default()];
    let mut is_in_list = false;
    for line in lines {
        let text = line.text.trim_start().trim_start_matches("> ").trim_end();
        let is_indented = line.text.starts_with("    ") && !is_in_list;
        let is_empty = found.last().is_none_or(|paragraph| paragraph.text.is_empty());
        if !line.is_prose || text.is_empty() || is_no_sentence(text) || (is_indented && is_empty) {
            found.push(Paragraph::default());
            is_in_list &= text.is_empty();
            continue;
        }
        let item = item(text);
        if item.is_some() {
            found.push(Paragraph::default());
            is_in_list = true;
        }
        if let Some(paragraph) = found.last_mut() {
            paragraph.push(item.unwrap_or(text), line.number);
        }
    }
    found.retain(|paragraph| !paragraph.text.is_empty());
    found
}

/// Whether a line is a heading, a row of a table, a link's target or HTML.
fn is_no_sentence(text: &str) -> bool {
    let is_target = text.starts_with('[') && text.contains("]: ");
    text.starts_with("# ")
        || text.starts_with("##")
        || text.starts_with('|')
        || is_target
        || (text.starts_with('<') && text.ends_with('>'))
}

/// The text of a list's item.
fn item(text: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ "].into_iter().find_map(|marker| text.strip_prefix(marker)) {
        return Some(rest);
    }
    let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
    if rest.len() < text.len() { rest.strip_prefix(". ") } else { None }
}

/// Replaces code spans by words of as many bytes, and targets of links by blanks.
fn mask_code_and_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut is_code) = (text, false);
    while let Some(char) = rest.chars().next() {
        if char == '`' {
            is_code = !is_code;
            out.push('`');
        } else if is_code {
            out.extend(std::iter::repeat_n('c', char.len_utf8()));
        } else if let Some(end) = rest.strip_prefix("](").and_then(|rest| rest.find(')')) {
            out.extend(std::iter::repeat_n(' ', end + 3));
            rest = &rest[end + 3..];
            continue;
        } else {
            out.push(char);
        }
        rest = &rest[char.len_utf8()..];
    }
    out
}

/// Cuts a paragraph into sentences, with their byte offsets.
fn sentences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices(['.', '?', '!']) {
        let rest = &text[at + mark.len()..];
        let after = rest.trim_start_matches(|char: char| ")\"'*_”]".contains(char));
        let next = after.trim_start();
        let begins = |char: char| {
            char.is_uppercase() || char.is_numeric() || !char.is_ascii() || "`\"([*".contains(char)
        };
        let word = text[..at + mark.len()].rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_abbreviation = ABBREVIATIONS.contains(&word.trim_start_matches('('));
        if next.len() < after.len() && next.starts_with(begins) && !is_abbreviation {
            let end = text.len() - next.len();
            found.push((start, &text[start..end]));
            start = end;
        }
    }
    if !text[start..].trim().is_empty() {
        found.push((start, &text[start..]));
    }
    found
}

/// The opening of a sentence that hides its subject. Questions may begin so.
fn bad_opening(sentence: &str) -> Option<&'static str> {
    if sentence.trim_end().ends_with('?') {
        return None;
    }
    let mut words = sentence
        .split(|char: char| !char.is_alphanumeric() && char != '\'' && char != '`')
        .filter(|word| !word.is_empty());
    match (words.next()?, words.next().unwrap_or_default()) {
        ("What", _) => Some("What"),
        ("Who", _) => Some("Who"),
        ("Whoever", _) => Some("Whoever"),
        ("So", "many") => Some("So many"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::markdown_blocks;
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let blocks = markdown_blocks(text);
        blocks.iter().flat_map(|block| check("a", block)).map(|found| found.finding.to_string()).collect()
    }

    #[test]
    fn long_sentence_is_found_at_its_first_line() {
        let words = |count: usize| vec!["word"; count].join(" ");
        assert_eq!(messages(&format!("{}.\n", words(30))), [""; 0]);
        assert_eq!(messages(&format!("{}. A {}.\n", words(20), words(20))), [""; 0]);
        let split = format!("Short.\nA {}\n{}.", words(15), words(15));
        assert_eq!(messages(&split), ["a:2: a sentence of 31 words, 30 are the limit"]);
        assert_eq!(messages(&format!("- {}\n- {}\n", words(20), words(20))), [""; 0]);
        assert_eq!(messages(&format!("# {}\n| {} |\n", words(40), words(40))), [""; 0]);
        assert_eq!(messages(&format!("```\n{}\n```\n\n    {}\n", words(40), words(40))), [""; 0]);
    }

    #[test]
    fn code_spans_are_one_word_and_links_count_by_their_text() {
        let code = format!("It is `{}` [a b](c.d?e f).", "x. Y ".repeat(40));
        assert_eq!(messages(&code), [""; 0]);
    }

    #[test]
    fn free_relatives_do_not_begin_sentences() {
        let text = "What it takes.\n\n- Who asks. So many are left (e.g. What is kept). Whoever.\n";
        assert_eq!(
            messages(text),
            [
                "a:1: a sentence begins with What",
                "a:3: a sentence begins with Who",
                "a:3: a sentence begins with So many",
                "a:3: a sentence begins with Whoever",
            ]
        );
        assert_eq!(messages("## What it is\n\nWhat is a mask? Whatever `What` is. So much.\n"), [""; 0]);
    }
}
