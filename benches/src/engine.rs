//! What every engine is asked to do, in the same words.

pub mod grammask;
#[cfg(feature = "peers")]
mod kbnf;
#[cfg(feature = "peers")]
pub(crate) mod llguidance;

use anyhow::bail;

use crate::case::Case;
use crate::vocabulary::Words;

/// Our own name, where every grammar meets a vocabulary that is used for the first time.
pub const COLD: &str = "grammask, cold";

/// Our own name, where the vocabulary has served another grammar, compiled from the same text, over the same text.
pub const WARM: &str = "grammask, warm";

/// Both.
pub const OURS: &[&str] = &[COLD, WARM];

/// An engine that a program of its own runs, as it cannot be built together with the others.
pub const GLRMASK: &str = "glrmask";

/// The engines to compare with.
#[cfg(feature = "peers")]
pub const PEERS: &[&str] = &["llguidance", "kbnf"];

/// The engines to compare with: none without the feature `peers`.
#[cfg(not(feature = "peers"))]
pub const PEERS: &[&str] = &[];

/// An engine that is bound to a vocabulary. An error is something to say about it in the report.
pub trait Engine {
    /// Forgets the last grammar and gets ready for this one, over this text; the time does not count.
    ///
    /// # Errors
    /// When the engine has no form of the grammar.
    fn prepare(&mut self, case: &Case, tokens: &[u32]) -> Result<(), String>;

    /// Compiles the grammar that it was prepared for; ready for the first mask.
    fn compile(&mut self) -> Result<(), String>;

    /// Goes back to the beginning of the text; what was learnt about the grammar stays.
    fn restart(&mut self) -> Result<(), String>;

    /// Computes the mask and writes it as a packed row.
    fn mask(&mut self, row: &mut [u32]) -> Result<(), String>;

    /// Accepts a token.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// Bytes that the grammar's tables hold, where the engine tells.
    fn table_bytes(&self) -> Option<usize>;

    /// What is to be known about how it was run.
    fn note(&self) -> Option<String>;

    /// Whether it works on threads of its own, so that the CPU time of the calling thread tells nothing.
    fn has_threads(&self) -> bool {
        false
    }
}

/// The engine with this name.
///
/// # Errors
/// When there is none, or it cannot be bound to the vocabulary.
pub fn create(name: &str, words: &Words) -> anyhow::Result<Box<dyn Engine>> {
    match name {
        COLD => Ok(Box::new(grammask::Grammask::new(words, false)?)),
        WARM => Ok(Box::new(grammask::Grammask::new(words, true)?)),
        #[cfg(feature = "peers")]
        "kbnf" => Ok(Box::new(kbnf::Kbnf::new(words)?)),
        #[cfg(feature = "peers")]
        "llguidance" => Ok(Box::new(llguidance::LlGuidance::new(words)?)),
        other => bail!("there is no engine {other}"),
    }
}
