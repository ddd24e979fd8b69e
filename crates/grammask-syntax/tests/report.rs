//! Tests of rendered positions: columns, carets, tabs, cut lines, positions outside of the text.

use grammask_syntax::{Diagnostic, Report, Span, line_column};

#[test]
fn columns_count_characters() {
    let text = "ä\tb\r\n日本x\n";
    let places: Vec<(usize, usize)> = text
        .char_indices()
        .map(|(at, _)| line_column(text, at))
        .chain([line_column(text, text.len()), line_column(text, 1000)])
        .map(|place| (place.line, place.column))
        .collect();
    assert_eq!(
        places,
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 1)]
    );
    assert_eq!(line_column(b"\xFF\xFFx".as_slice(), 2).column, 3);
}

fn shown(text: &str, span: Span) -> Vec<String> {
    let report = Report::new(text, "f", vec![Diagnostic::new("m", span)]).to_string();
    report.lines().map(str::to_owned).collect()
}

#[test]
fn carets_are_below_their_characters() {
    assert_eq!(shown("\tä日x", Span::new(3, 6)), ["f:1:3: error: m", "  |", "1 |     ä日x", "  |      ^"]);
    assert_eq!(shown("a\tb", Span::new(1, 3)), ["f:1:2: error: m", "  |", "1 | a    b", "  |  ^^^^^"]);
    assert_eq!(shown("a\n\n", Span::new(3, 3)), ["f:3:1: error: m", "  |", "3 |", "  | ^"]);
    assert_eq!(shown("", Span::new(7, 9)), ["f:1:1: error: m", "  |", "1 |", "  | ^"]);
    assert_eq!(shown("ab\ncd", Span::new(1, 5)), ["f:1:2: error: m", "  |", "1 | ab", "  |  ^"]);
    assert_eq!(shown("ab\r\ncd", Span::new(3, 3)), ["f:1:4: error: m", "  |", "1 | ab", "  |   ^"]);
}

#[test]
fn long_lines_are_cut_at_characters() {
    for offset in [0, 1, 2, 3, 59, 60, 61, 150, 297, 298, 299, 300] {
        let text = format!("{}x", "日".repeat(100));
        let lines = shown(&text, Span::new(offset, offset + 1));
        let width = |line: &str| line.chars().count();
        assert!(width(&lines[2]) < 120 && width(&lines[3]) <= width(&lines[2]) + 1, "{lines:?}");
    }
    let text = format!("{}x{}", "a".repeat(500), "b".repeat(500));
    let lines = shown(&text, Span::new(500, 501));
    let column = lines[3].chars().position(|character| character == '^').unwrap();
    assert_eq!(lines[2].chars().nth(column), Some('x'));
    assert!(lines[2].starts_with("1 | …a") && lines[2].ends_with("b…"));
    let lines = shown(&text, Span::new(0, 1000));
    assert!(lines[3].chars().filter(|&character| character == '^').count() < 100);
}

#[test]
fn misleading_characters_are_replaced() {
    let lines = shown("a\u{202E}\u{1B}[31mb", Span::new(0, 1));
    assert_eq!(lines[2], "1 | a\u{FFFD}\u{FFFD}[31mb");
}

#[test]
fn notes_and_hints_follow_the_excerpt() {
    let wrong = Diagnostic::new("m", Span::new(3, 4)).with_note(Span::new(0, 1), "n").with_hint("h");
    let report = Report::new("ab\nc", "f", vec![wrong]).to_string();
    assert_eq!(report, "f:2:1: error: m\n  |\n2 | c\n  | ^\n  = note: f:1:1: n\n  = hint: h\n");
}
