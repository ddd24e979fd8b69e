//! Keywords about numbers and strings.

use crate::json::Value;
use grammask_pattern::Cause;

use crate::context::{Context, Stop};
use crate::keyword;
use crate::keyword::expand::Schema;
use crate::keyword::{constant, expand};
use crate::language::LanguageId;
use crate::language::format::{self, registry};
use crate::language::number;
use crate::language::number::Bound;
use crate::{Formats, NumberSpelling, PatternDialect};

/// The part of `idn-email` that the grammar does not assert.
const UNASSERTED_IDNA_RULES: &str = "the tables of IDNA 2008, which forbid some letters in domain names";

/// Returns why a format is not asserted.
pub(super) fn annotation(name: &str) -> String {
    format!("the format '{name}' is an annotation")
}

/// Returns the numbers that the keywords about numbers allow.
pub(super) fn number_language<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<LanguageId, Stop> {
    let mut parts: Vec<LanguageId> = Vec::new();
    for (keyword, exclusive, is_minimum) in
        [("minimum", "exclusiveMinimum", true), ("maximum", "exclusiveMaximum", false)]
    {
        // Draft 4 has a boolean in addition to the bound, later drafts a second bound.
        let is_exclusive = schema.get(exclusive) == Some(&Value::Bool(true));
        for (keyword, is_exclusive) in [(keyword, is_exclusive), (exclusive, true)] {
            cx.current_keyword = keyword;
            let bound = match schema.get(keyword) {
                None | Some(Value::Bool(_)) => continue,
                Some(Value::Number(bound)) => constant::decimal(cx, bound)?,
                Some(_) => return Err(expand::invalid(cx, schema, keyword, "not a number")),
            };
            let languages = &mut cx.languages;
            let part = if is_minimum {
                number::at_least(languages, &bound, is_exclusive)
            } else {
                number::at_most(languages, &bound, is_exclusive)
            };
            cx.numbers.bounds.insert(part, Bound { is_minimum, is_exclusive, value: bound });
            parts.push(part);
        }
    }
    // Every offered number is a double already, and the bounds of doubles are long.
    let is_implied = |name: &str| name == "double" && cx.config.numbers == NumberSpelling::Double;
    if let Some(Value::String(name)) =
        schema.get("format").filter(|name| !name.as_str().is_some_and(is_implied))
        && asserts_registry(cx, schema.has("pattern"))
        && let Some(format) = registry::numbers(name)
    {
        for (bound, is_minimum) in [(format.least, true), (format.most, false)] {
            let languages = &mut cx.languages;
            let part = if is_minimum {
                number::at_least(languages, &bound, false)
            } else {
                number::at_most(languages, &bound, false)
            };
            cx.numbers.bounds.insert(part, Bound { is_minimum, is_exclusive: false, value: bound });
            parts.push(part);
        }
        if format.is_integer {
            parts.push(number::integer(&mut cx.languages));
        }
    }
    cx.current_keyword = "multipleOf";
    if let Some(of) = schema.get("multipleOf") {
        let Value::Number(of) = of else {
            return Err(expand::invalid(cx, schema, "multipleOf", "not a number"));
        };
        let of = constant::decimal(cx, of)?;
        if of.is_zero() || of.is_negative() {
            return Err(expand::invalid(cx, schema, "multipleOf", "not greater than 0"));
        }
        if number::has_multiples(&of) {
            parts.push(number::multiple_of(&mut cx.languages, &of));
            // From now on, complements are exact among the spellings without exponent only.
            let among = number::multiple_domain(&mut cx.languages, &of);
            if among != cx.numbers.domain {
                cx.numbers.domain = number::plain(&mut cx.languages);
            }
        } else {
            cx.refuse_or_relax(schema.id, "multipleOf", "multiples of a number with too many digits")?;
        }
    }
    if parts.is_empty() {
        return Ok(cx.numbers.any);
    }
    // All parts lie within the comparable spellings, unless the domain is smaller.
    let constrained = number::comparable(&mut cx.languages);
    if cx.numbers.domain != constrained {
        parts.push(cx.numbers.domain);
    }
    Ok(cx.languages.and(parts))
}

