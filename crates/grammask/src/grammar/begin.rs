//! Grammars that begin later: after a token or a text that ends what is free, as the thoughts of a model.

use std::borrow::Cow;

use grammask_syntax::{Ast, Expr, ExprId, ExprKind, Name, Quantifier, Rule, Span, Text};

use crate::{Ending, TokenId, Vocabulary};

/// The token or text after which a grammar begins. All tokens before are free, special ones included, but the
/// tokens that end an output are not allowed there.
///
/// ```
/// use grammask::{Begin, Config, Grammar, TokenId, Vocabulary};
///
/// let words = ["so", "</think>", "yes", "no"];
/// let tokens = (0..4).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
/// let vocabulary = Vocabulary::new(tokens, [])?;
/// let config = Config { begin: Some(Begin::Text("</think>".into())), ..Config::default() };
/// let mut matcher = Grammar::compile("start ::= 'yes' | 'no';", &vocabulary, &config)?.matcher();
/// for token in [0, 2, 0, 1] {
///     assert!(matcher.accept(TokenId(token)).is_accepted());
/// }
/// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(2), TokenId(3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Begin {
    /// After the first occurrence of this token. A token with bytes counts as its text, as
    /// [`Text`](Self::Text).
    Token(TokenId),
    /// After the first occurrence of this text, which may begin and end inside of tokens. A token that
    /// contains the end of the text is allowed if the grammar allows the rest of it.
    Text(String),
}

/// A pattern that matches nowhere.
const NEVER: &str = r"[^\s\S]";

impl Begin {
    /// Returns the tree of free tokens, `self`, and the language of `ast`; and the name of its start rule.
    ///
    /// `start` is the start symbol that the configuration sets, if it sets one.
    pub(super) fn prepend(
        &self,
        ast: Cow<'_, Ast>,
        start: Option<&str>,
        vocabulary: &Vocabulary,
        ending: &Ending,
    ) -> (Ast, String) {
        let text = match self {
            Self::Token(token) => vocabulary.bytes(*token).and_then(|bytes| std::str::from_utf8(bytes).ok()),
            Self::Text(text) => Some(text.as_str()),
        };
        let trigger = text.map_or_else(|| self.clone(), |text| Self::Text(text.to_owned()));
        let mut ast = ast.into_owned();
        let inner = start.map(str::to_owned).or_else(|| ast.start.as_ref().map(|name| name.text.clone()));
        let inner = inner.unwrap_or_else(|| "start".to_owned());
        // `%start name?` allows the empty output of the grammar, which comes after the beginning.
        let is_directive = ast.start.as_ref().is_some_and(|name| name.text == inner);
        let allows_empty = std::mem::take(&mut ast.allows_empty) && is_directive;
        let mut name = "begin_after".to_owned();
        while ast.rules.iter().any(|rule| rule.name.text == name) || inner == name {
            name.push('_');
        }
        let body = trigger.body(&mut ast, (&inner, allows_empty), vocabulary, ending);
        let name_of_rule = Name { text: name.clone(), span: Span::default() };
        ast.rules.push(Rule { name: name_of_rule, body, span: Span::default() });
        (ast, name)
    }

    /// Adds the body of the start rule: free texts and special tokens up to the beginning, then the rule
    /// `inner`.
    fn body(
        &self,
        ast: &mut Ast,
        (inner, allows_empty): (&str, bool),
        vocabulary: &Vocabulary,
        ending: &Ending,
    ) -> ExprId {
        let ends: &[TokenId] = match ending {
            Ending::EndOfSequence(tokens) => tokens,
            Ending::OfVocabulary => vocabulary.ends(),
            _ => &[],
        };
        let is_trigger = |id| matches!(self, Self::Token(token) if *token == id);
        let specials = vocabulary.specials().map(|(id, _)| id);
        let free: Vec<TokenId> = specials.filter(|id| !ends.contains(id) && !is_trigger(*id)).collect();
        let mut parts = Vec::new();
        let mut add = |kind| {
            let id = ExprId(u32::try_from(ast.exprs.len()).unwrap_or(u32::MAX));
            ast.exprs.push(Expr { kind, span: Span::default() });
            id
        };
        let pattern = match self {
            Self::Token(_) => NEVER.to_owned(),
            Self::Text(text) => escape(text),
        };
        // Free texts with special tokens between them.
        if !free.is_empty() {
            // The operator excludes the empty text.
            let text = add(ExprKind::NotContaining(Text::from(pattern.as_str())));
            let text = add(ExprKind::Repeat { expr: text, quantifier: Quantifier::Option });
            let tokens: Vec<ExprId> = free.iter().map(|id| add(ExprKind::SpecialId(id.0))).collect();
            let token = match tokens[..] {
                [token] => token,
                _ => add(ExprKind::Alternatives(tokens.into())),
            };
            let pair = add(ExprKind::Sequence(vec![text, token].into()));
            parts.push(add(ExprKind::Repeat { expr: pair, quantifier: Quantifier::Star }));
        }
        match self {
            Self::Token(token) => {
                let text = add(ExprKind::NotContaining(Text::from(NEVER)));
                parts.push(add(ExprKind::Repeat { expr: text, quantifier: Quantifier::Option }));
                parts.push(add(ExprKind::SpecialId(token.0)));
            }
            Self::Text(_) => {
                let first = format!("(?s:.*){pattern}");
                parts.push(add(ExprKind::PrefixMinimal(Text::from(first.as_str()))));
            }
        }
        let grammar = add(ExprKind::Nonterminal(Text::from(inner)));
        parts.push(match allows_empty {
            true => add(ExprKind::Repeat { expr: grammar, quantifier: Quantifier::Option }),
            false => grammar,
        });
        add(ExprKind::Sequence(parts.into()))
    }
}

/// A pattern that matches exactly this text.
fn escape(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || !character.is_ascii() {
            pattern.push(character);
        } else {
            // A code point is valid in every dialect, whatever the character means.
            pattern.push_str(&format!("\\x{{{:x}}}", u32::from(character)));
        }
    }
    pattern
}
