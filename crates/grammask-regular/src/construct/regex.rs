//! Regexes: parsed by `regex-syntax`, and translated into expressions without unrolling.

use crate::analysis::emptiness::is_empty;
use crate::construct::concat::concat_pair;
use crate::construct::word_boundary::boundary;
use crate::construct::word_boundary::{is_word, split_ends};
use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::store::node::RegularId;
use crate::{ByteSet, Error, Limit, Store};
use grammask_work::charge;
use regex_syntax::ast::{self, Ast, ClassSetItem, parse::ParserBuilder};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look};
use regex_syntax::utf8::Utf8Sequences;
use std::sync::Arc;

/// Number of parts of a pattern between two calls of the cancellation function.
const PARTS_PER_CANCEL_CHECK: usize = 512;

/// Work of parsing one byte of a pattern, and of one part of it.
const UNITS_PER_PATTERN_BYTE: u64 = 8;
const UNITS_PER_PART: u64 = 4;
/// Work of parsing one class, which may have hundreds of ranges, and of one range in the language of a class.
const UNITS_PER_CLASS: u64 = 256;
const UNITS_PER_RANGE: u64 = 16;

/// See [`Store::regex`].
pub(crate) fn regex(
    store: &mut Store,
    pattern: &str,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Result<Option<RegularId>, Error> {
    if let Some(&known) = store.memos.patterns.get(pattern) {
        return Ok(Some(known));
    }
    let max_length = store.limits.regex_length;
    if pattern.len() > max_length {
        return Err(Error::limit(Limit::RegexLength, max_length, Some(pattern.len())));
    }
    charge(UNITS_PER_PATTERN_BYTE * pattern.len() as u64)?;
    let ast = ParserBuilder::new()
        .nest_limit(store.limits.regex_nesting)
        .build()
        .parse(pattern)
        .map_err(|error| syntax_error(&error))?;
    if is_cancelled() {
        return Ok(None);
    }
    let stats = ast::visit(&ast, PatternStats::default()).unwrap_or_default();
    let max_classes = store.limits.regex_classes;
    if stats.classes > max_classes {
        return Err(Error::limit(Limit::RegexClasses, max_classes, Some(stats.classes)));
    }
    charge(UNITS_PER_CLASS * stats.classes as u64)?;
    let hir = TranslatorBuilder::new().utf8(false).build().translate(pattern, &ast).map_err(|error| {
        Error::Regex { offset: error.span().start.offset, message: error.kind().to_string() }
    })?;
    let Some(id) = translate_whole(store, &hir, &stats, is_cancelled)? else { return Ok(None) };
    store.leaves.bytes += pattern.len() + 32;
    store.memos.patterns.insert(pattern.into(), id);
    Ok(Some(id))
}

/// Returns true if the pattern has been translated before, so that [`Store::regex`] only looks it up.
pub fn knows_regex(store: &Store, pattern: &str) -> bool {
    store.memos.patterns.contains_key(pattern)
}

fn syntax_error(error: &ast::Error) -> Error {
    match error.kind() {
        // The parser stops at the first group that is too deep.
        ast::ErrorKind::NestLimitExceeded(limit) => {
            Error::limit(Limit::RegexNesting, *limit as usize, Some(*limit as usize + 1))
        }
        kind => Error::Regex { offset: error.span().start.offset, message: kind.to_string() },
    }
}

/// Translates a whole regex. A word boundary at an end becomes an intersection with a condition on the first
/// or last character. Returns `None` if cancelled.
fn translate_whole(
    store: &mut Store,
    hir: &Hir,
    stats: &PatternStats,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Result<Option<RegularId>, Error> {
    let parts = split_ends(hir);
    if !parts.has_boundary() {
        return translate(store, std::slice::from_ref(hir), stats, is_cancelled);
    }
    let Some(body) = translate(store, parts.body, stats, is_cancelled)? else { return Ok(None) };
    let mut all = vec![body];
    for (looks, at_start) in [(parts.before, true), (parts.after, false)] {
        let ends = Ends { start: at_start || parts.body.is_empty(), end: !at_start || parts.body.is_empty() };
        for look in looks {
            match look.kind() {
                HirKind::Look(look) if is_word(*look) => all.push(boundary(store, *look, at_start)?),
                HirKind::Look(look) if !ends.allow(*look) => return Err(stats.look_error(*look, 0)),
                _ => {}
            }
        }
    }
    let id = store.intersection(&all)?;
    let is_empty = is_empty(store, id, is_cancelled)?;
    Ok(is_empty.map(|is_empty| if is_empty { RegularId::EMPTY } else { id }))
}

/// Translates the parts of the whole regex into a concatenation.
fn translate(
    store: &mut Store,
    whole: &[Hir],
    stats: &PatternStats,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Result<Option<RegularId>, Error> {
    let mut done: Vec<RegularId> = Vec::new();
    let mut tasks = Vec::new();
    push_parts(&mut tasks, whole, Ends { start: true, end: true });
    let mut looks = 0;
    let mut steps = 0;
    while let Some(task) = tasks.pop() {
        steps += 1;
        charge(UNITS_PER_PART)?;
        if steps % PARTS_PER_CANCEL_CHECK == 0 && is_cancelled() {
            return Ok(None);
        }
        match task {
            Task::Visit(hir, ends) => match hir.kind() {
                HirKind::Empty => done.push(RegularId::EPSILON),
                HirKind::Literal(literal) => done.push(store.literal(&literal.0)?),
                HirKind::Class(class) => done.push(class_language(store, class)?),
                HirKind::Look(look) => {
                    if !ends.allow(*look) {
                        return Err(stats.look_error(*look, looks));
                    }
                    looks += 1;
                    done.push(RegularId::EPSILON);
                }
                HirKind::Repetition(repetition) => {
                    // If a part is repeated, not every round is at an end of the string.
                    let once = repetition.max.is_some_and(|max| max <= 1);
                    let inner = Ends { start: ends.start && once, end: ends.end && once };
                    tasks.push(Task::Repeat(repetition.min, repetition.max));
                    tasks.push(Task::Visit(&repetition.sub, inner));
                }
                HirKind::Capture(capture) => tasks.push(Task::Visit(&capture.sub, ends)),
                HirKind::Concat(parts) => push_parts(&mut tasks, parts, ends),
                HirKind::Alternation(parts) => alternation(store, parts, ends, &mut tasks, &mut done)?,
            },
            Task::Repeat(min, max) => {
                let base = done.pop().unwrap_or(RegularId::EMPTY);
                done.push(store.repeat(base, min, max)?);
            }
            Task::Concat(len) => {
                // The languages are in the order in which they were finished: the last operand first.
                let mut tail = RegularId::EPSILON;
                for (place, head) in done.split_off(done.len() - len).into_iter().enumerate() {
                    if place % PARTS_PER_CANCEL_CHECK == PARTS_PER_CANCEL_CHECK - 1 && is_cancelled() {
                        return Ok(None);
                    }
                    tail = concat_pair(store, head, tail)?;
                }
                done.push(tail);
            }
            Task::Union(len) => {
                let parts = done.split_off(done.len() - len);
                done.push(store.union(&parts)?);
            }
        }
    }
    Ok(Some(done.pop().unwrap_or(RegularId::EMPTY)))
}

/// Schedules the operands of an alternation. If at least four are literals, these become one set of literals.
fn alternation<'h>(
    store: &mut Store,
    parts: &'h [Hir],
    ends: Ends,
    tasks: &mut Vec<Task<'h>>,
    done: &mut Vec<RegularId>,
) -> Result<(), Error> {
    const MIN_LITERAL_ALTERNATIVES: usize = 4;
    let literal = |part: &'h Hir| match part.kind() {
        HirKind::Literal(literal) => Some(&*literal.0),
        _ => None,
    };
    let words: Vec<&[u8]> = parts.iter().filter_map(literal).collect();
    let as_set = words.len() >= MIN_LITERAL_ALTERNATIVES;
    let others = parts.iter().filter(|part| !as_set || literal(part).is_none());
    let count = others.clone().count();
    tasks.push(Task::Union(count + usize::from(as_set)));
    tasks.extend(others.map(|part| Task::Visit(part, ends)));
    if as_set {
        done.push(store.literals(words)?);
    }
    Ok(())
}

fn class_language(store: &mut Store, class: &Class) -> Result<RegularId, Error> {
    let mut set = ByteSet::EMPTY;
    match class {
        Class::Bytes(class) => {
            class.iter().for_each(|range| set.insert_range(range.start(), range.end()));
        }
        Class::Unicode(class) if class.is_ascii() => {
            let byte = |c: char| u8::try_from(c).unwrap_or(u8::MAX);
            class.iter().for_each(|range| set.insert_range(byte(range.start()), byte(range.end())));
        }
        Class::Unicode(class) => return unicode_class(store, class),
    }
    Ok(store.bytes(set))
}

fn unicode_class(store: &mut Store, class: &ClassUnicode) -> Result<RegularId, Error> {
    let key: Arc<[(char, char)]> = class.iter().map(|range| (range.start(), range.end())).collect();
    if let Some(&state) = store.leaves.classes.get(&*key) {
        return acyclic_leaf(store, state);
    }
    let mut rows: Vec<[(u8, u8); 4]> = Vec::new();
    let mut lens: Vec<usize> = Vec::new();
    for sequence in class.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end())) {
        let mut row = [(0, 0); 4];
        for (place, range) in row.iter_mut().zip(sequence.as_slice()) {
            *place = (range.start, range.end);
        }
        rows.push(row);
        lens.push(sequence.len());
    }
    charge(UNITS_PER_RANGE * rows.len() as u64)?;
    let rows = rows.iter().zip(&lens).map(|(row, &len)| &row[..len]);
    let Some(state) = Arc::make_mut(&mut store.leaves.acyclic).build(rows) else {
        return Ok(RegularId::EMPTY);
    };
    store.leaves.bytes += key.len() * size_of::<(char, char)>() + 32;
    store.leaves.classes.insert(key, state);
    acyclic_leaf(store, state)
}

