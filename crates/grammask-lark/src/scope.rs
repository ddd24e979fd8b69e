//! Names of one grammar: its definitions, imports and statements.

use std::rc::Rc;

use grammask_notation::Builder;
use grammask_syntax::Span;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::imports;
use crate::tree::{Alternatives, Definition, Import, Item};

/// An index into the scopes of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub usize);

/// The names and options of one grammar.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Names in the order of the text.
    pub names: Vec<String>,
    pub entries: FxHashMap<String, Entry>,
    pub ignored: Vec<Rc<Alternatives>>,
    pub options: Options,
    /// Identifier of the rule for ignored texts, once it exists.
    pub skip: Option<grammask_syntax::Text>,
}

/// Options of `%llguidance`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Ignored texts may precede the first lexeme.
    pub allows_initial_skip: bool,
    /// At most one ignored text follows a lexeme.
    pub ignores_once: bool,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub kind: EntryKind,
    pub span: Span,
    /// Alternatives of `%extend`.
    pub extensions: Vec<Rc<Alternatives>>,
}

#[derive(Clone, Debug)]
pub(crate) enum EntryKind {
    Own(Rc<Definition>),
    /// A built-in terminal: its regex.
    BuiltIn(&'static str),
    /// A name of a grammar that the caller handed over.
    Imported {
        from: String,
        name: String,
    },
}

/// Regex of a terminal without texts.
const NEVER: &str = "[a&&b]";

impl Scope {
    /// Collects the names of a grammar. Reports errors. `grammars` has the names of grammars that may be
    /// imported from.
    pub(crate) fn new(items: &[Item], grammars: &[String], builder: &mut Builder) -> Self {
        let mut scope = Self::default();
        for item in items {
            match item {
                Item::Definition(definition) => {
                    let kind = EntryKind::Own(Rc::clone(definition));
                    scope.define(&definition.name, kind, definition.name_span, builder);
                }
                Item::Import(import) => scope.import(import, grammars, builder),
                Item::Ignore(ignored) => scope.ignored.push(Rc::clone(ignored)),
                Item::Options { json, span } => scope.set_options(json, *span, builder),
                Item::Change { .. } => {}
                Item::Declare { name, span } => {
                    let message =
                        format!("`{name}` comes from a program after the lexer: nothing matches it here");
                    builder.note(message, *span);
                    scope.define(name, EntryKind::BuiltIn(NEVER), *span, builder);
                }
            }
        }
        for item in items {
            if let Item::Change { is_extension, definition } = item {
                scope.change(*is_extension, definition, builder);
            }
        }
        scope
    }

    fn define(&mut self, name: &str, kind: EntryKind, span: Span, builder: &mut Builder) {
        if let Some(first) = self.entries.get(name) {
            let what = if name.trim_start_matches('_').starts_with(|first: char| first.is_uppercase()) {
                "terminal"
            } else {
                "rule"
            };
            let error =
                grammask_syntax::Diagnostic::new(format!("the {what} `{name}` is defined twice"), span)
                    .with_note(first.span, "the first definition is here")
                    .with_hint("add alternatives with `|` to the first one, or rename one of them");
            builder.report(error);
            return;
        }
        self.names.push(name.to_owned());
        self.entries.insert(name.to_owned(), Entry { kind, span, extensions: Vec::new() });
    }

    fn import(&mut self, import: &Import, grammars: &[String], builder: &mut Builder) {
        let built_in = imports::terminals(&import.from);
        for (name, local, span) in &import.names {
            let kind = match built_in {
                Some(terminals) => match terminals.iter().find(|(known, _)| known == name) {
                    Some(&(_, regex)) => EntryKind::BuiltIn(regex),
                    None => {
                        let names = terminals.iter().map(|&(known, _)| known);
                        let hint = match grammask_syntax::suggest(name, names.clone()) {
                            Some(similar) => format!("did you mean `{}.{similar}`?", import.from),
                            None => format!("it has {}", names.collect::<Vec<_>>().join(", ")),
                        };
                        builder.error_hint(
                            format!("`{}` has no terminal `{name}`", import.from),
                            *span,
                            hint,
                        );
                        continue;
                    }
                },
                None if grammars.contains(&import.from) => {
                    EntryKind::Imported { from: import.from.clone(), name: name.clone() }
                }
                None => {
                    let message = format!("there is no grammar `{}` to import from", import.from);
                    let hint =
                        "`common`, `python` and `unicode` are built in; others are handed over by name";
                    builder.error_hint(message, *span, hint);
                    continue;
                }
            };
            self.define(local, kind, *span, builder);
        }
    }

    fn change(&mut self, is_extension: bool, definition: &Rc<Definition>, builder: &mut Builder) {
        let word = if is_extension { "%extend" } else { "%override" };
        match self.entries.get_mut(&definition.name) {
            Some(entry) if is_extension => entry.extensions.extend(definition.body.clone()),
            Some(entry) => {
                entry.kind = EntryKind::Own(Rc::clone(definition));
                entry.span = definition.name_span;
            }
            None => builder.error_hint(
                format!("`{word}` changes a name, but `{}` is not defined", definition.name),
                definition.name_span,
                format!("import or define it, or remove `{word}`"),
            ),
        }
    }

    fn set_options(&mut self, json: &str, span: Span, builder: &mut Builder) {
        let object = match serde_json::from_str(json) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return builder.error("expected a JSON object", span),
            Err(error) => return builder.error(format!("not JSON: {error}"), span),
        };
        for (key, value) in object {
            if key == "skip_repetition" {
                match value.as_str() {
                    Some("once") => self.options.ignores_once = true,
                    Some("repeat") => self.options.ignores_once = false,
                    _ => builder.error(format!("`{key}` is \"once\" or \"repeat\", not {value}"), span),
                }
                continue;
            }
            let known = ["allow_initial_skip", "ignore_once", "no_forcing", "allow_invalid_utf8"];
            let value = match value {
                Value::Bool(value) => value,
                value if known.contains(&key.as_str()) => {
                    builder.error(format!("`{key}` is true or false, not {value}"), span);
                    continue;
                }
                _ => false,
            };
            match key.as_str() {
                "allow_initial_skip" => self.options.allows_initial_skip = value,
                "ignore_once" => self.options.ignores_once = value,
                // Masks never depend on forced tokens.
                "no_forcing" => {}
                "allow_invalid_utf8" if !value => {}
                "allow_invalid_utf8" => {
                    builder.note("regexes match characters; bytes are written (?-u:\\xff)", span);
                }
                _ => builder.note(format!("the option `{key}` is unknown and has no effect"), span),
            }
        }
    }

    /// Returns the names that may have been meant.
    pub(crate) fn similar(&self, name: &str) -> Option<String> {
        grammask_syntax::suggest(name, self.names.iter().map(String::as_str)).map(str::to_owned)
    }
}
