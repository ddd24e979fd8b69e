//! The limits of syntactic proofs: how far each of them looks into an expression before it gives up.
//!
//! All proofs count alike: `depth` levels of nested operands, and `visits` operands in all. A proof that
//! gives up means "not proven", which never changes a language; at most it leaves a larger automaton.

/// How far a proof looks into an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofLimits {
    /// Levels of nested operands. The recursion is as deep.
    pub(crate) depth: u32,
    /// Operands that are visited in all.
    pub(crate) visits: u32,
}

const fn limits(depth: u32, visits: u32) -> ProofLimits {
    ProofLimits { depth, visits }
}

impl ProofLimits {
    /// First bytes. Asked for each state of a walk, of which many are a key or a separator.
    pub(crate) const FIRST_BYTES: Self = limits(8, 16);
    /// Short strings. Asked once per state of a JSON string.
    pub(crate) const SHORT_STRING: Self = limits(6, 256);
    /// Containment of a language in a loop. Asked by each union and intersection.
    pub(crate) const LOOP: Self = limits(6, 300);
    /// Containment of any two languages, and alphabets. Asked for each character of a class.
    pub(crate) const SUBSET: Self = limits(8, 256);
    /// Bytes that every string requires. Asked once per language, which may be a long list of alternatives.
    pub(crate) const REQUIRED_BYTE: Self = limits(8, 4096);
    /// Moving a length into another operand. Asked by each intersection.
    pub(crate) const LENGTH: Self = limits(6, 64);
    /// Removal of counter bounds. Asked once per language.
    pub(crate) const COUNTER_BOUNDS: Self = limits(8, 256);
    /// Sample numbers of an intersection. Asked before each search for emptiness.
    pub(crate) const SAMPLES: Self = limits(6, 64);
    /// Membership of one sample.
    pub(crate) const SAMPLE_MEMBERSHIP: Self = limits(6, 256);
    /// Membership of a string that a search or arithmetic has found.
    pub(crate) const MEMBERSHIP: Self = limits(12, 1024);
    /// Expressions that are imported without tables of copies.
    pub(crate) const SIMPLE_IMPORT: Self = limits(8, 64);
}
