//! Hints how to correct an error.

use super::ErrorKind;

/// Returns a hint how to correct an error. Returns `None` for errors whose message is enough.
pub(super) fn hint(kind: &ErrorKind) -> Option<String> {
    let hint = match kind {
        ErrorKind::UnclosedText { .. } => {
            "a text may contain line breaks; perhaps an earlier quote is superfluous"
        }
        ErrorKind::UnclosedComment => {
            "`(*` always begins a comment, which the next `*)` ends; comments do not nest"
        }
        ErrorKind::UnmatchedCommentEnd => "comments do not nest: the first `*)` ends a comment",
        ErrorKind::UnclosedGroup { open, .. } | ErrorKind::MismatchedClose { open, .. } => {
            return Some(format!("`{open}` is closed by `{}`", closing(*open)));
        }
        ErrorKind::UnknownEscape { character, in_regex: true } if character.is_ascii_graphic() => {
            return Some(format!("in a regex, a backslash is written `\\\\`: `\\\\{character}`"));
        }
        ErrorKind::UnknownEscape { .. } => {
            r#"the escapes are \b \f \n \r \t \v \\ \' \" \/ \0 to \377 \xHH \uHHHH \UHHHHHHHH \u{H...}"#
        }
        ErrorKind::LoneSurrogate { code } if *code < 0xDC00 => {
            r"a pair is written `\uD83D\uDE00`, a code point `\u{1F600}`"
        }
        ErrorKind::LoneSurrogate { .. } => {
            r"this is the second half of a pair; write its first half, \uD800 to \uDBFF, before it"
        }
        ErrorKind::StrayCharacter { character: '/' } => "comments are written (* like this *)",
        ErrorKind::StrayCharacter { character } if *character == '-' || character.is_alphanumeric() => {
            "an identifier is made of the letters A-Z and a-z, digits and `_`; everything else is quoted"
        }
        ErrorKind::StrayCharacter { character: '‘' | '’' | '“' | '”' | '`' | '´' } => {
            "texts are written in ' or \""
        }
        ErrorKind::WrongDefinition { .. } => "a rule is written `name ::= body;` or `name = body;`",
        ErrorKind::ExpectedRule { .. } | ErrorKind::MissingDefinition { .. } => {
            "a rule is written `name ::= body;`"
        }
        ErrorKind::EmptyRule { .. } | ErrorKind::EmptyAlternative | ErrorKind::EmptyGroup => {
            "the empty string is written ''"
        }
        ErrorKind::SecondPostfix => "one postfix per part; put parentheses around the first: `('a'*)+`",
        ErrorKind::NothingToRepeat => "`?`, `*`, `+` and bounds follow the operand that they repeat",
        ErrorKind::MalformedBounds => "bounds are written `{2}`, `{2,}` or `{2,5}`",
        ErrorKind::BoundsReversed { min, max } => return Some(format!("write `{{{max},{min}}}`")),
        ErrorKind::BoundTooLarge => "`{2,}` repeats without end",
        ErrorKind::MissingPattern { .. } => "write `#'pattern'`; the quote follows without a space",
        ErrorKind::UnknownPattern { .. } => {
            "there are `#'..'`, `#e'..'`, `#ex'..'`, `#substrs'..'`, and the raw `#r'..'`, `#re'..'` and `#rex'..'`"
        }
        ErrorKind::UnknownOperator { .. } => {
            "there are `except!`, `json!`, `json_short!`, `json_required!`, `special!`, `marker!`, `substrs!`, `capture!`, `schema!`, `unordered!`, `distinct!`, `multiple!`, `atleast!`, `above!`, `atmost!`, `below!` and `equal!`"
        }
        ErrorKind::MalformedExcept { expected: "a text or a nonterminal", .. } => {
            "several texts are given by the name of a rule that lists them; a regex is excluded by `#ex'..'`"
        }
        ErrorKind::MalformedExcept { .. } => "write `except!('text')` or `except!(name, 100)`",
        ErrorKind::MalformedUnordered { .. } => {
            "write `unordered!(a, b?, c*; separator; {1,4}; 0 -> 1)`; only the items are required"
        }
        ErrorKind::UnknownItem { .. } => "items count from 0",
        ErrorKind::MissingParenthesis { name: "distinct", .. } => {
            "write `unordered!(distinct!(#'pattern'); separator)`"
        }
        ErrorKind::MissingParenthesis { .. } => "write `json!('text')` or `json!(#'pattern')`",
        ErrorKind::MalformedNumber { name: "multiple", .. } | ErrorKind::MultipleOfZero => {
            "write `multiple!(7)` or `multiple!(0.25)`"
        }
        ErrorKind::MalformedNumber { name, .. } => {
            return Some(format!("write `{name}!(7)` or `{name}!(0.25)`, without sign"));
        }
        ErrorKind::MalformedList { name: "special", .. } => {
            "write `special!('<a>', <[7]>, <[10-19]>)`, or `special!(~ '<a>')` for all others"
        }
        ErrorKind::MalformedList { name: "marker", .. } => "write `marker!('<a>')`",
        ErrorKind::MalformedList { name: "capture", .. } => "write `capture!(name, 'a' b)`",
        ErrorKind::MalformedList { .. } => "write `substrs!('ab', 'c')`; the texts of a rule are not taken",
        ErrorKind::MalformedSchema { .. } => "write `schema!({\"type\": \"string\"})`",
        ErrorKind::IdsReversed { first, last } => return Some(format!("write `<[{last}-{first}]>`")),
        ErrorKind::IdsOutsideSpecial { first, last } => {
            return Some(format!("write `special!(<[{first}-{last}]>)`"));
        }
        ErrorKind::MalformedSpecial => {
            "special tokens are written `<|name|>` (no white space or `<` in the name) or `<[id]>`"
        }
        ErrorKind::UnknownDirective { .. } => "there is only `%start name;`",
        ErrorKind::MissingStart { .. } => {
            "write `%start name;`, or `%start name?;` to allow the empty output"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Returns the closing bracket of an opening one.
fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
