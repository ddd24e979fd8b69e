//! Sets of strings that contain regular expressions of ECMA-262, which are not a regular language. Operations
//! are exact where possible, and refused elsewhere.

use crate::PatternDialect;
use crate::context::{Context, Stop};
use crate::emit::regexes::body;
use crate::keyword::UNASSERTED_REGEX_RULES;
use crate::language::{Language, LanguageId};
use crate::value::algebra;
use crate::value::{RegexStrings, Values};

/// Texts that may violate one of [`UNASSERTED_REGEX_RULES`].
const WITH_UNASSERTED_RULES: &str = r"(?s:.)*[\\\[{](?s:.)*";

/// Returns the strings in both sets. `string` is the intersection of their regular parts.
pub(super) fn intersect_regexes(
    cx: &mut Context<'_>,
    a: &Values,
    b: &Values,
    string: LanguageId,
) -> Result<(LanguageId, RegexStrings), Stop> {
    let mut all = (string, a.regexes.min(b.regexes));
    for (own, other) in [(a, b), (b, a)] {
        match (own.regexes, other.regexes) {
            (RegexStrings::None, _) => {}
            (own, RegexStrings::None) => {
                let (texts, regexes) = regexes_among(cx, own, other.string)?;
                all = (cx.languages.union([all.0, texts]), all.1.max(regexes));
            }
            (RegexStrings::All, RegexStrings::NotEmpty) if cx.contains(other.string, "")? => {
                all.0 = cx.languages.union([all.0, LanguageId::EMPTY_TEXT]);
            }
            _ => {}
        }
    }
    Ok(all)
}

/// Returns the strings of `a` that are not in `b`. `string` is the difference of their regular parts.
pub(super) fn subtract_regexes(
    cx: &mut Context<'_>,
    a: &Values,
    b: &Values,
    string: LanguageId,
) -> Result<(LanguageId, RegexStrings), Stop> {
    let mut left = (string, a.regexes);
    if b.regexes != RegexStrings::None && string != LanguageId::NONE {
        match algebra::listed_texts(cx, string) {
            Some(texts) => {
                let others = texts.into_iter().filter(|&text| !is_regex_string(cx, text, b.regexes));
                let others = others.collect::<Vec<_>>();
                left.0 = cx.languages.union(others);
            }
            None => match without_groups(cx, string)? {
                Some(mut regexes) => {
                    if b.regexes == RegexStrings::NotEmpty {
                        let some = cx.languages.length(1, None);
                        regexes = cx.languages.and([regexes, some]);
                    }
                    let others = cx.languages.not(regexes);
                    left.0 = cx.languages.and([string, others]);
                }
                None => {
                    let what = "strings that are not regular expressions";
                    cx.refuse_or_relax(cx.current_schema, "format", what)?;
                }
            },
        }
    }
    left.1 = match (a.regexes, b.regexes, b.string) {
        (RegexStrings::None, ..) | (_, RegexStrings::All, _) | (_, _, LanguageId::ANY) => RegexStrings::None,
        (own, RegexStrings::NotEmpty, other) => {
            if own == RegexStrings::All && !cx.contains(other, "")? {
                left.0 = cx.languages.union([left.0, LanguageId::EMPTY_TEXT]);
            }
            RegexStrings::None
        }
        (own, RegexStrings::None, LanguageId::NONE) => own,
        (_, RegexStrings::None, LanguageId::EMPTY_TEXT) => RegexStrings::NotEmpty,
        (own, RegexStrings::None, _) => {
            cx.refuse_or_relax(cx.current_schema, "format", "regular expressions other than some texts")?;
            own
        }
    };
    Ok(left)
}

/// Returns the regular expressions of `which` in a language, as listed texts or as a set of regular
/// expressions.
fn regexes_among(
    cx: &mut Context<'_>,
    which: RegexStrings,
    language: LanguageId,
) -> Result<(LanguageId, RegexStrings), Stop> {
    if let Some(texts) = algebra::listed_texts(cx, language) {
        let texts = texts.into_iter().filter(|&text| is_regex_string(cx, text, which)).collect::<Vec<_>>();
        return Ok((cx.languages.union(texts), RegexStrings::None));
    }
    if language == LanguageId::ANY {
        return Ok((LanguageId::NONE, which));
    }
    if language == cx.languages.length(1, None) {
        return Ok((LanguageId::NONE, RegexStrings::NotEmpty));
    }
    if let Some(texts) = without_groups(cx, language)? {
        let some = if which == RegexStrings::All { LanguageId::ANY } else { cx.languages.length(1, None) };
        let texts = cx.languages.and([texts, some]);
        let unasserted = cx.languages.regex(WITH_UNASSERTED_RULES);
        let unasserted = cx.languages.and([texts, unasserted]);
        if !cx.is_empty(unasserted)? {
            cx.evaluation.mark_relaxed();
            cx.list_partial(cx.current_schema, "format", UNASSERTED_REGEX_RULES);
        }
        return Ok((texts, RegexStrings::None));
    }
    cx.refuse_or_relax(cx.current_schema, "format", "regular expressions that satisfy further constraints")?;
    Ok((LanguageId::NONE, which))
}

/// Returns the texts of a language that are regular expressions, which is a regular language if all of them
/// are without groups. Returns `None` if some text may have a group.
fn without_groups(cx: &mut Context<'_>, language: LanguageId) -> Result<Option<LanguageId>, Stop> {
    let body = cx.languages.regex(&body());
    let rest = cx.languages.not(body);
    let with_parenthesis = cx.languages.regex(r"(?s:.)*\((?s:.)*");
    let with_groups = cx.languages.and([language, rest, with_parenthesis]);
    if !cx.is_empty(with_groups)? {
        return Ok(None);
    }
    Ok(Some(cx.languages.and([language, body])))
}

fn is_regex_string(cx: &Context<'_>, text: LanguageId, which: RegexStrings) -> bool {
    match cx.languages.get(text) {
        Language::Text(text) if text.is_empty() => which == RegexStrings::All,
        Language::Text(text) => {
            grammask_pattern::is_pattern(text, PatternDialect::Ecma, &cx.config.patterns().limits)
        }
        _ => false,
    }
}
