//! Membership of a string in a regular expression of a grammar, word for word by the definition.

use grammask_syntax::{Ast, Comparison, Escapes, ExceptOperand, ExprId, ExprKind};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::{Anchored, Input, MatchKind};

/// Returns true if a string is in a regular expression, by its definition.
pub type Membership = Box<dyn Fn(&[u8]) -> bool>;

pub fn membership(ast: &Ast, id: ExprId) -> Option<Membership> {
    Some(match &ast.expr(id).kind {
        ExprKind::Text(text) => {
            let text = text.clone();
            Box::new(move |string| string == text.as_bytes())
        }
        ExprKind::Regex(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| matcher.matches(string))
        }
        ExprKind::PrefixMinimal(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| {
                !string.is_empty()
                    && matcher.matches(string)
                    && (1..string.len()).all(|end| !matcher.matches(&string[..end]))
            })
        }
        ExprKind::NotContaining(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| !string.is_empty() && !has(string, |piece| matcher.matches(piece)))
        }
        ExprKind::Substrings(text) => {
            let text = text.clone();
            Box::new(move |string| has(text.as_bytes(), |piece| piece == string))
        }
        ExprKind::ChunkRuns(chunks) => {
            let chunks = chunks.clone();
            Box::new(move |string| {
                let run = |from: usize, to: usize| {
                    chunks[from..to].iter().map(|chunk| chunk.as_str()).collect::<String>()
                };
                string.is_empty()
                    || (0..chunks.len())
                        .any(|from| (from + 1..=chunks.len()).any(|to| run(from, to).as_bytes() == string))
            })
        }
        ExprKind::Except { operand, max } => {
            let stops: Vec<Vec<u8>> = match &**operand {
                ExceptOperand::Text(text) => vec![text.as_bytes().to_vec()],
                ExceptOperand::Nonterminal(name) => {
                    let bodies = ast.rules.iter().filter(|rule| rule.name.text == name.text);
                    bodies.flat_map(|rule| texts(ast, rule.body)).collect()
                }
            };
            let max = max.map_or(usize::MAX, |max| max as usize);
            Box::new(move |string| {
                !string.is_empty()
                    && string.len() <= max
                    && !has(string, |piece| stops.iter().any(|stop| stop == piece))
            })
        }
        // Try all splits of the string.
        ExprKind::Sequence(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| splits(&parts.iter().collect::<Vec<_>>(), string))
        }
        ExprKind::Repeat { expr, quantifier } => {
            let part = membership(ast, *expr)?;
            let (min, max) = quantifier.bounds();
            // More repetitions than bytes and `min` together add nothing.
            Box::new(move |string| {
                let most = max.unwrap_or(u32::MAX).min(min + string.len() as u32);
                (min..=most).any(|times| splits(&vec![&part; times as usize], string))
            })
        }
        ExprKind::Alternatives(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| parts.iter().any(|part| part(string)))
        }
        ExprKind::And(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| parts.iter().all(|part| part(string)))
        }
        // The only rules that random grammars name here; they are not recursive.
        ExprKind::Nonterminal(name) if name.starts_with('R') => {
            let bodies = ast.rules.iter().filter(|rule| rule.name.text == name.as_str());
            let bodies: Vec<Membership> =
                bodies.map(|rule| membership(ast, rule.body)).collect::<Option<_>>()?;
            Box::new(move |string| bodies.iter().any(|body| body(string)))
        }
        ExprKind::Json(part, escapes) => {
            let (part, escapes) = (membership(ast, *part)?, *escapes);
            Box::new(move |string| {
                json_value(string).is_some_and(|text| part(text.as_bytes()))
                    && (escapes == Escapes::Any || has_few_escapes(string, escapes == Escapes::Short))
            })
        }
        ExprKind::Compared(comparison, bound) => {
            let (comparison, bound) = (*comparison, scaled(bound.as_bytes(), true)?);
            Box::new(move |string| {
                scaled(string, true).is_some_and(|value| match comparison {
                    Comparison::AtLeast => value >= bound,
                    Comparison::Above => value > bound,
                    Comparison::AtMost => value <= bound,
                    Comparison::Below => value < bound,
                    Comparison::Equal => value == bound,
                })
            })
        }
        ExprKind::Multiple(numeral) => {
            let numeral = numeral.clone();
            Box::new(move |string| is_multiple(string, &numeral))
        }
        ExprKind::Not(part) => {
            let part = membership(ast, *part)?;
            Box::new(move |string| !part(string))
        }
        _ => return None,
    })
}

struct Matcher(dense::DFA<Vec<u32>>);

