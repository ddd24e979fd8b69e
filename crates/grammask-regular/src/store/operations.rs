//! The public operations of a store: constructors of languages, the automaton over them, and copies.
//!
//! Each operation is one call into the module that implements it.

use crate::alphabet::byte_classes::ByteClasses;
use crate::alphabet::byte_set::ByteSet;
use crate::analysis::emptiness;
use crate::automaton::{derivative, refine};
use crate::construct::{boolean, concat, prefix, regex, repeat, substring, union};
use crate::json::{exclude, string};
use crate::leaf::word_list;
use crate::number::comparison::Comparison;
use crate::number::{multiple, state};
use crate::serial::saved::{Languages, LoadError};
use crate::serial::{import, saved};
use crate::store::node::RegularId;
use crate::{Error, Escapes, Store};

/// A cancellation flag that is never set.
fn never() -> bool {
    false
}

/// Constructors.
impl Store {
    /// Returns the language of one string.
    ///
    /// # Errors
    /// If the string is longer than [`Limits::literal_length`](crate::Limits::literal_length), or another
    /// limit is exceeded.
    ///
    /// # Complexity
    /// O(n) time and space for n bytes. A long string is copied once; no automaton is built.
    pub fn literal(&mut self, bytes: &[u8]) -> Result<RegularId, Error> {
        word_list::literal(self, bytes)
    }