/// Pushes the parts of a concatenation in order, so that they are visited from the last to the first.
///
/// A part is at the start of the whole string if only parts without characters, such as anchors, precede it;
/// likewise at the end.
fn push_parts<'h>(tasks: &mut Vec<Task<'h>>, parts: &'h [Hir], ends: Ends) {
    tasks.push(Task::Concat(parts.len()));
    let widthless = |part: &&Hir| part.properties().maximum_len() == Some(0);
    let first = parts.iter().take_while(widthless).count();
    let last = parts.len() - parts.iter().rev().take_while(widthless).count();
    for (index, part) in parts.iter().enumerate() {
        let inner = Ends { start: ends.start && index <= first, end: ends.end && index + 1 >= last };
        tasks.push(Task::Visit(part, inner));
    }
}

enum Task<'h> {
    Visit(&'h Hir, Ends),
    Repeat(u32, Option<u32>),
    /// A concatenation or an alternation of this many languages, the last operand first.
    Concat(usize),
    Union(usize),
}

/// True if a part is known to be at the start, and at the end, of the whole string.
#[derive(Clone, Copy)]
struct Ends {
    start: bool,
    end: bool,
}

impl Ends {
    fn allow(self, look: Look) -> bool {
        match look {
            Look::Start | Look::StartLF | Look::StartCRLF => self.start,
            Look::End | Look::EndLF | Look::EndCRLF => self.end,
            _ => false,
        }
    }
}

