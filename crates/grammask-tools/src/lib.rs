//! Tool-call formats of language models as structural tags.
//!
//! | piece | from → to |
//! | --- | --- |
//! | [`formats`], [`format`](format()) | a model's name → how it writes calls, as data |
//! | [`Request::from_openai`] | `tools`, `tool_choice`, `parallel_tool_calls` → tools and a choice |
//! | [`structural_tag`] | both → a structural tag in the JSON form of XGrammar |
//!
//! ```
//! use grammask_tools::{Config, Reasoning, Request, format, structural_tag};
//! use serde_json::json;
//!
//! let mut request = Request::from_openai(&json!({
//!     "tools": [{"type": "function", "function": {
//!         "name": "weather",
//!         "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
//!     }}],
//! }))?;
//! request.reasoning = Reasoning::Auto;
//! let tag = structural_tag(format("qwen3").unwrap(), &request, &Config::default())?;
//! let parts = tag["format"]["elements"].as_array().unwrap();
//! assert_eq!(parts[0]["content"]["begin"], "<think>");
//! assert_eq!(parts[1]["triggers"], json!(["<tool_call>"]));
//! # Ok::<(), grammask_tools::Error>(())
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod error;
mod format;
mod request;
mod tag;
mod value;

pub use error::Error;
pub use format::{Arguments, Format, Think, format, formats};
pub use request::{Choice, Reasoning, Request, Tool};
pub use tag::{Config, structural_tag};