    /// Returns the language of the given strings, which may come in any order and more than once.
    ///
    /// # Errors
    /// If the strings together are longer than [`Limits::literal_length`](crate::Limits::literal_length), or
    /// another limit is exceeded.
    ///
    /// # Complexity
    /// Time for sorting the strings, space linear in their length. No automaton is built.
    pub fn literals<'a>(&mut self, set: impl IntoIterator<Item = &'a [u8]>) -> Result<RegularId, Error> {
        Ok(self.cancellable(never).literals(set)?.unwrap_or(RegularId::EMPTY))
    }

    /// Returns the language of the strings that a regex matches from end to end.
    ///
    /// The syntax is that of the `regex` crate with Unicode enabled. `^`, `$`, `\A` and `\z` at the ends of
    /// the regex have no effect, also inside groups and alternatives there. A word boundary as the first or
    /// last part of the regex tests the first or last character. `(?-u:\xFF)` is a byte. Laziness makes no
    /// difference.
    ///
    /// # Errors
    /// If the regex is not valid, if it uses look-around anywhere else, or if a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the length of the pattern and in the number of ranges of its classes. A counter takes
    /// constant time.
    pub fn regex(&mut self, pattern: &str) -> Result<RegularId, Error> {
        Ok(self.cancellable(never).regex(pattern)?.unwrap_or(RegularId::EMPTY))
    }

    /// Returns the strings that are in at least one operand. Without operands, this is the empty language.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// O(n log n) for n operands, where the members of operands that are unions count.
    pub fn union(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        union::union(self, parts)
    }

    /// Returns the concatenations of one string of each operand, in order. Without operands, this is the
    /// empty string.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the number of operands, where the parts of operands that are concatenations count.
    pub fn concat(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        concat::concat(self, parts)
    }

    /// Returns the concatenations of `min` to `max` strings of `a`; `None` means that there is no upper
    /// bound.
    ///
    /// The bounds are stored in the expression: nothing is unrolled. The language is empty if `min > max`.
    ///
    /// # Errors
    /// If a bound exceeds [`Limits::counter`](crate::Limits::counter), or another limit is exceeded.
    pub fn repeat(&mut self, a: RegularId, min: u32, max: Option<u32>) -> Result<RegularId, Error> {
        repeat::repeat(self, a, min, max)
    }

    /// Returns all byte strings that are not in `a`.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn complement(&mut self, a: RegularId) -> Result<RegularId, Error> {
        boolean::complement(self, a)
    }

    /// Returns the strings that are in all operands. Without operands, these are all byte strings.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn intersection(&mut self, parts: &[RegularId]) -> Result<RegularId, Error> {
        boolean::intersection(self, parts)
    }

    /// Returns the strings of `a` without the empty string.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn non_empty(&mut self, a: RegularId) -> Result<RegularId, Error> {
        prefix::non_empty(self, a)
    }

    /// Returns the non-empty strings of `a` of which no proper non-empty prefix is in `a`: MIN(`a`) without
    /// the empty string.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Source
    /// J. E. Hopcroft, J. D. Ullman, *Introduction to Automata Theory, Languages, and Computation* (1979),
    /// for MIN.
    ///
    /// ```
    /// # use grammask_regular::{Limits, RegularId, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let many = store.regex("a*")?;
    /// let shortest = store.shortest_match(many)?;
    /// assert_eq!(store.derivative(shortest, b'a')?, RegularId::EPSILON);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn shortest_match(&mut self, a: RegularId) -> Result<RegularId, Error> {
        prefix::shortest_match(self, a)
    }

    /// Returns the non-empty byte strings that do not contain a string of `a`. There is none if `a` contains
    /// the empty string.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// If the expression lists few strings, a state is a position in one of them, as for
    /// [`except`](Self::except). Otherwise it is a set of states of `a`.
    pub fn without_substring(&mut self, a: RegularId) -> Result<RegularId, Error> {
        substring::without_substring(self, a)
    }

    /// Returns the non-empty byte strings of at most `max` bytes that contain none of the texts. `None` and 0
    /// allow any length.
    ///
    /// # Errors
    /// If the texts together are longer than [`Limits::except_length`](crate::Limits::except_length), if
    /// `max` is greater than 2^32 - 2, or if another limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the length of the texts. A state is a node of the trie of the texts and a number.
    ///
    /// # Source
    /// A. V. Aho, M. J. Corasick, *Efficient string matching: an aid to bibliographic search* (1975).
    pub fn except(&mut self, texts: &[&[u8]], max: Option<u64>) -> Result<RegularId, Error> {
        substring::except(self, texts, max)
    }

    /// Returns the substrings of a text, in bytes. The empty string is one of them.
    ///
    /// # Errors
    /// If the text is longer than [`Limits::substrings_length`](crate::Limits::substrings_length), or another
    /// limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the length of the text: fewer than two states a byte, built at once.
    pub fn substrings(&mut self, text: &[u8]) -> Result<RegularId, Error> {
        substring::substrings(self, text)
    }

    /// Returns the concatenations of consecutive chunks of a list. The empty string is one of them; empty
    /// chunks change nothing.
    ///
    /// # Errors
    /// If the chunks together are longer than [`Limits::substrings_length`](crate::Limits::substrings_length),
    /// or another limit is exceeded.
    ///
    /// # Complexity
    /// O(n log n) for n bytes, apart from chunks that occur often: a state of the suffix automaton with d
    /// different next chunks takes d expressions.
    ///
    /// ```
    /// # use grammask_regular::{Limits, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let runs = store.chunk_runs(&[b"ab", b"c", b"ab"])?;
    /// for (text, is_run) in [("", true), ("abc", true), ("cab", true), ("b", false), ("abab", false)] {
    ///     let end = store.derivative_by_text(runs, text.as_bytes())?;
    ///     assert_eq!(store.is_nullable(end), is_run, "{text}");
    /// }
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn chunk_runs(&mut self, chunks: &[&[u8]]) -> Result<RegularId, Error> {
        substring::chunk_runs(self, chunks)
    }

    /// Returns the contents of JSON strings (RFC 8259), without the quotes, whose value is in `a`.
    ///
    /// Each character is written as itself, unless it is a control character, `"` or `\`. It is also written
    /// as its short escape, if it has one, and as `\uXXXX` with digits of either case, beyond U+FFFF as a
    /// surrogate pair. A string of `a` that is not UTF-8 has no spelling.
    ///
    /// # Errors
    /// If `a` itself contains JSON spellings nested to [`Limits::json_nesting`](crate::Limits::json_nesting)
    /// levels, or if another limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the expression, for the proof that it contains only UTF-8. The derivative by the
    /// first digit of a `\u` escape takes one derivative of `a` for each byte class of its states inside one
    /// character.
    ///
    /// ```
    /// # use grammask_regular::{Limits, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let slash = store.literal(b"/")?;
    /// let spelled = store.json_text(slash)?;
    /// for spelling in ["/", "\\/", "\\u002f", "\\u002F"] {
    ///     let end = spelling.bytes().try_fold(spelled, |state, byte| store.derivative(state, byte))?;
    ///     assert!(store.is_nullable(end));
    /// }
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn json_text(&mut self, a: RegularId) -> Result<RegularId, Error> {
        self.json_text_with(a, Escapes::Any)
    }

    /// As [`json_text`](Self::json_text), with fewer spellings of the characters.
    ///
    /// # Errors
    /// As for [`json_text`](Self::json_text).
    ///
    /// ```
    /// # use grammask_regular::{Escapes, Limits, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let slash = store.literal(b"/")?;
    /// let spelled = store.json_text_with(slash, Escapes::Required)?;
    /// for (spelling, is_one) in [("/", true), ("\\/", false), ("\\u002f", false)] {
    ///     let end = spelling.bytes().try_fold(spelled, |state, byte| store.derivative(state, byte))?;
    ///     assert_eq!(store.is_nullable(end), is_one);
    /// }
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn json_text_with(&mut self, a: RegularId, escapes: Escapes) -> Result<RegularId, Error> {
        string::json_text(self, a, escapes)
    }

    /// Returns the JSON strings, with their quotes, whose value is in `texts`. See
    /// [`json_text`](Self::json_text).
    ///
    /// # Errors
    /// As for [`json_text`](Self::json_text).
    pub fn json_string(&mut self, texts: RegularId) -> Result<RegularId, Error> {
        exclude::json_string(self, texts, Escapes::Any)
    }

    /// Returns the unsigned JSON numbers that compare as given with `numeral`, an unsigned decimal numeral.
    ///
    /// Numbers have the forms `(0|[1-9][0-9]*)(\.[0-9]+)?` and `[1-9](\.[0-9]{1,20})?[eE][+-]?[0-9]+`.
    ///
    /// # Errors
    /// If `numeral` is not a numeral, or has more digits than
    /// [`Limits::numeral_digits`](crate::Limits::numeral_digits).
    ///
    /// # Complexity
    /// Linear in the length of the numeral. At most three states a digit and 100 more, made on demand.
    ///
    /// ```
    /// # use grammask_regular::{Comparison, Limits, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let start = store.compared(Comparison::AtLeast, "12.5")?;
    /// for (number, is_meant) in [("12.5", true), ("12", false), ("1.25e1", true), ("1.3E+01", true), ("9e0", false)] {
    ///     let end = number.bytes().try_fold(start, |state, byte| store.derivative(state, byte))?;
    ///     assert_eq!(store.is_nullable(end), is_meant);
    /// }
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn compared(&mut self, comparison: Comparison, numeral: &str) -> Result<RegularId, Error> {
        state::compared(self, comparison, numeral)
    }

    /// Returns the unsigned JSON numbers whose value is an integer times that of `numeral`, a positive
    /// decimal numeral. Zero is one of them.
    ///
    /// Numbers have the form `(0|[1-9][0-9]*)(\.[0-9]+)?`. If `numeral` is 1, 2 or 5 times a power of ten,
    /// they also have the form `[1-9](\.[0-9]{1,20})?[eE][+-]?[0-9]+`: with an exponent, multiples of other
    /// numbers are not regular.
    ///
    /// # Errors
    /// If `numeral` is not a numeral, is zero, or has more digits than
    /// [`Limits::divisor_digits`](crate::Limits::divisor_digits). If its digits, without the point, are a
    /// number beyond [`Limits::divisor`](crate::Limits::divisor), and it is not 1, 2 or 5 times a power of
    /// ten.
    ///
    /// # Complexity
    /// Constant. At most as many states as that number, made on demand; some hundreds for 1, 2 or 5 times a
    /// power of ten.
    ///
    /// ```
    /// # use grammask_regular::{Limits, RegularId, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let quarters = store.multiple("0.25")?;
    /// let state = b"3.7".iter().try_fold(quarters, |state, &byte| store.derivative(state, byte))?;
    /// let five = store.derivative(state, b'5')?;
    /// assert!(!store.is_nullable(state) && store.is_nullable(five));
    /// assert_eq!(store.derivative(state, b'4')?, RegularId::EMPTY);
    ///
    /// let integers = store.multiple("1")?;
    /// let end = b"1.50e1".iter().try_fold(integers, |state, &byte| store.derivative(state, byte))?;
    /// assert!(store.is_nullable(end));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn multiple(&mut self, numeral: &str) -> Result<RegularId, Error> {
        multiple::multiple(self, numeral)
    }
}

