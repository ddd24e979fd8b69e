//! Places in a JSON text: where the value is to which a JSON pointer leads, found by reading the text again.

use grammask_syntax::Span;

use super::read::{Problem, Scanner};

/// Returns the span of a keyword in the object at a JSON pointer: of the key, or of the whole value if
/// `keyword` is empty or not there. Returns `None` if the pointer leads nowhere, or the text is not JSON.
///
/// # Complexity
/// Linear in the text.
pub(crate) fn locate(text: &str, pointer: &str, keyword: &str) -> Option<Span> {
    // Pointers into other documents follow a URI.
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut scanner = Scanner { text, at: 0, mentions_unevaluated: false };
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        enter(&mut scanner, &step).ok()??;
    }
    scanner.skip_space();
    let start = scanner.at;
    if !keyword.is_empty()
        && let Ok(Some(key)) = enter(&mut scanner, keyword)
    {
        return Some(key);
    }
    scanner.at = start;
    skip(&mut scanner).ok()?;
    Some(Span::new(start, scanner.at))
}

/// Moves from a value to the item or to the value of the key `step`. Returns the span of the key, or of the
/// item's first byte in an array. Returns `None` if there is no such step. Of repeated keys, the last one
/// counts.
fn enter(scanner: &mut Scanner<'_>, step: &str) -> Result<Option<Span>, Problem> {
    scanner.skip_space();
    let mut found = None;
    if scanner.eat(b'[') {
        let wanted: Option<usize> = step.parse().ok();
        let mut index = 0;
        loop {
            scanner.skip_space();
            if scanner.peek() == Some(b']') {
                break;
            }
            if wanted == Some(index) {
                return Ok(Some(Span::new(scanner.at, scanner.at + 1)));
            }
            skip(scanner)?;
            index += 1;
            scanner.skip_space();
            if !scanner.eat(b',') {
                break;
            }
        }
    } else if scanner.eat(b'{') {
        loop {
            scanner.skip_space();
            if scanner.peek() == Some(b'}') {
                break;
            }
            let start = scanner.at;
            let is_step = scanner.key_text()? == step;
            if is_step {
                let key = scanner.text[start..scanner.at].trim_end_matches(':').trim_end().len();
                found = Some((Span::new(start, start + key), scanner.at));
            }
            skip(scanner)?;
            scanner.skip_space();
            if !scanner.eat(b',') {
                break;
            }
        }
    }
    Ok(found.map(|(span, value)| {
        scanner.at = value;
        span
    }))
}

/// Skips a value.
fn skip(scanner: &mut Scanner<'_>) -> Result<(), Problem> {
    let mut depth = 0_usize;
    loop {
        scanner.skip_space();
        match scanner.peek() {
            Some(b'[' | b'{') => {
                depth += 1;
                scanner.at += 1;
            }
            Some(b']' | b'}') => {
                depth = depth.saturating_sub(1);
                scanner.at += 1;
            }
            Some(b',' | b':') => scanner.at += 1,
            _ => {
                scanner.scalar()?;
            }
        }
        if depth == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_keys_and_values() {
        let text = r#" {"a~b": [1, {"c/d" : {"type": "x"}}], "e": true, "e": [2]} "#;
        let at = |pointer: &str, keyword: &str| {
            locate(text, pointer, keyword).map(|span| &text[span.start..span.end])
        };
        assert_eq!(at("/a~0b/1/c~1d", "type"), Some(r#""type""#));
        assert_eq!(at("/a~0b/1/c~1d", "none"), Some(r#"{"type": "x"}"#));
        assert_eq!(at("/a~0b/1", "c/d"), Some(r#""c/d""#));
        assert_eq!(at("/a~0b/0", ""), Some("1"));
        assert_eq!(at("/e", ""), Some("[2]"));
        assert_eq!(at("", ""), Some(text.trim()));
        assert_eq!(at("/a~0b/2", ""), None);
        assert_eq!(at("/nowhere", ""), None);
        assert_eq!(at("https://a.example#/e", ""), None);
        assert_eq!(locate("{\"a\": [", "/a", ""), None);
    }
}