/// Counts that are limited before a pattern is translated, so that a short pattern cannot take much memory.
#[derive(Default)]
struct PatternStats {
    classes: usize,
    /// Byte offsets of look-around.
    looks: Vec<usize>,
}

impl PatternStats {
    /// Returns the error for unsupported look-around. Look-around is translated from the last to the first,
    /// and `seen` counts those that came before. If the parser has dropped some, the error may name the first
    /// one.
    fn look_error(&self, look: Look, seen: usize) -> Error {
        let index = self.looks.len().saturating_sub(seen + 1);
        let offset = self.looks.get(index).copied().unwrap_or(0);
        let what = match look {
            Look::Start | Look::StartLF | Look::StartCRLF => "`^` or `\\A` is supported at the start only",
            Look::End | Look::EndLF | Look::EndCRLF => "`$` or `\\z` is supported at the end only",
            _ => "a word boundary is supported as the first or the last part of a regex only",
        };
        Error::Regex { offset, message: what.to_owned() }
    }
}

impl ast::Visitor for PatternStats {
    type Output = Self;
    type Err = ();

    fn finish(self) -> Result<Self, ()> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        match ast {
            Ast::Assertion(assertion) => self.looks.push(assertion.span.start.offset),
            Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => {
                self.classes += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        if matches!(item, ClassSetItem::Unicode(_) | ClassSetItem::Perl(_) | ClassSetItem::Bracketed(_)) {
            self.classes += 1;
        }
        Ok(())
    }
}
