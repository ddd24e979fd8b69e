//! Every short text against integer arithmetic, and the patterns of common schemas.

use super::*;

/// Returns the value of a short JSON text in units of 10^-16, and whether it is a plain decimal. Returns
/// `None` if it is not a comparable spelling. Exponents beyond 12 are cut to 12, which no bound here comes
/// near.
fn value(text: &str) -> Option<(i128, bool)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let exponent_at = unsigned.find(['e', 'E']);
    let mantissa = &unsigned[..exponent_at.unwrap_or(unsigned.len())];
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some(both) => both,
        None => (mantissa, ""),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || !is_digits(whole)
        || !is_digits(fraction)
        || whole.len() > 1 && whole.starts_with('0')
    {
        return None;
    }
    let mut exponent = 0_i32;
    if let Some(at) = exponent_at {
        let text = &unsigned[at + 1..];
        let power = text.strip_prefix(['+', '-']).unwrap_or(text);
        if power.is_empty() || !is_digits(power) || whole.len() != 1 || whole == "0" {
            return None;
        }
        exponent = power.parse::<i32>().unwrap().min(12);
        if text.starts_with('-') {
            exponent = -exponent;
        }
    }
    let digits: i128 = format!("{whole}{fraction}").parse().unwrap();
    let shift = u32::try_from(exponent - fraction.len() as i32 + 20).unwrap();
    let magnitude = digits * 10_i128.pow(shift) / 10_i128.pow(4);
    assert_eq!(magnitude * 10_i128.pow(4), digits * 10_i128.pow(shift));
    let signed = if text.starts_with('-') { -magnitude } else { magnitude };
    Some((signed, exponent_at.is_none()))
}

const ALPHABET: &[u8] = b"-0159.eE+";
const OTHER_DIGITS: &[u8] = b"-1234678.e";

/// Returns all texts of up to `longest` characters.
fn texts(alphabet: &'static [u8], longest: u32) -> impl Iterator<Item = String> {
    (0..=longest).flat_map(move |length| {
        (0..alphabet.len().pow(length)).map(move |mut number| {
            let mut text = String::new();
            for _ in 0..length {
                text.push(char::from(alphabet[number % alphabet.len()]));
                number /= alphabet.len();
            }
            text
        })
    })
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse_unlimited(text).unwrap()
}

fn languages() -> Languages {
    Languages::new(&crate::Config::default())
}

/// Checks that a set is a subset of the comparable spellings, and equals the predicate on all short ones.
fn check(
    languages: &mut Languages,
    texts: &[(String, i128, bool)],
    id: LanguageId,
    what: &str,
    expected: impl Fn(i128) -> bool,
) {
    let covered = comparable(languages);
    let outside = languages.not(covered);
    let outside = languages.and([id, outside]);
    assert!(languages.is_empty(outside).unwrap().unwrap(), "{what}");
    for (text, value, _) in texts {
        assert_eq!(languages.contains(id, text).unwrap(), expected(*value), "{what}: {text}");
    }
}

fn covered_texts() -> Vec<(String, i128, bool)> {
    let all = texts(ALPHABET, 6).chain(texts(OTHER_DIGITS, 4));
    let mut all: Vec<_> =
        all.filter_map(|text| value(&text).map(|(value, plain)| (text, value, plain))).collect();
    for text in
        ["1.5055e1", "-9.99e2", "5.00e-01", "1.234567e3", "100.0000", "0.050000", "1.0e+0001", "9.05e-001"]
    {
        let (value, plain) = value(text).unwrap();
        all.push((text.to_owned(), value, plain));
    }
    all
}

/// Returns texts with each digit after the point and before an exponent.
fn texts_of_five() -> impl Iterator<Item = (String, i128, bool)> {
    let all = texts(OTHER_DIGITS, 5).filter(|text| text.len() == 5);
    all.filter_map(|text| value(&text).map(|(value, plain)| (text, value, plain)))
}

const BOUNDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "5",
    "9",
    "10",
    "-10",
    "15",
    "50",
    "55",
    "90",
    "99",
    "100",
    "-100",
    "105",
    "500",
    "1000",
    "1500",
    "-95",
    "0.5",
    "-0.5",
    "0.05",
    "0.1",
    "1.5",
    "-1.5",
    "1.05",
    "5.55",
    "-90.5",
    "180",
    "9.9",
    "99.9",
    "0.009",
    "1.0000000001",
    "100000",
    "0.0001",
    "-0.00015",
    "1e9",
    "1.23456789",
];

