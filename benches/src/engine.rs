//! The interface of all engines.

pub mod grammask;
#[cfg(feature = "peers")]
mod kbnf;
#[cfg(feature = "peers")]
pub(crate) mod llguidance;

use anyhow::bail;

use crate::input::case::Case;
use crate::input::vocabulary::Words;

/// grammask with an unused vocabulary for each grammar.
pub const COLD: &str = "grammask, cold";

/// grammask with a vocabulary that has served another grammar, compiled from the same text, over the same
/// text.
pub const WARM: &str = "grammask, warm";

/// Both modes of grammask.
pub const OURS: &[&str] = &[COLD, WARM];

/// An engine in a program of its own, as it cannot be built together with the others.
pub const GLRMASK: &str = "glrmask";

/// The engines to compare with.
#[cfg(feature = "peers")]
pub const PEERS: &[&str] = &["llguidance", "kbnf"];

/// The engines to compare with. There are none without the feature `peers`.
#[cfg(not(feature = "peers"))]
pub const PEERS: &[&str] = &[];

/// An engine that is bound to a vocabulary. Errors are printed in the report.
pub trait Engine {
    /// Drops the last grammar and prepares for this one and its text. The time does not count.
    ///
    /// # Errors
    /// If the engine has no form of the grammar.
    fn prepare(&mut self, case: &Case, tokens: &[u32]) -> Result<(), String>;

    /// Compiles the prepared grammar, up to the first mask.
    fn compile(&mut self) -> Result<(), String>;

    /// Returns to the beginning of the text. Tables of the grammar are kept.
    fn restart(&mut self) -> Result<(), String>;

    /// Computes the mask and writes it as a packed row.
    fn mask(&mut self, row: &mut [u32]) -> Result<(), String>;

    /// Accepts a token.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// Returns the bytes of the grammar's tables. Returns `None` if the engine does not say.
    fn table_bytes(&self) -> Option<usize>;

    /// Returns a remark about the run for the report.
    fn note(&self) -> Option<String>;

    /// Returns `true` if the engine has threads of its own, so that the CPU time of the calling thread is
    /// useless.
    fn has_threads(&self) -> bool {
        false
    }
}

/// Creates the engine with this name.
///
/// # Errors
/// If there is none, or it refuses the vocabulary.
pub fn create(name: &str, words: &Words) -> anyhow::Result<Box<dyn Engine>> {
    match name {
        COLD => Ok(Box::new(grammask::Grammask::new(words, false)?)),
        WARM => Ok(Box::new(grammask::Grammask::new(words, true)?)),
        #[cfg(feature = "peers")]
        "kbnf" => Ok(Box::new(kbnf::Kbnf::new(words)?)),
        #[cfg(feature = "peers")]
        "llguidance" => Ok(Box::new(llguidance::LlGuidance::new(words)?)),
        other => bail!("unknown engine {other}"),
    }
}
