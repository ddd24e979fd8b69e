//! The limits of syntactic proofs: how much of an expression each proof examines.
//!
//! All proofs use the same units: `depth` levels of nested operands, and `visits` operands in all. A proof
//! that stops at a limit means "not proven". This never changes a language, but may leave a larger automaton.

/// Limits of one proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofLimits {
    /// Levels of nested operands, which also bound the depth of the recursion.
    pub(crate) depth: u32,
    /// Total number of visited operands.
    pub(crate) visits: u32,
}

const fn limits(depth: u32, visits: u32) -> ProofLimits {
    ProofLimits { depth, visits }
}

impl ProofLimits {
    /// First bytes. Computed for each state of a walk; many of these states are a key or a separator.
    pub(crate) const FIRST_BYTES: Self = limits(8, 16);
    /// Short strings. Computed once per state of a JSON string.
    pub(crate) const SHORT_STRING: Self = limits(6, 256);
    /// Containment of a language in a loop. Tested by each union and intersection.
    pub(crate) const LOOP: Self = limits(6, 300);
    /// Containment of any two languages, and alphabets. Tested for each character of a class.
    pub(crate) const SUBSET: Self = limits(8, 256);
    /// Bytes that every string requires. Tested once per language, which may be a long list of alternatives.
    pub(crate) const REQUIRED_BYTE: Self = limits(8, 4096);
    /// Moving a length into another operand. Tried by each intersection.
    pub(crate) const LENGTH: Self = limits(6, 64);
    /// Removal of counter bounds. Tried once per language.
    pub(crate) const COUNTER_BOUNDS: Self = limits(8, 256);
    /// Sample numbers of an intersection. Collected before each search for emptiness.
    pub(crate) const SAMPLES: Self = limits(6, 64);
    /// Membership of one sample.
    pub(crate) const SAMPLE_MEMBERSHIP: Self = limits(6, 256);
    /// Membership of a string that a search or arithmetic has found.
    pub(crate) const MEMBERSHIP: Self = limits(12, 1024);
    /// Expressions that are imported without tables of copies.
    pub(crate) const SIMPLE_IMPORT: Self = limits(8, 64);
}
