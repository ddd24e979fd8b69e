//! Texts that each dialect accepts and rejects, the dialect that `Auto` takes, and notes.

use super::store;
use crate::language::Languages;
use crate::{Cause, Config, Dialect, Extent, Limits, atomic, search, syntax, translate};

/// A pattern, texts in which it matches, and texts in which it does not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Compares the languages of patterns with texts.
fn check(dialect: Dialect, rows: &[Row]) {
    let config = Config { dialect, ..Config::default() };
    let mut wrong = Vec::new();
    for (source, accepted, rejected) in rows {
        let mut store = store();
        let mut languages = Languages::new(&config, &mut store);
        let found = syntax::parse(source, &config).and_then(|(parsed, _)| {
            languages.set_word(parsed.word);
            let node = atomic::resolve(parsed.node, &mut languages)?;
            search::search(&mut languages, node, source.len())
        });
        let id = match found {
            Ok(id) => id,
            Err(error) => {
                wrong.push(format!("{source}: {error}"));
                continue;
            }
        };
        for (texts, expected) in [(accepted, true), (rejected, false)] {
            for text in *texts {
                if languages.contains(id, text) != Ok(expected) {
                    wrong.push(format!("{source} on {text:?}: {}", !expected));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn look_around_inside_of_repetitions_is_exact() {
    check(
        Dialect::Ecma,
        &[
            (
                r"^(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+$",
                &["a.b", "xn-.com", "a.xn-a.com", "axn--b.com"],
                &["xn--a.com", "a.xn--b.com", "com", "a..b"],
            ),
            (
                r"^(?:(?!xn--)[a-z0-9-]{1,63}\.)+[a-z]{2,63}$",
                &["a.bc", "xn-.com", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bc"],
                &[
                    "xn--a.com",
                    "a.xn--b.com",
                    "a.b",
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bc",
                ],
            ),
            (
                r"^(?!.{256})(?=.*\.)(?:(?!xn--)[a-z0-9-]{1,63}\.)*[a-z]{2,63}(?<!xx)(?<!zz)$",
                &["a.bc", "a.xx.yy", "zz.yx"],
                &["bc", "a.xx", "b.zz", "xn--a.bc"],
            ),
            (
                r"^(?=.{1,253}$)(?:(?![Xx][Nn]--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$",
                &["a.bc", "xn-1.com", "xn.co", "x.co", "a.b-c.de", "a-xn--b.co"],
                &["xn--a.com", "a.XN--b.com", "a.b", "-a.co", "a-.co", "a..co"],
            ),
            // The look-ahead reads beyond a text of the repetition that does not end with a dot.
            (r"^(?:(?!ab)[a-z]\.?)+$", &["a.b", "ba.", "aa"], &["ab", "cab", "a..b"]),
            (r"^(?:\.[a-z]+(?<!x[a-z]*))*$", &["", ".a.b", ".abc"], &[".x", ".a.bxc", "a"]),
            ("^(?:a(?!b)|b)+$", &["a", "b", "aa", "bba", "aaa"], &["ab", "", "bab", "c"]),
            ("^(?:[a-z]+(?=-|$)-?)+$", &["a", "a-", "ab-cd", "ab-cd-"], &["", "-", "a--b", "a-1"]),
            (r"^(?:\w+(?<!_)\.?)+$", &["a", "a.b", "a_b", "a_b.c"], &["a_", "_", "a_.b"]),
            (r"^(?!.*(.)(?<=a)b)\w+$", &["a", "cb"], &["ab", "cab"]),
        ],
    );
}

#[test]
fn ecma_of_2025_has_modifiers_names_and_sets() {
    check(
        Dialect::Ecma,
        &[
            ("^(?i:ab)c$", &["abc", "ABc", "aBc"], &["abC", "ABC"]),
            ("^(?i:a(?-i:b))$", &["ab", "Ab"], &["aB", "AB"]),
            ("^(?i:[a-z]k)$", &["aK", "Zk", "a\u{212a}", "\u{17f}k"], &["1k", "é\u{212a}"]),
            (r"^(?i:\w)$", &["\u{17f}", "\u{212a}", "a"], &["é", "-"]),
            (r"^(?i:\W)$", &["é", "-"], &["\u{17f}", "a"]),
            (r"^(?i:[^x])$", &["y", "é"], &["x", "X"]),
            (r"^(?i:\bs\b)$", &["s", "\u{17f}"], &["x"]),
            (r"^\u017f(?i:\b)", &["\u{17f}"], &[]),
            ("^(?s:.)$", &["\n", "a"], &["", "ab"]),
            ("^(?:(?m:^)a|\n)+$", &["a", "a\na", "\na"], &["aa", "a\naa"]),
            ("^a(?m:$)", &["a", "a\nb", "a\u{2028}"], &["ab"]),
            ("^(?:(?<y>a)|(?<y>b))$", &["a", "b"], &["c"]),
            // The flag `v`.
            (r"^[\p{L}--[a-z]]+$", &["É", "AB"], &["a", "Ab", "L]]", ""]),
            (r"^[\p{L}&&[a-zé]]+$", &["é", "ab"], &["A", "1"]),
            (r"^[\w--\d]$", &["a", "_"], &["1"]),
            (r"^[\q{ab|c|}x]$", &["ab", "c", "x", ""], &["a", "b", "abc"]),
            (r"^[[a-z0-9]&&\d]$", &["5"], &["a", "-", "&&5]"]),
            (r"^[^[a-z]--[x]]$", &["x", "1"], &["a"]),
            // The flag `u`, although the flag `v` reads them otherwise.
            ("^[a&&b]$", &["a", "&", "b"], &["&&", "c"]),
            ("^[!--]$", &["!", "-", ","], &["."]),
            ("^[a[b]$", &["a", "[", "b"], &["]"]),
            ("^[[a-z][0-9]]$", &["a5]", "[5]"], &["a", "5"]),
        ],
    );
}

#[test]
fn rust_patterns_have_their_own_meaning() {
    check(
        Dialect::Rust,
        &[
            (r"\A[0-9]+\z", &["1", "23"], &["", "1\n", "a1"]),
            ("(?i)^[a-z]{3}$", &["abc", "ABC", "ab\u{212a}"], &["ab1", "ab"]),
            ("^a.c$", &["abc", "a\rc", "a\u{2028}c"], &["a\nc"]),
            (r"^\d$", &["1", "١"], &["a"]),
            (r"^\pL+$", &["aé"], &["1"]),
            (r"^\p{Han}$", &["漢"], &["a"]),
            (r"^\x{41}$", &["A"], &["x{41}", "a"]),
            ("^[[:alpha:]]$", &["a"], &["é", ":", "a]"]),
            ("^(?P<n>a)(?<m>b)$", &["ab"], &["a"]),
            ("(?m)^a$", &["a", "b\na", "a\nb"], &["ba", "ab"]),
            ("(?s)^.$", &["\n"], &["ab"]),
            ("(?x)^ a b # c\n $", &["ab"], &["a b"]),
            ("(?x)^ [ a ] $", &["a"], &[" "]),
            ("^a++b$", &["ab", "aab"], &["b"]),
            ("^a++a$", &["aa"], &["a"]),
            (r"^[a-z&&[^b]]$", &["a", "c"], &["b"]),
            (r"\b{start}é", &["é", "-é"], &["aé"]),
            (r"a\b", &["a", "a-"], &["aé"]),
            (r"(?-u:\b)é", &["aé"], &["é", "-é"]),
            (r"(?i-u)^k$", &["k", "K"], &["\u{212a}"]),
            ("a$", &["a"], &["a\n"]),
            ("^(?i:a)b|C$", &["Ab", "C"], &["aB", "c"]),
            ("^(?:a(?i)b|c)$", &["aB", "C"], &["AB"]),
        ],
    );
}

#[test]
fn python_patterns_have_their_own_meaning() {
    check(
        Dialect::Python,
        &[
            (r"\Aa\Z", &["a"], &["a\n", "ba"]),
            ("^a$", &["a", "a\n"], &["a\n\n", "ab"]),
            ("(?m)^a$", &["a", "a\nb", "b\na"], &["ba"]),
            (r"(?:a$|\n)+b", &["a\nb", "\nb"], &["ab", "a", "b"]),
            ("^(?P<n>a)(?#c)b$", &["ab"], &["a"]),
            ("^a{,2}$", &["", "a", "aa"], &["aaa", "a{,2}"]),
            ("^a{}$", &["a{}"], &["a"]),
            ("^[]a]$", &["]", "a"], &["b"]),
            ("^[^]a]$", &["b"], &["]", "a"]),
            (r"^\d\s\w$", &["١\u{1c}é"], &["aa ", "1 -"]),
            (r"(?a)^\d$", &["1"], &["١"]),
            ("(?i)^k$", &["k", "K", "\u{212a}"], &["x"]),
            ("(?i)^i$", &["i", "I", "\u{130}", "\u{131}"], &["x"]),
            ("(?i)^[^s]$", &["x"], &["s", "S", "\u{17f}"]),
            ("(?ai)^k$", &["k", "K"], &["\u{212a}"]),
            ("(?x)^ a\\ b [ ] # c\n$", &["a b "], &["ab"]),
            (r"\B", &["a ", "-", "aa"], &["", "a"]),
            (r"^\x41\101\u0042\U00000043\0$", &["AABC\0"], &["A"]),
            ("^a*+b$", &["b", "aab"], &["a"]),
            ("a*+a", &[], &["a", "aa", ""]),
            ("^a{1,2}+a$", &["aaa"], &["aa", "a"]),
            ("^(?:ab)*+a$", &["a", "aba"], &["ab"]),
            ("^(?>ab|a)b$", &["abb"], &["ab"]),
            ("^(?>a|ab)b$", &["ab"], &["abb"]),
            ("^(?>a+b)c$", &["abc"], &["ac"]),
            ("^(?>x(?:a|ab))b$", &["xab"], &["xabb"]),
            (r"^(?<=a|b)c|(?<!a)d$", &["d", "bd"], &["ad", "c"]),
            ("^a+?$", &["a", "aa"], &[""]),
            (r"^\ud83d\ude00$", &[], &["\u{1f600}"]),
        ],
    );
}

#[test]
fn auto_reads_each_pattern_in_the_first_dialect_that_has_it() {
    let rows: &[(&str, Dialect)] = &[
        ("^a$", Dialect::Ecma),
        ("(?i:a)", Dialect::Ecma),
        ("(?<=a+)b", Dialect::Ecma),
        (r"\A[0-9]+\z", Dialect::Rust),
        ("(?i)^[a-z]{3}$", Dialect::Rust),
        ("(?P<y>[0-9]{4})", Dialect::Rust),
        (r"^\pL+$", Dialect::Rust),
        (r"^\p{Han}$", Dialect::Rust),
        (r"^\x{41}$", Dialect::Rust),
        ("^[[:alpha:]]+$", Dialect::Rust),
        ("^(?x) a b $", Dialect::Rust),
        ("^a++$", Dialect::Rust),
        (r"^\Aa\Z", Dialect::Python),
        ("^(?>a|b)+$", Dialect::Python),
        ("a(?#b)", Dialect::Python),
        (r"\A(?=a)", Dialect::Python),
    ];
    for (source, dialect) in rows {
        let found = translate(source, &Config::default(), &mut store());
        let found = found.unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(found.dialect, *dialect, "{source}");
        assert_eq!(found.notes.is_empty(), *dialect == Dialect::Ecma, "{source}: {:?}", found.notes);
    }
}

#[test]
fn possessive_quantifiers_are_never_read_as_nested_ones_by_auto() {
    check(Dialect::Auto, &[("^a++b$", &["aab"], &["b"]), ("a++a", &[], &["aa", "aaa"])]);
}

#[test]
fn errors_name_the_reason() {
    let rows: &[(Dialect, &str, Cause, usize, &str)] = &[
        (Dialect::Python, "(?P<n>a)(?P=n)", Cause::Unsupported, 8, "back-references"),
        (Dialect::Auto, r"(?P<n>a)(?P=n)\Z", Cause::Unsupported, 8, "back-references"),
        (Dialect::Python, r"(a)\1", Cause::Unsupported, 3, "back-references"),
        (Dialect::Python, "(a)?(?(1)b|c)", Cause::Unsupported, 4, "conditions"),
        (Dialect::Python, r"\N{BULLET}", Cause::Unsupported, 0, "names of characters"),
        (Dialect::Python, "(?>a*b*|c)b", Cause::Unsupported, 0, "atomic"),
        (Dialect::Python, "(?<=a+)b", Cause::Invalid, 0, "several lengths"),
        (Dialect::Python, "a**", Cause::Invalid, 2, "quantifier"),
        (Dialect::Python, "^*", Cause::Invalid, 1, "nothing to repeat"),
        (Dialect::Python, r"\z", Cause::Invalid, 0, "not an escape of Python"),
        (Dialect::Python, "a(?i)b", Cause::Invalid, 1, "not at its start"),
        (Dialect::Python, "(?L)a", Cause::Invalid, 0, "bytes"),
        (Dialect::Python, r"[\8]", Cause::Invalid, 1, "not an escape"),
        (Dialect::Python, r"\400", Cause::Invalid, 0, "octal"),
        (Dialect::Python, "(?P<a>b)(?P<a>c)", Cause::Invalid, 8, "several groups"),
        (Dialect::Rust, "(?=a)", Cause::Invalid, 0, "look-around"),
        (Dialect::Rust, r"(?-u:\xFF)", Cause::Invalid, 5, "UTF-8"),
        (Dialect::Rust, r"\p{Foo}", Cause::Invalid, 0, "property"),
        (Dialect::Ecma, r"^[\p{RGI_Emoji}]$", Cause::Unsupported, 2, "properties of strings"),
        (Dialect::Auto, "a(b", Cause::Invalid, 1, "not closed"),
    ];
    for (dialect, source, cause, offset, part) in rows {
        let config = Config { dialect: *dialect, ..Config::default() };
        let error = translate(source, &config, &mut store()).expect_err(source);
        assert_eq!((&error.cause, error.offset), (cause, *offset), "{source}: {error}");
        assert!(error.message.contains(part), "{source}: {error}");
    }
}

#[test]
fn notes_point_at_what_authors_do_not_mean() {
    let rows: &[(Dialect, &str, usize, &str)] = &[
        (Dialect::Ecma, "/^[a-z]+$/", 0, "slashes"),
        (Dialect::Auto, "/[a-z]+/i", 0, "slashes"),
        (Dialect::Ecma, r"[\uD800-\uDBFF][\uDC00-\uDFFF]", 1, "surrogate"),
        (Dialect::Ecma, "^[[:alpha:]]+$", 2, "POSIX"),
        (Dialect::Auto, "^[[:alpha:]]+$", 0, "POSIX"),
        (Dialect::Ecma, "^[a&&b]$", 0, "flag `v`"),
        (Dialect::Ecma, r"^[\p{L}--[a-z]]+$", 0, "flag `v`"),
        (Dialect::Python, r"\ud800", 0, "surrogate"),
        (Dialect::Auto, r"\A[0-9]+\z", 0, "Rust"),
    ];
    for (dialect, source, offset, part) in rows {
        let config = Config { dialect: *dialect, ..Config::default() };
        let notes = translate(source, &config, &mut store()).expect(source).notes;
        let found = notes.iter().any(|note| note.offset == *offset && note.message.contains(part));
        assert!(found, "{source}: {notes:?}");
    }
    for source in ["^/api/", "/api/", "^/a/$", r"\uD83D\uDE00", "[a-z]"] {
        let notes = translate(source, &Config::default(), &mut store()).expect(source).notes;
        assert!(notes.is_empty(), "{source}: {notes:?}");
    }
}

#[test]
fn whole_texts_are_matched_on_request() {
    let config = Config { extent: Extent::Whole, ..Config::default() };
    let found = translate("a|b", &config, &mut store()).expect("a pattern");
    assert_eq!(found.get(found.root), &crate::Language::Regex("(?:a|b)".to_owned()));
}

#[test]
fn limits_end_expansions() {
    let rows: &[(&str, &str)] = &[
        ("^(?:a(?!b)|b{1,9000}c)*$", "max_pattern_nodes"),
        ("^(?:a(?=.{12}b)|c(?!.{12}a)|b)*$", "max_pattern_states"),
        ("(?:(?:a(?!b)){500}){500}", "max_pattern_nodes"),
    ];
    for (source, limit) in rows {
        let error = translate(source, &Config::default(), &mut store()).expect_err(source);
        assert!(error.message.contains(limit), "{source}: {error}");
    }
    let few = Limits { max_pattern_states: 3, ..Limits::default() };
    let config = Config { limits: few, ..Config::default() };
    let error = translate("^(?:a(?!b)|b)+$", &config, &mut store()).expect_err("few states");
    assert!(error.message.contains("max_pattern_states"), "{error}");
}

#[test]
fn the_version_of_unicode_is_that_of_the_tables() {
    let version = crate::unicode_version();
    let parses = |version: &str| regex_syntax::parse(&format!(r"\p{{age={version}}}")).is_ok();
    assert!(parses(&version), "{version}");
    let (major, minor) = version.split_once('.').expect("two numbers");
    let (major, minor): (u32, u32) = (major.parse().expect("a number"), minor.parse().expect("a number"));
    assert!(major >= 16, "{version}");
    assert!(!parses(&format!("{major}.{}", minor + 1)) && !parses(&format!("{}.0", major + 1)), "{version}");
}
