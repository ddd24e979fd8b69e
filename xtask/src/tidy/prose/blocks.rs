//! Finds the prose of a file: blocks of comments in Rust, and the text of Markdown.

use crate::tidy::lexer::{Kind, segments};

/// Lines of prose without a gap: a comment over several lines, or a whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The lines, in order.
    pub lines: Vec<Line>,
}

/// A line of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number in the file, from 1.
    pub number: usize,
    /// Characters of the whole line in the file.
    pub columns: usize,
    /// The line without the comment's marker and one blank after it.
    pub text: String,
    /// False in fenced code.
    pub is_prose: bool,
}

impl Block {
    /// Joins the lines outside of fenced code with blanks.
    pub fn prose(&self) -> String {
        let lines = self.lines.iter().filter(|line| line.is_prose);
        lines.map(|line| line.text.trim()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of the line at a byte offset in [`Self::prose`].
    pub fn line_at(&self, at: usize) -> usize {
        let mut end = 0;
        for line in self.lines.iter().filter(|line| line.is_prose) {
            end += line.text.trim().len() + 1;
            if at < end {
                return line.number;
            }
        }
        self.lines.last().map_or(0, |line| line.number)
    }

    /// Adds a line, inside or outside of fenced code.
    fn push(&mut self, number: usize, columns: usize, text: &str, is_in_fence: &mut bool) {
        let is_fence = text.trim_start().starts_with("```") || text.trim_start().starts_with("~~~");
        let is_prose = !*is_in_fence && !is_fence;
        *is_in_fence ^= is_fence;
        self.lines.push(Line { number, columns, text: text.to_owned(), is_prose });
    }
}

/// Returns a whole Markdown document as one block.
pub fn markdown_blocks(content: &str) -> Vec<Block> {
    let (mut block, mut is_in_fence) = (Block::default(), false);
    for (index, line) in content.lines().enumerate() {
        block.push(index + 1, line.chars().count(), line, &mut is_in_fence);
    }
    vec![block]
}

/// Returns the comments of a Rust file. Comments with the same marker on consecutive lines are one block.
pub fn rust_blocks(content: &str) -> Vec<Block> {
    let columns: Vec<usize> = content.lines().map(|line| line.chars().count()).collect();
    let mut blocks: Vec<(Block, &str, bool)> = Vec::new();
    let (mut number, mut at) = (1, 0);
    for (range, kind) in segments(content) {
        number += content[at..range.start].matches('\n').count();
        at = range.start;
        if kind != Kind::Comment {
            continue;
        }
        let comment = &content[range];
        let marker = marker(comment);
        for (index, line) in comment.lines().enumerate() {
            let line_number = number + index;
            let text = if marker == "/*" {
                line.trim_start().trim_start_matches(['/', '*', '!']).trim_end_matches(['/', '*'])
            } else {
                &line[marker.len()..]
            };
            let follows = blocks.last().is_some_and(|(block, last, _)| {
                *last == marker && block.lines.last().is_some_and(|last| last.number + 1 == line_number)
            });
            if !follows {
                blocks.push((Block::default(), marker, false));
            }
            if let Some((block, _, is_in_fence)) = blocks.last_mut() {
                let columns = columns.get(line_number - 1).copied().unwrap_or_default();
                block.push(line_number, columns, text.strip_prefix(' ').unwrap_or(text), is_in_fence);
            }
        }
    }
    blocks.into_iter().map(|(block, ..)| block).collect()
}

/// The characters that begin a comment.
fn marker(comment: &str) -> &'static str {
    ["//!", "///", "//"].into_iter().find(|marker| comment.starts_with(marker)).unwrap_or("/*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_with_one_marker_on_consecutive_lines_are_a_block() {
        let code = "//! A\n//! b.\n\n/// C.\n// D.\nfn f() {} // E.\nconst X: &str = \"// no\";\n";
        let blocks: Vec<String> = rust_blocks(code).iter().map(Block::prose).collect();
        assert_eq!(blocks, ["A b.", "C.", "D. E."]);
        assert_eq!(rust_blocks(code)[0].line_at(2), 2);
    }

    #[test]
    fn fenced_code_is_not_prose() {
        let blocks = rust_blocks("/// A.\n/// ```\n/// code\n/// ```\n/// B.\n");
        assert_eq!(blocks[0].prose(), "A. B.");
        assert_eq!(blocks[0].line_at(3), 5);
    }
}
