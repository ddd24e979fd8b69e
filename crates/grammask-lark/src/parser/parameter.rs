//! Parameters and conditions of parametric rules.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::tree::{Bits, Condition, Parameter};

/// Conditions that compare, without the prefix `bit_count_`.
const COMPARISONS: [(&str, &[Ordering]); 6] = [
    ("eq", &[Equal]),
    ("ne", &[Less, Greater]),
    ("lt", &[Less]),
    ("le", &[Less, Equal]),
    ("gt", &[Greater]),
    ("ge", &[Greater, Equal]),
];

impl Parser<'_> {
    /// Reads the parameter of a call.
    pub(super) fn parameter(&mut self) -> Parsed<Parameter> {
        match self.kind() {
            Kind::Number | Kind::Hex => return Ok(Parameter::Constant(self.number()?)),
            Kind::Underscore => {
                self.advance();
                return Ok(Parameter::Same);
            }
            Kind::Rule => {}
            _ => {
                return self
                    .expected("a parameter", "a parameter is `_`, a number, `incr(_)`, `set_bit(0)`, …");
            }
        }
        let name = self.text().to_owned();
        let known = ["incr", "decr", "bit_and", "bit_or", "set_bit", "clear_bit"];
        if !known.contains(&name.as_str()) {
            return self.fail(
                format!("unknown function `{name}`"),
                "functions are incr, decr, set_bit, clear_bit, bit_and and bit_or",
            );
        }
        self.advance();
        self.expect(Kind::OpenParen, "`(`")?;
        let parameter = match name.as_str() {
            "incr" => Parameter::Increment(self.bits()?),
            "decr" => Parameter::Decrement(self.bits()?),
            "bit_and" => Parameter::And(self.number()?),
            "bit_or" => Parameter::Or(self.number()?),
            "set_bit" => Parameter::Or(1 << self.bit(63)?),
            _ => Parameter::And(!(1 << self.bit(63)?)),
        };
        self.expect(Kind::CloseParen, "`)`")?;
        Ok(parameter)
    }

    /// Reads `_` or `[2:5]`.
    fn bits(&mut self) -> Parsed<Bits> {
        if self.take(Kind::Underscore) {
            return Ok(Bits::ALL);
        }
        let first = self.at;
        if !self.take(Kind::OpenBracket) {
            return self.expected("`_` or bits", "bits are written [2:5]");
        }
        let start = self.bit(63)?;
        self.expect(Kind::Colon, "`:`")?;
        let end = self.bit(64)?;
        self.expect(Kind::CloseBracket, "`]`")?;
        if start >= end {
            return self.fail_at("the range of bits is empty", "", self.span_from(first));
        }
        Ok(Bits { start, end })
    }

    fn bit(&mut self, max: u32) -> Parsed<u32> {
        let place = self.span();
        match u32::try_from(self.number()?) {
            Ok(bit) if bit <= max => Ok(bit),
            _ => self.fail_at(format!("a parameter has 64 bits, so this is at most {max}"), "", place),
        }
    }

    fn number(&mut self) -> Parsed<u64> {
        let text = self.text();
        let number = match self.kind() {
            Kind::Hex => u64::from_str_radix(&text[2..], 16).ok(),
            Kind::Number => text.trim_start_matches('+').parse().ok(),
            _ => return self.expected("a number", ""),
        };
        let Some(number) = number else { return self.fail("expected a natural number below 2^64", "") };
        self.advance();
        Ok(number)
    }

    /// Reads the condition after `%if`.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        self.enter()?;
        if self.kind() != Kind::Rule {
            return self.expected("a condition", "for example %if eq(_, 3)");
        }
        let name = self.text().to_owned();
        let span = self.span();
        self.advance();
        if name == "true" {
            self.depth -= 1;
            return Ok(Condition::True);
        }
        self.expect(Kind::OpenParen, "`(`")?;
        let counted = name.strip_prefix("bit_count_");
        let compared = counted.unwrap_or(&name);
        let condition = match name.as_str() {
            "and" | "or" => {
                let left = self.condition()?;
                self.expect(Kind::Comma, "`,`")?;
                let both = Box::new([left, self.condition()?]);
                if name == "and" { Condition::And(both) } else { Condition::Or(both) }
            }
            "not" => Condition::Not(Box::new(self.condition()?)),
            "bit_set" | "bit_clear" => {
                let start = self.bit(63)?;
                let bits = Bits { start, end: start + 1 };
                Condition::Compare { bits, orders: &[Equal], number: u64::from(name == "bit_set") }
            }
            "is_zeros" | "is_ones" => {
                let bits = self.bits()?;
                let number = if name == "is_ones" { bits.of(u64::MAX) } else { 0 };
                Condition::Compare { bits, orders: &[Equal], number }
            }
            _ => match COMPARISONS.iter().find(|(known, _)| *known == compared) {
                Some(&(_, orders)) => {
                    let bits = self.bits()?;
                    self.expect(Kind::Comma, "`,`")?;
                    let number = self.number()?;
                    match counted {
                        Some(_) => Condition::Count { bits, orders, number },
                        None => Condition::Compare { bits, orders, number },
                    }
                }
                None => {
                    let hint = "conditions are eq, ne, lt, le, gt, ge, bit_set, bit_clear, is_ones, is_zeros, \
                                bit_count_eq, …, and, or, not";
                    return self.fail_at(format!("unknown condition `{name}`"), hint, span);
                }
            },
        };
        self.expect(Kind::CloseParen, "`)`")?;
        self.depth -= 1;
        Ok(condition)
    }
}
