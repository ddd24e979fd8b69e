//! A vocabulary that models use, its tokenizer, and tests with both.

mod forced;
mod masks;

use std::sync::LazyLock;

use grammask::{TokenId, Vocabulary};
use tiktoken_rs::CoreBPE;

pub static ENCODER: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());
pub static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    // Ids without bytes, special tokens among them, are left out.
    let tokens = (0..199_998).filter_map(|id| Some((TokenId(id), ENCODER.decode_bytes(&[id]).ok()?)));
    Vocabulary::new(tokens, []).unwrap()
});

/// It takes whole characters only.
pub fn encode(bytes: &[u8]) -> Vec<TokenId> {
    let text = std::str::from_utf8(bytes).expect("whole characters");
    ENCODER.encode_ordinary(text).into_iter().map(TokenId).collect()
}