#[test]
fn comparable_spellings_are_as_documented() {
    let mut languages = languages();
    let (any, plain, constrained) = (any(&mut languages), plain(&mut languages), comparable(&mut languages));
    for text in texts(ALPHABET, 5) {
        let value = value(&text);
        assert_eq!(languages.contains(constrained, &text).unwrap(), value.is_some(), "{text}");
        assert_eq!(
            languages.contains(plain, &text).unwrap(),
            value.is_some_and(|(_, plain)| plain),
            "{text}"
        );
        let number = serde_json::from_str::<serde_json::Number>(&text);
        let huge = number.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        assert_eq!(languages.contains(any, &text).unwrap(), number.is_ok() || huge, "{text}");
    }
}

#[test]
fn bounds_are_exact_on_all_short_texts() {
    let texts = covered_texts();
    let mut languages = languages();
    for bound in BOUNDS {
        let value = value(&decimal(bound).to_string()).unwrap().0;
        let bound = decimal(bound);
        let id = at_least(&mut languages, &bound, false);
        check(&mut languages, &texts, id, &format!(">= {bound}"), |other| other >= value);
        let id = at_least(&mut languages, &bound, true);
        check(&mut languages, &texts, id, &format!("> {bound}"), |other| other > value);
        let id = at_most(&mut languages, &bound, false);
        check(&mut languages, &texts, id, &format!("<= {bound}"), |other| other <= value);
        let id = at_most(&mut languages, &bound, true);
        check(&mut languages, &texts, id, &format!("< {bound}"), |other| other < value);
        let id = equal(&mut languages, &bound);
        check(&mut languages, &texts, id, &format!("= {bound}"), |other| other == value);
    }
}

#[test]
fn bounds_and_complements_partition_the_comparable_spellings() {
    let mut languages = languages();
    let covered = comparable(&mut languages);
    let beyond = [
        "1e9",
        "1.5e308",
        "5e-324",
        "123456789012345678901234567890",
        "1.0000000000000000000000000000005",
        "1e-30",
        "1.000000000000500000000001e15",
        "10000000000000000000000005",
        "0.00000000000000000000000900000000000000001",
        "1e400",
        "7e-400",
        "-1e300",
    ];
    for bound in BOUNDS.iter().chain(&beyond) {
        let bound = decimal(bound);
        let same = equal(&mut languages, &bound);
        for (part, other) in [
            (at_least(&mut languages, &bound, false), at_most(&mut languages, &bound, true)),
            (at_least(&mut languages, &bound, true), at_most(&mut languages, &bound, false)),
        ] {
            let both = languages.and([part, other]);
            assert!(languages.is_empty(both).unwrap().unwrap(), "{bound}");
            let either = languages.union([part, other]);
            let neither = languages.not(either);
            let neither = languages.and([covered, neither]);
            assert!(languages.is_empty(neither).unwrap().unwrap(), "{bound}");
        }
        let (least, most) = (at_least(&mut languages, &bound, false), at_most(&mut languages, &bound, false));
        let either = languages.not(same);
        let between = languages.and([least, most, either]);
        assert!(languages.is_empty(between).unwrap().unwrap(), "{bound}");
    }
}

#[test]
fn integers_and_multiples_by_the_last_digit_are_exact_on_all_short_texts() {
    let mut texts = covered_texts();
    texts.extend(texts_of_five());
    let mut languages = languages();
    let unit = 10_i128.pow(16);
    let id = integer(&mut languages);
    check(&mut languages, &texts, id, "integer", |value| value % unit == 0);
    let steps =
        ["1", "0.1", "1e-3", "10", "1000", "2", "5", "20", "500", "0.2", "0.5", "0.05", "0.002", "5e-4"];
    for of in steps {
        let step = value(&decimal(of).to_string()).unwrap().0;
        let of = decimal(of);
        let id = multiple_of(&mut languages, &of);
        check(&mut languages, &texts, id, &format!("multiple of {of}"), |value| value % step == 0);
        assert_eq!(multiple_domain(&mut languages, &of), comparable(&mut languages));
    }
}

