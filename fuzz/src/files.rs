//! The targets that read files: saved grammars and vocabularies.

use grammask::earley;
use grammask::loaders::{self, AddedSpecials, Format, Options, Preset, Spelling, VocabularyFiles};
use grammask::trie::{self, Config, checksum};
use grammask::work::{Allowance, within};
use grammask::{
    CancelFlag, Grammar, LoadError, Outcome, SAVED_MAGIC, Tables, TokenId, Vocabulary, VocabularyError,
};

use crate::Input;
use crate::Random;
use crate::vocabularies::vocabulary as small_vocabulary;

/// Length of the header of a saved grammar before the body, in bytes.
const SAVED_HEADER_LEN: usize = 8 + 4 + 16 + 8 + 16;

/// Units of work for one input, as a saved grammar has limits of its own.
const MAX_UNITS: u64 = 1_000_000;

/// Bytes of tables.
const BUDGET: usize = 1 << 22;

/// Returns the file of a saved grammar with this body. Everything that would refuse it is right.
pub fn saved_grammar(body: &[u8], vocabulary: &Vocabulary) -> Vec<u8> {
    let any = Grammar::compile("start ::= 'a';", vocabulary, &grammask::Config::default());
    let any = any.expect("a grammar").save(Tables::Cold);
    let version = &any[SAVED_MAGIC.len()..SAVED_MAGIC.len() + 4];
    let fingerprint = vocabulary.fingerprint().to_le_bytes();
    let length = (body.len() as u64).to_le_bytes();
    let mut file = [&SAVED_MAGIC[..], version, &fingerprint, &length].concat();
    let checked = [&file[..], &checksum(body).to_le_bytes()].concat();
    file.extend(checksum(&checked).to_le_bytes());
    file.extend(body);
    file
}

/// Returns the body of a saved grammar.
pub fn body(file: &[u8]) -> &[u8] {
    &file[SAVED_HEADER_LEN..]
}

/// The body of a saved grammar. The masks of states in it are believed, so the walk checks no mask.
pub fn load(data: &[u8]) {
    let Some(input) = Input::read(data) else { return };
    let vocabulary = small_vocabulary(BUDGET);
    let file = saved_grammar(input.rest, &vocabulary);
    let allowance = Allowance::new("fuzz", MAX_UNITS);
    within(&allowance, || {
        let grammar = match Grammar::load(&file, &vocabulary) {
            Ok(grammar) => grammar,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return;
            }
        };
        let mut random = Random::new(input.seed);
        let mut matcher = grammar.matcher();
        matcher.set_cancel_flag(Some(CancelFlag::new()));
        for _ in 0..12 {
            let tokens: Vec<TokenId> = matcher.mask().iter().collect();
            let _ = matcher.forced_bytes();
            let token = match tokens.len() {
                0 => TokenId(random.below(300) as u32),
                count => tokens[random.below(count)],
            };
            let outcome = matcher.accept(token);
            if outcome != Outcome::Ongoing {
                break;
            }
        }
        let _ = matcher.rollback(matcher.len() / 2);
        matcher.mask();
        if input.has(0) {
            let saved = grammar.save(Tables::Warm);
            Grammar::load(&saved, &vocabulary)
                .map(drop)
                .or_else(|error| match (grammask::work::stopped(), &error) {
                    // The limits are those of the input, and may be low.
                    (Some(_), _) | (_, LoadError::Recognizer(earley::LoadError::Limit(_))) => Ok(()),
                    _ => Err(error),
                })
                .expect("a loaded grammar can be saved and loaded again");
        }
    });
}

/// The file of a vocabulary. The options say which reader.
pub fn vocabulary(data: &[u8]) {
    let Some(input) = Input::read(data) else { return };
    let limits = trie::Limits {
        max_ids: 1 << 16,
        max_bytes: 1 << 20,
        max_token_bytes: 4_096,
        ..trie::Limits::default()
    };
    let config = Config { limits };
    match read(&input, &config) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(vocabulary) => check_vocabulary(&vocabulary, &config),
    }
}

fn read(input: &Input<'_>, config: &Config) -> Result<trie::Vocabulary, VocabularyError> {
    let bytes = input.rest;
    let of_format = |format| {
        let added = if input.has(4) { AddedSpecials::All } else { AddedSpecials::default() };
        let spelling =
            [None, Some(Spelling::Literal), Some(Spelling::ByteLevel), Some(Spelling::SentencePiece)];
        let preset = input.has(7).then(|| Preset::ALL[input.bits(8, 4) % Preset::ALL.len()]);
        let options = Options { format, added, preset, spelling: spelling[input.bits(5, 2)] };
        loaders::load_with(bytes, &options, config)
    };
    let formats = [
        None,
        Some(Format::TokenizerJson),
        Some(Format::Gguf),
        Some(Format::SentencePiece),
        Some(Format::Tekken),
        Some(Format::Tiktoken),
        Some(Format::TiktokenJson),
        Some(Format::RwkvJson),
        Some(Format::RwkvText),
        Some(Format::PlainJson),
    ];
    match input.bits(0, 4) {
        choice if choice < formats.len() => of_format(formats[choice]),
        10 => trie::Vocabulary::from_bytes(&repaired(bytes), config),
        11 => {
            // Three files, one after the other, each begun by its length in two bytes.
            let (mut rest, mut files) = (bytes, [&[][..]; 3]);
            for file in &mut files {
                let Some((length, after)) = rest.split_first_chunk() else { break };
                (*file, rest) = after.split_at(after.len().min(usize::from(u16::from_le_bytes(*length))));
            }
            let [tokenizer, tokenizer_config, generation_config] = files;
            let files = VocabularyFiles {
                tokenizer,
                tokenizer_config: Some(tokenizer_config),
                generation_config: Some(generation_config),
            };
            loaders::load_files(&files, &Options::default(), config)
        }
        _ => loaders::load(bytes, config),
    }
}

/// Returns the file of a built vocabulary with a right checksum: magic, version, checksum, body.
fn repaired(body: &[u8]) -> Vec<u8> {
    let any = trie::Vocabulary::new([], [], &Config::default()).expect("an empty vocabulary").to_bytes();
    [&any[..12], &checksum(body).to_le_bytes(), body].concat()
}

/// A vocabulary is sound, and the same after it is written and read again.
fn check_vocabulary(vocabulary: &trie::Vocabulary, config: &Config) {
    vocabulary.check().expect("a reader makes sound vocabularies");
    let _ = format!("{vocabulary}");
    match trie::Vocabulary::from_bytes(&vocabulary.to_bytes(), config) {
        Ok(again) => {
            assert_eq!(&again, vocabulary);
            assert_eq!(again.fingerprint(), vocabulary.fingerprint());
        }
        // Files may stand for at most a number of bytes of tokens for each byte.
        Err(error) => {
            assert!(matches!(error, VocabularyError::Binary { .. } | VocabularyError::LimitExceeded { .. }))
        }
    }
    if vocabulary.token_count() > 2_000 {
        return;
    }
    let vocabulary = Vocabulary::from(vocabulary.clone());
    let grammar = Grammar::compile("start ::= #'[ -~]*' | #'.*';", &vocabulary, &grammask::Config::default());
    let Ok(grammar) = grammar else { return };
    let mut matcher = grammar.matcher();
    let mask = matcher.mask().clone();
    for (id, _) in vocabulary.tokens() {
        assert_eq!(matcher.validate(&[id]) == 1, mask.allows(id), "token {}", id.0);
    }
}
