//! The text form of an expression: similar to a regex, with `&` and `~`, and truncated if it is long.

use crate::alphabet::byte_set::write_byte;
use crate::number::comparison::{Bound, Comparison};
use crate::number::multiple::{Divisor, Multiples};
use crate::number::state::{NumberState, Numbers, NumeralPosition};
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Escapes, Store};
use std::cmp::Ordering;
use std::fmt::{self, Write};

/// Number of pieces after which the text ends in `…`.
const MAX_PIECES: usize = 200;
/// Bytes of a text after which it ends in `…`.
const MAX_TEXT_BYTES: usize = 40;

impl Store {
    /// Returns a short text for the expression: `[a-z]+&~(if|else)`. The empty language is `∅`, the empty
    /// string `ε`, and a long text ends in `…`. Operands of unions and intersections are in the order of
    /// their ids.
    pub fn display(&self, a: RegularId) -> impl fmt::Display + '_ {
        DisplayExpression { store: self, a }
    }
}

struct DisplayExpression<'s> {
    store: &'s Store,
    a: RegularId,
}

enum Piece {
    /// An expression, in parentheses if it binds less tightly than this.
    Expression(RegularId, u8),
    Text(&'static str),
    Counter(u32, u32),
}

/// Binding strengths, from loose to tight.
const UNION: u8 = 0;
const INTERSECTION: u8 = 1;
const CONCATENATION: u8 = 2;
const PREFIX: u8 = 3;
const ATOM: u8 = 4;

impl fmt::Display for DisplayExpression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![Piece::Expression(self.a, UNION)];
        for _ in 0..MAX_PIECES {
            match stack.pop() {
                None => return Ok(()),
                Some(Piece::Text(text)) => f.write_str(text)?,
                Some(Piece::Counter(min, max)) => write_counter(f, min, max)?,
                Some(Piece::Expression(a, least)) => self.write(f, a, least, &mut stack)?,
            }
        }
        f.write_str(if stack.is_empty() { "" } else { "…" })
    }
}

impl DisplayExpression<'_> {
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        a: RegularId,
        least: u8,
        stack: &mut Vec<Piece>,
    ) -> fmt::Result {
        let kind = self.store.node(a).kind;
        let binding = match kind {
            Kind::Or(_) => UNION,
            Kind::And(_) => INTERSECTION,
            Kind::Concat(..) => CONCATENATION,
            Kind::Not(_) | Kind::Repeat { .. } => PREFIX,
            _ => ATOM,
        };
        if binding < least {
            stack.push(Piece::Text(")"));
            stack.push(Piece::Expression(a, UNION));
            return f.write_str("(");
        }
        match kind {
            Kind::Empty => f.write_str("∅"),
            Kind::Epsilon => f.write_str("ε"),
            Kind::Bytes(set) => write_set(f, self.store.byte_set(set)),
            Kind::Acyclic(state) => {
                let mut first = ByteSet::EMPTY;
                let edges = self.store.leaves.acyclic.edges(state);
                edges.iter().for_each(|edge| first.insert_range(edge.first, edge.last));
                let end = if self.store.leaves.acyclic.is_final(state) { "?" } else { "" };
                write!(f, "<class{state} {first}…{end}>")
            }
            Kind::Words { range, depth } => {
                let (list, words) = self.store.leaves.words(range);
                if words.len() > 1 {
                    return write!(f, "<{} of {} words at {depth}>", words.len(), list.len());
                }
                let text = &list.word(words.start)[depth as usize..];
                write_text(f, text)
            }
            Kind::AhoCorasick { automaton, state } => {
                f.write_str("<not ")?;
                let texts = &self.store.leaves.aho_corasick[automaton].texts;
                for (index, text) in texts.iter().enumerate().take(4) {
                    f.write_str(if index == 0 { "" } else { "|" })?;
                    write_text(f, text)?;
                }
                f.write_str(if texts.len() > 4 { "|…" } else { "" })?;
                write!(f, " at {state}>")
            }
            Kind::Factor { automaton, state } => {
                f.write_str("<in ")?;
                write_text(f, &self.store.leaves.factor_automata[automaton].text)?;
                write!(f, " at {state}>")
            }
            Kind::Concat(head, tail) => {
                stack.push(Piece::Expression(tail, CONCATENATION));
                stack.push(Piece::Expression(head, PREFIX));
                Ok(())
            }
            Kind::Or(list) | Kind::And(list) => {
                let (sign, inner) =
                    if matches!(kind, Kind::Or(_)) { ("|", INTERSECTION) } else { ("&", CONCATENATION) };
                let members = self.store.list(list);
                for (index, &member) in members.iter().take(MAX_PIECES).enumerate().rev() {
                    stack.push(Piece::Expression(member, inner));
                    if index > 0 {
                        stack.push(Piece::Text(sign));
                    }
                }
                Ok(())
            }
            Kind::Not(a) => {
                stack.push(Piece::Expression(a, ATOM));
                f.write_str("~")
            }
            Kind::Repeat { base, min, max } => {
                stack.push(Piece::Counter(min, max));
                stack.push(Piece::Expression(base, ATOM));
                Ok(())
            }
            Kind::PrefixMinimal(a) | Kind::Json { text: a, .. } => {
                stack.push(Piece::Text(")"));
                stack.push(Piece::Expression(a, UNION));
                f.write_str(match kind {
                    Kind::Json { escapes, at, .. } => json_name(escapes, at),
                    _ => "early(",
                })
            }
            Kind::Number(state) => self.store.write_number(f, state),
        }
    }
}

