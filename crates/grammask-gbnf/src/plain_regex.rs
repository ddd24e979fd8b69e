//! A regular expression as a grammar: the whole output matches it.

use grammask_notation::{Builder, Dialect, Errors, Extent, Outcome};
use grammask_syntax::{ExprId, Span};

use crate::xgrammar_regex::{Flags, Problem, Reader, convert};

/// The dialect of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RegexDialect {
    /// ECMA-262; a pattern that is not valid there is read as one of Rust, then of Python, then of XGrammar.
    #[default]
    Auto,
    /// ECMA-262.
    Ecma,
    /// The Rust crate `regex`.
    Rust,
    /// The module `re` of Python.
    Python,
    /// XGrammar 0.2.8: anchors have no effect, `.` takes a line break, `\d` and `\w` are ASCII.
    XGrammar,
}

/// Translates a regular expression. The outputs are the texts that it matches from end to end.
///
/// ```
/// use grammask_gbnf::{RegexDialect, translate_regex};
///
/// let common = grammask_notation::Config::default();
/// let outcome = translate_regex("^(?!admin$)[a-z]+$", RegexDialect::Auto, "pattern", &common)?;
/// assert!(outcome.ast.to_string().contains('~'));
/// let errors = translate_regex("(a", RegexDialect::Auto, "pattern", &common).unwrap_err();
/// assert_eq!(errors.to_string(), "pattern:1:1: invalid regular expression: the group is not closed");
/// # Ok::<(), grammask_notation::Errors>(())
/// ```
///
/// # Errors
/// If the pattern is invalid, has back-references, or exceeds a limit.
pub fn translate_regex(
    pattern: &str,
    dialect: RegexDialect,
    file_name: &str,
    config: &grammask_notation::Config,
) -> Result<Outcome, Errors> {
    let mut builder = Builder::new(config);
    let at = builder.add_source(file_name, pattern);
    let span = Span::new(at, at + pattern.len());
    if !builder.has_errors()
        && let Some(body) = push_regex(&mut builder, pattern, dialect, &|offset| at + offset, span)
    {
        let name = builder.declare("start");
        builder.rule(&name, span, body, span);
        return builder.finish(&name, span);
    }
    Err(builder.into_errors())
}

/// Returns the texts that a pattern matches from end to end, as an expression of a builder. `place` maps an
/// offset in the pattern to the virtual text, and `span` is that of the expression.
///
/// Reports an error and returns `None` if the pattern has no language.
pub fn push_regex(
    builder: &mut Builder,
    pattern: &str,
    dialect: RegexDialect,
    place: &dyn Fn(usize) -> usize,
    span: Span,
) -> Option<ExprId> {
    let dialect = match dialect {
        RegexDialect::Auto if is_only_xgrammar(builder, pattern) => {
            let message = "read as XGrammar does, because no other dialect has it";
            builder.note(message, Span::new(span.start, span.start));
            let flags = Flags { ignore_case: false, dot_all: false };
            return push_xgrammar(builder, pattern, Reader::Plain, flags, place, span);
        }
        RegexDialect::Auto => Dialect::Auto,
        RegexDialect::Ecma => Dialect::Ecma,
        RegexDialect::Rust => Dialect::Rust,
        RegexDialect::Python => Dialect::Python,
        RegexDialect::XGrammar => {
            let flags = Flags { ignore_case: false, dot_all: true };
            return push_xgrammar(builder, pattern, Reader::Plain, flags, place, span);
        }
    };
    builder.pattern_map(pattern, dialect, Extent::Whole, place, span)
}

/// Returns true if a pattern is valid for XGrammar and in no other dialect, such as `\\y`.
fn is_only_xgrammar(builder: &Builder, pattern: &str) -> bool {
    let others = [Dialect::Ecma, Dialect::Rust, Dialect::Python];
    let is_valid = others.iter().any(|&dialect| builder.is_pattern(pattern, dialect));
    let flags = Flags { ignore_case: false, dot_all: false };
    let limit = builder.config().limits.max_stacked_quantifiers;
    !is_valid && convert(pattern, Reader::Plain, flags, limit).is_ok()
}

/// As [`push_regex`], for a reader of XGrammar.
pub(crate) fn push_xgrammar(
    builder: &mut Builder,
    pattern: &str,
    reader: Reader,
    flags: Flags,
    place: &dyn Fn(usize) -> usize,
    span: Span,
) -> Option<ExprId> {
    let limit = builder.config().limits.max_stacked_quantifiers;
    match convert(pattern, reader, flags, limit) {
        Ok(converted) => {
            for (at, note) in converted.notes {
                let at = place(at);
                builder.note(note, Span::new(at, at + 1));
            }
            Some(if converted.regex.is_empty() {
                builder.empty(span)
            } else {
                builder.regex(&converted.regex, span)
            })
        }
        Err(Problem { at, message }) => {
            let at = place(at);
            let end = (at + 1).min(span.end).max(at);
            let message = format!("invalid regular expression: {message}");
            let hint = "other dialects are auto, ecma, rust and python";
            builder.error_hint(message, Span::new(at, end), hint);
            None
        }
    }
}