impl Matcher {
    fn new(pattern: &str) -> Self {
        let builder = dense::Builder::new()
            .configure(dense::Config::new().match_kind(MatchKind::All))
            .syntax(regex_automata::util::syntax::Config::new().utf8(false))
            .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
            .build(&format!(r"\A(?:{pattern})\z"));
        Self(builder.expect("a regex"))
    }

    fn matches(&self, string: &[u8]) -> bool {
        let input = Input::new(string).anchored(Anchored::Yes);
        self.0.try_search_fwd(&input).expect("a search").is_some_and(|found| found.offset() == string.len())
    }
}

fn has(string: &[u8], inside: impl Fn(&[u8]) -> bool) -> bool {
    (0..=string.len()).any(|from| (from..=string.len()).any(|to| inside(&string[from..to])))
}

/// Decodes the contents of a JSON string.
fn json_value(string: &[u8]) -> Option<String> {
    let mut rest = std::str::from_utf8(string).ok()?;
    let mut units = Vec::new();
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match character {
            '"' | '\0'..='\x1f' => return None,
            '\\' => {
                let letter = rest[1..].chars().next()?;
                length = 2;
                units.push(match letter {
                    '"' | '\\' | '/' => letter as u16,
                    'b' => 8,
                    't' => 9,
                    'n' => 10,
                    'f' => 12,
                    'r' => 13,
                    'u' => {
                        let digits =
                            rest.get(2..6).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
                        length = 6;
                        u16::from_str_radix(digits, 16).ok()?
                    }
                    _ => return None,
                });
            }
            // A surrogate pair with only one escaped half is not decoded.
            _ => units.extend(character.encode_utf16(&mut [0; 2]).iter()),
        }
        rest = &rest[length..];
    }
    String::from_utf16(&units).ok()
}

/// Returns true if a valid content of a JSON string has only the escapes of `json_short!`, or else of
/// `json_required!`.
fn has_few_escapes(string: &[u8], is_short: bool) -> bool {
    let mut rest = string;
    while let Some(start) = rest.iter().position(|&byte| byte == b'\\') {
        let escape = &rest[start..];
        let length = match (escape[1], is_short) {
            (b'/', false) => return false,
            (b'u', _) => {
                let digits = &escape[2..6];
                let code = u8::from_str_radix(std::str::from_utf8(digits).expect("digits"), 16);
                let is_one = match code {
                    Ok(8 | 9 | 10 | 12 | 13) => is_short,
                    Ok(0..0x20) => is_short || !digits.iter().any(u8::is_ascii_uppercase),
                    _ => false,
                };
                if !is_one {
                    return false;
                }
                6
            }
            _ => 2,
        };
        rest = &escape[length..];
    }
    true
}

/// Returns true if a string is a number that is a multiple of `of`.
fn is_multiple(string: &[u8], of: &str) -> bool {
    let is_step = matches!(of.replace(['.', '0'], "").as_str(), "1" | "2" | "5");
    let of = scaled(of.as_bytes(), false).expect("a numeral");
    scaled(string, is_step).is_some_and(|value| value.is_multiple_of(of))
}

/// Returns the value of an unsigned number, in units of 10^-20. `None` if it has an exponent that is not
/// allowed.
fn scaled(string: &[u8], may_have_exponent: bool) -> Option<u128> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = std::str::from_utf8(string).ok()?;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !is_digits(whole) || !is_digits(fraction) || whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let mut power = 0;
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if !may_have_exponent || !is_digits(digits) || whole.len() > 1 || whole == "0" {
            return None;
        }
        // Larger exponents are equivalent for numbers of this length.
        power = digits.parse::<i32>().ok()?.min(12);
        power = if exponent.starts_with('-') { -power } else { power };
    }
    let zeros = (20 - fraction.len() as i32 + power).unsigned_abs();
    format!("{whole}{fraction}").parse::<u128>().ok()?.checked_mul(10_u128.pow(zeros))
}

fn splits(parts: &[&Membership], string: &[u8]) -> bool {
    match parts {
        [] => string.is_empty(),
        [first, rest @ ..] => {
            (0..=string.len()).any(|end| first(&string[..end]) && splits(rest, &string[end..]))
        }
    }
}

fn texts(ast: &Ast, id: ExprId) -> Vec<Vec<u8>> {
    match &ast.expr(id).kind {
        ExprKind::Text(text) => vec![text.as_bytes().to_vec()],
        ExprKind::Alternatives(parts) => parts.iter().flat_map(|&part| texts(ast, part)).collect(),
        ExprKind::Sequence(parts) => parts.iter().fold(vec![Vec::new()], |before, &part| {
            let after = texts(ast, part);
            before
                .iter()
                .flat_map(|one| after.iter().map(move |two| [one.as_slice(), two].concat()))
                .collect()
        }),
        other => panic!("{other:?} is no text"),
    }
}
