//! Checks the result of translating any text, for the tests of all front ends.

use grammask_notation::{Errors, Outcome};

/// Checks a result: a tree prints as KBNF that reads as the same tree, and errors have places in the text.
pub fn check(text: &str, result: Result<Outcome, Errors>) {
    match result {
        Ok(outcome) => {
            let printed = outcome.ast.to_string();
            let again = grammask_syntax::parse(&printed, &Default::default());
            let again =
                again.unwrap_or_else(|errors| panic!("{text:?}\n{}", errors.render(&printed, "kbnf")));
            assert_eq!(again.to_string(), printed, "{text:?}");
            outcome.render_notes();
        }
        Err(errors) => {
            assert!(!errors.diagnostics().is_empty(), "{text:?}");
            let length = errors.sources().text().len();
            for error in errors.diagnostics() {
                assert!(error.span.start <= error.span.end && error.span.end <= length, "{text:?} {error:?}");
            }
            assert!(!errors.render().is_empty());
        }
    }
}
