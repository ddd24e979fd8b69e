//! JSON Schemas inside of grammars: `schema!({...})` becomes a rule for the valid documents.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::{Config, Error, Located, SchemaRemarks};
use grammask_json_schema::translate_text;
use grammask_syntax::{Ast, Diagnostic, ExprKind, Span};

/// Returns a grammar in which each `schema!({...})` is a rule for the valid documents, and the parts of the
/// schemas that are not enforced. The options are those of
/// [`Config::json_schema`](crate::Config::json_schema).
///
/// Compiling a grammar does this. Callers that run the stages one by one do it before
/// [`normalize`](grammask_normal::normalize).
///
/// # Errors
/// The errors of all schemas, each with its place in the grammar.
///
/// # Complexity
/// As [`translate_text`] for each different schema.
///
/// ```
/// use grammask::{Config, syntax, translate_schemas};
///
/// let text = r#"start ::= 'answer: ' schema!({"enum": [1, 2]});"#;
/// let ast = syntax::parse(text, &Default::default())?;
/// let (grammar, remarks) = translate_schemas(&ast, &Config::default())?;
/// assert!(grammar.to_string().starts_with("start ::= 'answer: ' schema1_start;\n"), "{grammar}");
/// assert!(remarks.relaxations.is_empty() && remarks.notes.is_empty());
///
/// let wrong = syntax::parse(r#"start ::= schema!({"type": "strin"});"#, &Default::default())?;
/// let error = translate_schemas(&wrong, &Config::default()).unwrap_err();
/// assert_eq!(error.diagnostics()[0].span.start, 19);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn translate_schemas<'a>(ast: &'a Ast, config: &Config) -> Result<(Cow<'a, Ast>, SchemaRemarks), Error> {
    let is_schema = |kind: &ExprKind| matches!(kind, ExprKind::Schema(_));
    if !ast.exprs.iter().any(|expr| is_schema(&expr.kind)) {
        return Ok((Cow::Borrowed(ast), SchemaRemarks::default()));
    }
    let mut grafted = ast.clone();
    let prefix = ast.free_prefix("schema");
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut remarks = SchemaRemarks::default();
    let mut first_error = None;
    let mut diagnostics = Vec::new();
    for (index, expr) in ast.exprs.iter().enumerate() {
        let ExprKind::Schema(schema) = &expr.kind else { continue };
        let name = match names.get(schema.text.as_str()) {
            Some(name) => name.clone(),
            None => match translate_text(&schema.text, &config.json_schema) {
                Ok(translation) => {
                    remarks.relaxations.extend(translation.relaxations);
                    remarks.notes.extend(translation.notes);
                    let prefix = format!("{prefix}{}_", names.len() + 1);
                    let name = grafted.graft(&translation.ast, &prefix, expr.span);
                    names.insert(&schema.text, name.clone());
                    name
                }
                Err(errors) => {
                    for located in errors {
                        let start = schema.span.start;
                        let in_grammar = |span: Span| Span::new(start + span.start, start + span.end);
                        let span = located.span.map_or(schema.span, in_grammar);
                        diagnostics.push(Diagnostic::new(located.error.to_string(), span));
                        first_error.get_or_insert(located.error);
                    }
                    continue;
                }
            },
        };
        grafted.exprs[index].kind = ExprKind::Nonterminal(name.into());
    }
    match first_error {
        None => Ok((Cow::Owned(grafted), remarks)),
        Some(cause) => {
            let most = config.normal.limits.max_errors.max(1);
            let omitted = diagnostics.len().saturating_sub(most);
            diagnostics.truncate(most);
            Err(Error::EmbeddedSchema(Box::new(Located { cause, diagnostics, omitted })))
        }
    }
}