/// Returns the strings that the keywords about strings allow.
pub(super) fn string_language<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<LanguageId, Stop> {
    let mut parts: Vec<LanguageId> = Vec::new();
    let min = keyword::count(cx, schema, "minLength")?;
    let max = keyword::count(cx, schema, "maxLength")?;
    if min.is_some() || max.is_some() {
        let most = cx.config.limits.max_count;
        let min = u32::try_from(min.unwrap_or(0)).map_or(most, |min| min.min(most));
        let max = max.and_then(|max| u32::try_from(max).ok()).filter(|&max| max <= most);
        if max.is_some_and(|max| min > max) {
            return Ok(LanguageId::NONE);
        }
        parts.push(cx.languages.length(min, max));
    }
    cx.current_keyword = "pattern";
    if let Some(source) = schema.get("pattern") {
        let Value::String(source) = source else {
            return Err(expand::invalid(cx, schema, "pattern", "not a string"));
        };
        parts.push(pattern_language(cx, schema, "pattern", source)?.unwrap_or(LanguageId::ANY));
    }
    cx.current_keyword = "format";
    if let Some(name) = schema.get("format") {
        let Value::String(name) = name else {
            return Err(expand::invalid(cx, schema, "format", "not a string"));
        };
        let mut language = None;
        if asserts_format(cx) {
            if format::is_approximate(name, schema.draft) {
                cx.evaluation.mark_approximate();
            }
            language = format::language(&mut cx.languages, name, schema.draft, cx.evaluation.approximation);
            if cx.config.naive_times
                && let Some(naive) = format::naive(&mut cx.languages, name)
            {
                language = language.map(|language| cx.languages.union([language, naive]));
            }
        }
        if language.is_none() && asserts_registry(cx, schema.has("pattern")) {
            language = registry::texts(&mut cx.languages, name);
        }
        match language {
            Some(language) => {
                parts.push(language);
                if name == "idn-email" {
                    cx.evaluation.mark_relaxed();
                    cx.list_partial(schema.id, "format", UNASSERTED_IDNA_RULES);
                }
            }
            None if is_asserted_format(cx, name, schema.has("pattern")) => {}
            None => cx.list_note(schema.id, "format", annotation(name)),
        }
    }
    Ok(cx.languages.and(parts))
}

pub(super) fn asserts_format(cx: &Context<'_>) -> bool {
    matches!(cx.config.formats, Formats::Asserted | Formats::Extended)
}

/// Returns true if formats outside of the standard are asserted. A pattern beside the format decides alone.
fn asserts_registry(cx: &Context<'_>, has_pattern: bool) -> bool {
    cx.config.formats == Formats::Extended && !has_pattern
}

/// Returns true if the grammar asserts a format, or if the format restricts nothing. `regex` is one of them;
/// it is not a regular language, see [`assertion_values`](super::assertion_values).
pub(super) fn is_asserted_format(cx: &mut Context<'_>, name: &str, has_pattern: bool) -> bool {
    asserts_format(cx) && format::is_known(name)
        || asserts_registry(cx, has_pattern) && registry::is_known(&mut cx.languages, name)
}

/// Returns the texts in which a pattern matches. Returns `None` if the pattern was relaxed.
pub(super) fn pattern_language<'a>(
    cx: &mut Context<'a>,
    schema: Schema<'a>,
    keyword: &str,
    source: &str,
) -> Result<Option<LanguageId>, Stop> {
    let config = cx.config.patterns();
    match cx.languages.pattern(source, &config) {
        Ok((language, notes)) => {
            for note in notes {
                let place = match note.offset {
                    0 => String::new(),
                    offset => format!(", at byte {offset} of the pattern"),
                };
                cx.list_note(schema.id, keyword, note.message + &place);
            }
            Ok(Some(language))
        }
        Err(error) if error.cause == Cause::Invalid => {
            let dialect = match cx.config.pattern_dialect {
                PatternDialect::Auto | PatternDialect::Ecma => "ECMA-262",
                PatternDialect::Rust => "Rust",
                PatternDialect::Python => "Python",
            };
            let what = format!("not a regular expression of {dialect}: {error}");
            Err(expand::invalid(cx, schema, keyword, &what))
        }
        Err(error) => {
            cx.spend(1)?;
            cx.refuse_or_relax(schema.id, keyword, format!("{error} of the pattern"))?;
            Ok(None)
        }
    }
}