/// The automaton whose states are languages.
impl Store {
    /// Returns the strings that can follow `byte` in `a`: the next state of the automaton.
    ///
    /// An empty language is always [`RegularId::EMPTY`], so a caller detects a dead state by its id.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// One look-up if the derivative by this byte, or by another one of its class, has been taken before.
    /// Otherwise linear in the size of the expression, not counting texts and automata inside. With a
    /// complement or an intersection inside, a search may be added, once per state, which
    /// [`Limits::emptiness_steps`](crate::Limits::emptiness_steps) bounds.
    ///
    /// # Source
    /// J. A. Brzozowski, *Derivatives of regular expressions* (1964). S. Owens, J. Reppy, A. Turon,
    /// *Regular-expression derivatives re-examined* (2009), for byte classes.
    pub fn derivative(&mut self, a: RegularId, byte: u8) -> Result<RegularId, Error> {
        derivative::derivative(self, a, byte)
    }

    /// Returns the strings that can follow a text in `a`: the derivative by one byte after the other.
    ///
    /// Inside a JSON string whose spelling the text follows, such as a key, no intermediate states are made.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// That of [`derivative`](Self::derivative) for each byte. Linear in the text inside such a JSON string.
    ///
    /// ```
    /// # use grammask_regular::{Limits, RegularId, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let a = store.regex("[a-z]{3}=[0-9]+")?;
    /// let digits = store.regex("[0-9]+")?;
    /// assert_eq!(store.derivative_by_text(a, b"key=")?, digits);
    /// assert_eq!(store.derivative_by_text(a, b"keys")?, RegularId::EMPTY);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn derivative_by_text(&mut self, a: RegularId, text: &[u8]) -> Result<RegularId, Error> {
        derivative::derivative_by_text(self, a, text)
    }

    /// Returns true if `a` contains a string that is not empty.
    ///
    /// # Errors
    /// If a limit is exceeded.
    pub fn has_nonempty_string(&mut self, a: RegularId) -> Result<bool, Error> {
        derivative::has_nonempty_string(self, a)
    }

    /// Returns the bytes that strings of `a` begin with.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// One derivative for each byte class of `a`. Constant if [`first_bytes`](crate::analysis::first_bytes)
    /// returns them.
    pub fn live_bytes(&mut self, a: RegularId) -> Result<ByteSet, Error> {
        derivative::live_bytes(self, a)
    }

    /// Returns true if `a` contains no string.
    ///
    /// # Errors
    /// If the search takes more than [`Limits::emptiness_steps`](crate::Limits::emptiness_steps) derivatives,
    /// or another limit is exceeded.
    ///
    /// # Complexity
    /// Constant without complement and intersection. Otherwise a search over the reachable states, whose
    /// results are kept.
    pub fn is_empty(&mut self, a: RegularId) -> Result<bool, Error> {
        Ok(self.cancellable(never).is_empty(a)?.unwrap_or(false))
    }

    /// Splits `classes` until all bytes of one class have equal derivatives in the given languages and in all
    /// languages that are reachable from them.
    ///
    /// # Complexity
    /// Linear in the size of the expressions, of which shared parts count once, and of their automata and
    /// texts.
    pub fn refine(&self, languages: impl IntoIterator<Item = RegularId>, classes: &mut ByteClasses) {
        refine::refine(self, languages, classes, &mut never);
    }
}