#[test]
fn fractions_with_exponent_have_bounded_length() {
    let mut languages = languages();
    let (integer, constrained) = (integer(&mut languages), comparable(&mut languages));
    let digits = |count: usize| format!("1.{}", "5".repeat(count));
    for (text, is_covered, is_integer) in [
        (format!("{}e20", digits(20)), true, true),
        (format!("{}e19", digits(20)), true, false),
        (format!("{}e21", digits(21)), false, false),
        (format!("{}000e+17", digits(17)), true, true),
        (format!("{}000e17", digits(18)), false, false),
        (format!("1.{}e-0", "0".repeat(20)), true, true),
        (digits(60), true, false),
        (format!("1{}.{}", "5".repeat(60), "0".repeat(60)), true, true),
    ] {
        assert_eq!(languages.contains(constrained, &text).unwrap(), is_covered, "{text}");
        assert_eq!(languages.contains(integer, &text).unwrap(), is_integer, "{text}");
    }
}

#[test]
fn other_multiples_are_without_exponent() {
    let mut languages = languages();
    let of = decimal("7.50");
    let id = multiple_of(&mut languages, &of);
    let plain = plain(&mut languages);
    assert_eq!(multiple_domain(&mut languages, &of), plain);
    let outside = languages.not(plain);
    let outside = languages.and([id, outside]);
    assert!(languages.is_empty(outside).unwrap().unwrap());
    assert_ne!(languages.multiple("7.5"), languages.multiple("7.50"));
    let seven = languages.multiple("7.5");
    assert_eq!(with_any_sign(&mut languages, seven), id);
}

#[test]
fn bounds_are_written_with_their_sign() {
    let mut languages = languages();
    let mut written = |id: fn(&mut Languages) -> LanguageId| {
        let id = id(&mut languages);
        let mut ast = grammask_syntax::Ast::default();
        let root = languages.write(id, &mut ast);
        ast.display_expr(root).to_string()
    };
    assert_eq!(written(integer), "'-'? multiple!(1)");
    assert_eq!(written(|all| at_least(all, &decimal("0"), false)), "atleast!(0) | '-' atmost!(0)");
    assert_eq!(written(|all| at_most(all, &decimal("0"), true)), "'-' above!(0)");
    assert_eq!(written(|all| at_least(all, &decimal("1e2"), false)), "atleast!(100)");
    assert_eq!(written(|all| at_most(all, &decimal("0.50"), true)), "'-' atleast!(0) | below!(0.5)");
    assert_eq!(written(|all| equal(all, &decimal("-25"))), "'-' equal!(25)");
}

#[test]
fn multiples_of_long_numbers_are_unsupported() {
    for (of, expected) in
        [("7e18", true), ("7e19", false), ("1e39", true), ("1e40", false), ("2e-39", true), ("2e-40", false)]
    {
        assert_eq!(has_multiples(&decimal(of)), expected, "{of}");
        let mut languages = languages();
        let id = multiple_of(&mut languages, &decimal(of));
        assert_eq!(languages.is_empty(id).is_ok(), expected, "{of}");
    }
}

#[test]
fn common_multiples_are_multiples_of_the_least_one() {
    for (a, b, expected) in [
        ("1", "0.123456789", Some("123456789")),
        ("1", "1234567.89", Some("123456789")),
        ("0.5", "0.75", Some("1.5")),
        ("4", "6", Some("12")),
        ("100", "0.25", Some("100")),
        ("0.1", "0.1", Some("0.1")),
        ("0.02", "0.005", Some("0.02")),
        // Too long for an automaton.
        ("9999999999999999999", "9999999999999999998", None),
    ] {
        assert_eq!(least_common_multiple(a, b).as_deref(), expected, "{a} and {b}");
        assert_eq!(least_common_multiple(b, a).as_deref(), expected, "{b} and {a}");
    }
    let mut languages = languages();
    let [a, b] = ["0.5", "0.75"].map(|of| multiple_of(&mut languages, &decimal(of)));
    let plain = plain(&mut languages);
    let both = languages.and([a, b, plain]);
    for (text, expected) in
        [("3", true), ("-1.50", true), ("0", true), ("1", false), ("0.75", false), ("4.5", true)]
    {
        let in_each = [a, b].map(|id| languages.contains(id, text).unwrap());
        assert_eq!(languages.contains(both, text).unwrap(), expected, "{text}");
        assert_eq!(in_each == [true; 2], expected, "{text}");
    }
}
