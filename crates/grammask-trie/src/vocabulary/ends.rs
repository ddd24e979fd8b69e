//! Which tokens end or begin a sequence, by the names that they have in known models.

use crate::TokenId;

/// Names of tokens after which known models stop.
///
/// # Source
///
/// The list of llama.cpp (`llama-vocab.cpp`), and the tokenizers of Command-R and Llama 4.
const END_NAMES: [&str; 25] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
    "[e~[",
    "<|END_OF_TURN_TOKEN|>",
    "<|eot|>",
    "<|eom|>",
];

/// Names of tokens with which known models begin a sequence.
const BEGIN_NAMES: [&str; 7] = [
    "<s>",
    "<bos>",
    "<|begin_of_text|>",
    "<\u{ff5c}begin\u{2581}of\u{2581}sentence\u{ff5c}>",
    "<|startoftext|>",
    "<BOS_TOKEN>",
    "[BOS]",
];

/// Names of tokens that separate the turns of a conversation, besides those that end or begin a sequence.
#[cfg(feature = "loaders")]
const TURN_NAMES: [&str; 30] = [
    "<|im_start|>",
    "<|im_sep|>",
    "<start_of_turn>",
    "<|turn>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|header_start|>",
    "<|header_end|>",
    "<|start|>",
    "<|message|>",
    "<|channel|>",
    "<|constrain|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<|observation|>",
    "<\u{ff5c}User\u{ff5c}>",
    "<\u{ff5c}Assistant\u{ff5c}>",
    "<\u{ff5c}System\u{ff5c}>",
    "<|EOT|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|USER_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<|SYSTEM_TOKEN|>",
    "[INST]",
    "[/INST]",
    "<|start_of_role|>",
    "<|end_of_role|>",
    "]~b]",
    "]~!b[",
];

/// Names that are tags of HTML in some vocabularies, such as that of Gemma.
#[cfg(feature = "loaders")]
const TAG_NAMES: [&str; 2] = ["<s>", "</s>"];

/// Returns true if a token with this name ends or begins a sequence, or separates turns, in known models.
#[cfg(feature = "loaders")]
pub(crate) fn frames_turn_or_tag(name: &str) -> bool {
    [&END_NAMES[..], &BEGIN_NAMES, &TURN_NAMES].iter().any(|names| names.contains(&name))
}

/// Returns true as [`frames_turn_or_tag`], but not for names that may be tags of HTML.
#[cfg(feature = "loaders")]
pub(crate) fn frames_turn(name: &str) -> bool {
    frames_turn_or_tag(name) && !TAG_NAMES.contains(&name)
}

/// Returns the tokens that end a sequence by their names, by ascending id.
///
/// Two names do not count beside others:
///
/// - `<|end|>` beside `<|return|>` or `<|flush|>` and `<|call|>` or `<|calls|>`: in gpt-oss and Solar Open it
///   ends a message, after which the model continues;
/// - `</s>` beside `<eos>`: in the vocabularies of Gemma it is a tag of HTML.
pub(super) fn by_name<'a>(specials: impl Iterator<Item = (TokenId, &'a str)>) -> Vec<TokenId> {
    let mut found: Vec<(TokenId, &str)> = specials.filter(|(_, name)| END_NAMES.contains(name)).collect();
    let has = |name: &str| found.iter().any(|&(_, found)| found == name);
    let in_messages = (has("<|call|>") || has("<|calls|>")) && (has("<|return|>") || has("<|flush|>"));
    let has_tag = has("<eos>");
    found.retain(|&(_, name)| !(in_messages && name == "<|end|>" || has_tag && name == "</s>"));
    found.into_iter().map(|(id, _)| id).collect()
}

/// Returns the tokens that begin a sequence by their names, by ascending id.
pub(super) fn begins_by_name<'a>(specials: impl Iterator<Item = (TokenId, &'a str)>) -> Vec<TokenId> {
    specials.filter(|(_, name)| BEGIN_NAMES.contains(name)).map(|(id, _)| id).collect()
}

/// Returns true if the name of a special token looks as if the token could end a sequence. The name may be
/// that of a model which is not known here, so this is a hint for messages, not a rule.
///
/// ```
/// use grammask_trie::looks_like_end;
///
/// assert!(looks_like_end("<|eot_id|>") && looks_like_end("<end_of_answer>"));
/// assert!(!looks_like_end("<|image_pad|>"));
/// ```
pub fn looks_like_end(name: &str) -> bool {
    /// Parts of such names, in lower case.
    const PARTS: [&str; 9] =
        ["eos", "eot", "eom", "endof", "end_of", "end\u{2581}of", "im_end", "</s>", "stop"];
    let lower = name.to_lowercase();
    END_NAMES.contains(&name) || PARTS.iter().any(|part| lower.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(names: &[&'static str]) -> Vec<u32> {
        let specials = (0..).map(TokenId).zip(names.iter().copied());
        by_name(specials).into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn end_of_a_message_is_not_the_end_of_a_sequence_of_harmony() {
        assert_eq!(ends(&["<|endoftext|>", "<|return|>", "<|start|>", "<|end|>", "<|call|>"]), [0, 1, 4]);
        assert_eq!(ends(&["<|calls|>", "<|flush|>", "<|end|>"]), [0, 1]);
        assert_eq!(ends(&["<|endoftext|>", "<|end|>", "<|call|>"]), [0, 1, 2], "Phi has no `<|return|>`");
        assert_eq!(ends(&["</s>", "<eos>", "<|tool_response>", "<turn|>"]), [1, 2, 3], "Gemma 4");
        assert_eq!(ends(&["<s>", "</s>", "<unk>"]), [1]);
    }
}