/// Copies of languages outside of their store.
impl Store {
    /// Copies a language of another store into this one. Two imports of one language give the same id.
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the expression. Texts and large automata are shared, not copied.
    pub fn import(&mut self, from: &Self, a: RegularId) -> Result<RegularId, Error> {
        import::import(self, from, a)
    }

    /// Returns languages of the store as plain data. Saving loaded languages gives equal data.
    ///
    /// # Complexity
    /// O(n log n) for n expressions, and linear in the texts of their automata.
    pub fn save(&self, languages: &[RegularId]) -> Languages {
        saved::save(self, languages)
    }

    /// Builds a store from saved languages, and returns their ids in it.
    ///
    /// Loading takes at most `max_bytes` bytes, or the limits that were saved if these are lower. The data is
    /// not trusted: each expression is constructed again from its parts.
    ///
    /// # Errors
    /// If the data breaks an invariant, or a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the data. Automata of texts are built again.
    pub fn load(saved: &Languages, max_bytes: usize) -> Result<(Self, Vec<RegularId>), LoadError> {
        saved::load(saved, max_bytes)
    }
}

impl Store {
    /// Returns the operations that can be cancelled. A call of `is_cancelled` that returns true cancels them.
    ///
    /// ```
    /// # use grammask_regular::{Limits, Store};
    /// let mut store = Store::new(&Limits::default());
    /// let (a, b) = (store.regex("[ab]*a")?, store.regex("[ab]*b")?);
    /// let both = store.intersection(&[a, b])?;
    /// assert_eq!(store.cancellable(|| true).is_empty(both)?, None);
    /// assert_eq!(store.cancellable(|| false).is_empty(both)?, Some(true));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn cancellable<C: FnMut() -> bool>(&mut self, is_cancelled: C) -> Cancellable<'_, C> {
        Cancellable { store: self, is_cancelled }
    }
}

