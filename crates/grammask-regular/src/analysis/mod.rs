//! Proofs about languages, for callers that walk many strings at once.
//!
//! [`Store`](crate::Store) is the algebra of regular languages. This module is its second interface. It
//! answers the questions of a lexer over a vocabulary, and returns simpler languages that the lexer can walk
//! instead. Most functions are one-sided: they examine an expression for a bounded time, and a "no" or `None`
//! means "not proven".
//!
//! | question | functions |
//! | --- | --- |
//! | Which bytes? | [`first_bytes`], [`first_two_bytes`], [`alphabet`], [`requires_byte_outside`] |
//! | How long? | [`max_len`], [`shortest_text`], [`short_completion_chars`], [`has_at_most_states`] |
//! | Which characters? | [`is_utf8`], [`is_character_class`], [`has_characters`] |
//! | Which form does it have? | [`is_standard`], [`is_uncounted`], [`leading_counter`], [`split_after_loop`], [`split_length`], [`conjuncts`] |
//! | How do two languages compare? | [`is_syntactic_subset`], [`common_subset`], [`invariant_subset`] |
//! | Which strings, if they are few? | [`finite_language`], [`positive_finite_language`], [`universal_language`], [`may_be_finite`], [`excluded_strings`] |
//! | Which simpler language differs only in long, or only in short, strings? | [`saturate`], [`drop_bounds`], [`drop_exceptions`] |
//! | Are values distinct? | [`exclude_value`], [`exclude_spelling`], [`has_distinct_values`], [`has_one_spelling_per_number`] |
//! | Is it equal to a language of another store? | [`write_canonical_form`] |
//! | Which bytes have equal derivatives? | [`byte_partition`], [`byte_class_map`] |

pub(crate) mod characters;
pub(crate) mod emptiness;
pub(crate) mod first_bytes;
pub(crate) mod inclusion;
pub(crate) mod limits;
pub(crate) mod overlap;
pub(crate) mod shortest;
pub(crate) mod shortest_text;
pub(crate) mod utf8;
pub(crate) mod witnesses;

pub use crate::automaton::state_count::has_at_most_states;
pub use crate::bounded::drop_bounds::drop_bounds;
pub use crate::bounded::drop_exceptions::drop_exceptions;
pub use crate::bounded::horizon::Horizon;
pub use crate::bounded::saturate::saturate;
pub use crate::construct::length::split_length;
pub use crate::construct::regex::knows_regex;
pub use crate::construct::split::{
    Counter, LoopSplit, byte_class_map, byte_partition, conjuncts, is_uncounted, leading_counter,
    split_after_loop,
};
pub use crate::json::cursor::SpellingCursor;
pub use crate::json::exclude::{
    MORE_THAN_ANY_LIST, exclude_spelling, exclude_value, has_distinct_values, has_one_spelling_per_number,
};
pub use crate::json::finite::{
    ExcludedStrings, FiniteLanguage, excluded_strings, finite_language, may_be_finite,
    positive_finite_language, universal_language,
};
pub use crate::serial::canonical_form::write_canonical_form;
pub use characters::{MAX_ESCAPED_CHARACTER_BYTES, has_characters, is_character_class, max_len};
pub use first_bytes::{first_bytes, first_two_bytes};
pub use overlap::{
    alphabet, common_subset, invariant_subset, is_standard, is_syntactic_subset, requires_byte_outside,
};
pub use shortest::short_completion_chars;
pub use shortest_text::shortest_text;
pub use utf8::is_utf8;
