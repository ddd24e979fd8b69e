//! Loads the vocabulary of a command, and finds its end-of-sequence tokens.

use std::path::Path;

use grammask::{Ending, TokenId};
use grammask_trie::{Vocabulary, loaders};

use crate::args::VocabularyArgs;
use crate::failure::Failure;
use crate::input::source;

/// Size of a vocabulary file, in bytes. A larger file is an error.
const MAX_FILE_BYTES: usize = 1 << 30;

/// End-of-sequence tokens of well-known vocabularies.
const KNOWN_EOS_NAMES: [&str; 5] = ["<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "</s>", "<|im_end|>"];

/// Loads the vocabulary that the arguments name. Also returns the ending that they ask for.
pub(crate) fn load(arguments: &VocabularyArgs) -> Result<(Vocabulary, Ending), Failure> {
    let vocabulary = match &arguments.vocab {
        Some(path) if !arguments.is_embedded() => from_file(path)?,
        _ => o200k()?,
    };
    let ending = ending(&vocabulary, arguments)?;
    Ok((vocabulary, ending))
}

/// Loads the embedded vocabulary.
fn o200k() -> Result<Vocabulary, Failure> {
    // The singleton is never freed. Freeing half a million small strings would take longer than a command.
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    let id_of = |name: &str| tokenizer.encode_with_special_tokens(name).first().copied();
    let mut names: Vec<&str> = tokenizer.special_tokens().into_iter().collect();
    names.sort_unstable();
    let special: Vec<(TokenId, String)> =
        names.into_iter().filter_map(|name| Some((TokenId(id_of(name)?), name.to_owned()))).collect();
    // The ranks of ordinary tokens start at 0 and have no gaps.
    let tokens = (0..).map_while(|id| {
        let is_special = special.iter().any(|&(special, _)| special == TokenId(id));
        let bytes = if is_special { None } else { tokenizer.decode_bytes(&[id]).ok() };
        Some((TokenId(id), bytes?))
    });
    Vocabulary::new(tokens, special.clone(), &Default::default())
        .map_err(|error| Failure::other(format!("the vocabulary o200k: {error}")))
}

/// Loads a vocabulary in any supported format.
fn from_file(path: &Path) -> Result<Vocabulary, Failure> {
    let bytes = source::read(path, MAX_FILE_BYTES)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(Failure::other(format!("{} has more than {MAX_FILE_BYTES} bytes", path.display())));
    }
    loaders::load(&bytes, &Default::default())
        .map_err(|error| Failure::other(format!("{}: {error}", path.display())))
}

/// Returns the ending that the arguments ask for.
fn ending(vocabulary: &Vocabulary, arguments: &VocabularyArgs) -> Result<Ending, Failure> {
    if arguments.eager {
        return Ok(Ending::Eager);
    }
    let ids: Vec<TokenId> = match &*arguments.eos {
        [] => KNOWN_EOS_NAMES.iter().filter_map(|name| vocabulary.special(name)).collect(),
        named => {
            let known = |name: &String| match find(vocabulary, name) {
                None if name == "none" => None,
                None => Some(Err(Failure::other(format!(
                    "the vocabulary has no special token and no id {name:?}"
                )))),
                Some(id) => Some(Ok(id)),
            };
            named.iter().filter_map(known).collect::<Result<_, _>>()?
        }
    };
    Ok(Ending::EndOfSequence(ids))
}

/// Finds a token by its name or id.
fn find(vocabulary: &Vocabulary, name: &str) -> Option<TokenId> {
    let by_id = || name.parse().ok().map(TokenId).filter(|&id| vocabulary.is_known(id));
    vocabulary.special(name).or_else(by_id)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn sample() -> Vocabulary {
        let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())];
        let special = [(TokenId(5), "</s>".to_owned()), (TokenId(7), "<|eot_id|>".to_owned())];
        Vocabulary::new(tokens, special, &Default::default()).unwrap()
    }

    fn arguments(eos: &[&str], eager: bool) -> VocabularyArgs {
        VocabularyArgs { vocab: None, eos: eos.iter().map(ToString::to_string).collect(), eager }
    }

    #[test]
    fn well_known_eos_tokens_are_the_default() {
        assert_eq!(
            ending(&sample(), &arguments(&[], false)).unwrap(),
            Ending::EndOfSequence(vec![TokenId(7), TokenId(5)])
        );
    }

    #[test]
    fn eos_tokens_are_found_by_name_or_id() {
        let of = |eos: &[&str]| ending(&sample(), &arguments(eos, false));
        assert_eq!(of(&["</s>", "1"]).unwrap(), Ending::EndOfSequence(vec![TokenId(5), TokenId(1)]));
        assert_eq!(of(&["none"]).unwrap(), Ending::EndOfSequence(vec![]));
        for wrong in ["a", "2", "-1", "99999999999"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
        assert_eq!(ending(&sample(), &arguments(&[], true)).unwrap(), Ending::Eager);
    }

    #[test]
    fn the_embedded_vocabulary_is_complete() {
        let vocabulary = o200k().unwrap();
        assert_eq!(vocabulary.token_count(), 199_998);
        assert_eq!(vocabulary.special("<|endoftext|>"), Some(TokenId(199_999)));
        assert_eq!(vocabulary.special("<|endofprompt|>"), Some(TokenId(200_018)));
        assert!(vocabulary.has_every_byte());
    }
}