/// Returns the name of JSON spellings, with the parenthesis.
fn json_name(escapes: Escapes, at: JsonPosition) -> &'static str {
    let names = match escapes {
        Escapes::Any => ["json(", "json escape(", "json unit("],
        Escapes::Short => ["json short(", "json short escape(", "json short unit("],
        Escapes::Required => ["json required(", "json required escape(", "json required unit("],
    };
    names[at as usize]
}

fn write_counter(f: &mut fmt::Formatter<'_>, min: u32, max: u32) -> fmt::Result {
    match (min, max) {
        (0, UNBOUNDED) => f.write_str("*"),
        (1, UNBOUNDED) => f.write_str("+"),
        (0, 1) => f.write_str("?"),
        (min, UNBOUNDED) => write!(f, "{{{min},}}"),
        (min, max) if min == max => write!(f, "{{{min}}}"),
        (min, max) => write!(f, "{{{min},{max}}}"),
    }
}

impl Store {
    /// Writes `<multiple of 0.25>` or `<at least 12.5>`; inside a numeral, with the position in it.
    fn write_number(&self, f: &mut fmt::Formatter<'_>, state: u32) -> fmt::Result {
        let NumberState { numbers, position } = self.leaves.number_states[state];
        let (name, digits, power) = match &*self.leaves.numbers[numbers] {
            Numbers::Multiples(Multiples { divisor: Divisor { unit, power }, .. }) => {
                ("multiple of", unit.to_string(), isize::from(*power))
            }
            Numbers::Compared(Bound { comparison, digits, exponent }) => {
                let name = match comparison {
                    Comparison::AtLeast => "at least",
                    Comparison::Above => "above",
                    Comparison::AtMost => "at most",
                    Comparison::Below => "below",
                    Comparison::Equal => "equal to",
                };
                let power = isize::from(*exponent) + 1 - digits.len().cast_signed();
                (name, digits.iter().map(|&digit| char::from(b'0' + digit)).collect(), power)
            }
        };
        match usize::try_from(power) {
            Ok(zeros) => write!(f, "<{name} {digits:0>1}{:0<zeros$}", "")?,
            Err(_) => {
                let places = power.unsigned_abs();
                let digits = format!("{digits:0>width$}", width = places + 1);
                let (whole, fraction) = digits.split_at(digits.len() - places);
                write!(f, "<{name} {whole}.{fraction}")?;
            }
        }
        match position {
            NumeralPosition::Start => {}
            NumeralPosition::Zero => f.write_str(" behind 0")?,
            NumeralPosition::First(least) => write!(f, " behind a digit, exponent from {least}")?,
            NumeralPosition::Integer(remainder) => write!(f, " from {remainder}")?,
            NumeralPosition::Point(remainder) => write!(f, " from {remainder} at the point")?,
            NumeralPosition::Fraction { left, remainder } => {
                write!(f, " from {remainder} with {left} places left")?;
            }
            NumeralPosition::Mantissa { digits, least } => {
                write!(f, " behind {digits} places, exponent from {least}")?;
            }
            NumeralPosition::Whole { digits, side } => {
                write!(f, " behind {digits} digits, {}", name_of(side))?;
            }
            NumeralPosition::Digits => f.write_str(" behind more digits")?,
            NumeralPosition::Significant { digits, side } => {
                write!(f, " behind {digits} places, {}", name_of(side))?;
            }
            NumeralPosition::Compared { at, has_digit } => {
                write!(f, " {} digit {at}", if has_digit { "at" } else { "at the point, at" })?;
            }
            NumeralPosition::ExponentFrom(least) => write!(f, " at an exponent from {least}")?,
            NumeralPosition::ExponentTo(most) => write!(f, " at an exponent to {most}")?,
            NumeralPosition::ExponentIs(value) => write!(f, " at the exponent {value}")?,
            NumeralPosition::AnyExponent => f.write_str(" at an exponent")?,
            NumeralPosition::AtLeast { least, read } => {
                write!(f, " in an exponent, {read} of at least {least}")?;
            }
            NumeralPosition::AtMost { most, read, has_digit } => {
                let sign = if has_digit { "" } else { " behind its sign" };
                write!(f, " in an exponent{sign}, {read} of at most {most}")?;
            }
            NumeralPosition::Exactly { value, read, has_digit } => {
                let sign = if has_digit { "" } else { " behind its sign" };
                write!(f, " in an exponent{sign}, {read} of {value}")?;
            }
            NumeralPosition::More(digits) => write!(f, " with {digits} digits or more")?,
            NumeralPosition::Fewer(digits) => write!(f, " with {digits} digits or fewer")?,
        }
        f.write_str(">")
    }
}

fn name_of(side: Ordering) -> &'static str {
    match side {
        Ordering::Less => "less",
        Ordering::Equal => "equal",
        Ordering::Greater => "greater",
    }
}

/// Writes a byte set; a single letter or digit without brackets.
fn write_set(f: &mut fmt::Formatter<'_>, set: &ByteSet) -> fmt::Result {
    match set.first() {
        Some(byte) if set.len() == 1 && (byte.is_ascii_alphanumeric() || byte >= 0x80) => write_byte(f, byte),
        _ => write!(f, "{set}"),
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &[u8]) -> fmt::Result {
    f.write_char('\'')?;
    for &byte in text.iter().take(MAX_TEXT_BYTES) {
        write_byte(f, byte)?;
    }
    f.write_str(if text.len() > MAX_TEXT_BYTES { "…'" } else { "'" })
}