/// A store with a cancellation function, which long operations call every few hundred steps.
///
/// An operation that is cancelled returns `None`. It leaves the store sound, with some more expressions.
pub struct Cancellable<'s, C> {
    store: &'s mut Store,
    is_cancelled: C,
}

impl<C: FnMut() -> bool> Cancellable<'_, C> {
    /// As [`Store::literals`].
    ///
    /// # Errors
    /// As for [`Store::literals`].
    pub fn literals<'a>(
        &mut self,
        set: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Option<RegularId>, Error> {
        word_list::literals(self.store, set, &mut self.is_cancelled)
    }

    /// As [`Store::regex`].
    ///
    /// # Errors
    /// As for [`Store::regex`].
    pub fn regex(&mut self, pattern: &str) -> Result<Option<RegularId>, Error> {
        regex::regex(self.store, pattern, &mut self.is_cancelled)
    }

    /// As [`Store::is_empty`]. The derivatives of a cancelled search are kept.
    ///
    /// # Errors
    /// As for [`Store::is_empty`].
    pub fn is_empty(&mut self, a: RegularId) -> Result<Option<bool>, Error> {
        emptiness::is_empty(self.store, a, &mut self.is_cancelled)
    }

    /// As [`Store::refine`]. Returns false, with `classes` in an unspecified state, if the operation is
    /// cancelled.
    pub fn refine(
        &mut self,
        languages: impl IntoIterator<Item = RegularId>,
        classes: &mut ByteClasses,
    ) -> bool {
        refine::refine(self.store, languages, classes, &mut self.is_cancelled)
    }
}
