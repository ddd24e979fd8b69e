//! The files of Hugging Face: `tokenizer.json`, `vocab.json`, and the configurations beside them.

pub(super) mod configurations;
mod pieces;
mod scan;
pub(super) mod tokenizer;
pub(super) mod vocab_json;
