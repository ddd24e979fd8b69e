//! JSON as Python's `json.dumps` writes it with `ensure_ascii=False`: `", "` and `": "`, and numbers in their
//! shortest form.
//!
//! The functions work on the text, so numbers keep all digits, and no nesting is too deep.

/// Writes a JSON text as Python writes the value that it reads from it.
///
/// The text must be JSON. Numbers beyond the range of floating point and strings with half of a surrogate
/// pair are copied, as Python would not write JSON for them.
///
/// ```
/// use grammask_benches::schemas::python::dumps;
///
/// assert_eq!(dumps(r#"{"a":[1e16,-0,1.0,"\u00e9\/"],"b":{}}"#), r#"{"a": [1e+16, 0, 1.0, "é/"], "b": {}}"#);
/// ```
pub fn dumps(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match first {
            ' ' | '\t' | '\n' | '\r' => {}
            ',' => out.push_str(", "),
            ':' => out.push_str(": "),
            '"' => push_string(token, &mut out),
            '-' | '0'..='9' => push_number(token, &mut out),
            _ => out.push_str(token),
        }
    }
    out
}

/// Returns the bytes of the string that begins a text, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_string(token: &str, out: &mut String) {
    // Python and serde_json use the same escapes: only where needed, in the short form if there is one.
    let decoded = serde_json::from_str::<String>(token).and_then(|text| serde_json::to_string(&text));
    out.push_str(decoded.as_deref().unwrap_or(token));
}

fn push_number(token: &str, out: &mut String) {
    if !token.contains(['.', 'e', 'E']) {
        out.push_str(if token == "-0" { "0" } else { token });
        return;
    }
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => out.push_str(&repr(value)),
        _ => out.push_str(token),
    }
}

/// Returns a finite float as Python's `repr` writes it: the shortest digits that read back, with an exponent
/// below 1e-4 and from 1e16 on.
fn repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = value.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_pythons() {
        let cases = [
            ("1.0", "1.0"),
            ("-0.0", "-0.0"),
            ("-0", "0"),
            ("1e3", "1000.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5e300", "1.5e+300"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.25E-7", "1.25e-07"),
            ("123456789.123456789", "123456789.12345679"),
            ("12345678910111213141516171819", "12345678910111213141516171819"),
            ("1e999", "1e999"),
        ];
        for (json, expected) in cases {
            assert_eq!(dumps(json), expected);
        }
    }

    #[test]
    fn strings_are_escaped_where_they_must() {
        assert_eq!(
            dumps(r#""\u0041\u00e9\ud83d\ude00\/\u000b\u007f\"\\""#),
            "\"Aé😀/\\u000b\u{7f}\\\"\\\\\""
        );
        assert_eq!(dumps(r#""a, b: \"c\" [1.0]""#), r#""a, b: \"c\" [1.0]""#);
        assert_eq!(dumps(r#""\ud800""#), r#""\ud800""#);
    }

    #[test]
    fn separators_stand_between_parts_only() {
        assert_eq!(dumps(" [ ] "), "[]");
        assert_eq!(dumps("{\n\t\"a\" :[true,null , {}],\"b\":\"\"}"), r#"{"a": [true, null, {}], "b": ""}"#);
    }

    #[test]
    fn depth_does_not_matter() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(dumps(&deep), deep);
    }

    #[test]
    fn what_is_no_json_comes_to_an_end() {
        for text in ["\"", "\"\\", "-", "1e", "é", "{\"a\""] {
            let _ = dumps(text);
        }
    }
}
