//! Loads the vocabulary of a command, and finds its end-of-sequence tokens.

mod embedded;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use grammask::{Ending, TokenId};
use grammask_trie::loaders::{self, Format, Options, Preset, VocabularyFiles};
use grammask_trie::{Error, Vocabulary};

use crate::args::{VocabularyArgs, VocabularyFileArgs};
use crate::failure::Failure;
use crate::input::source;
use crate::output::{progress, quoted};

pub(crate) use embedded::NAMES as EMBEDDED_NAMES;

/// Size of a vocabulary file, in bytes. A larger file is an error. The tensors of a GGUF file do not count.
const MAX_FILE_BYTES: usize = 1 << 30;

/// Number of bytes of a GGUF file that are read first. Headers of models in use are smaller.
const FIRST_GGUF_BYTES: usize = 1 << 24;

/// Maximum number of names that a message lists.
const MAX_LISTED_NAMES: usize = 8;

/// A vocabulary, and how it was found.
pub(crate) struct Loaded {
    pub vocabulary: Vocabulary,
    /// Format of the file, or the name of the built-in vocabulary.
    pub kind: String,
    /// Remarks about how the file was read.
    pub notes: Vec<String>,
}

/// Loads the vocabulary that the arguments name. Also returns the ending that they ask for. Unless the answer
/// is JSON, warns on stderr if no token ends a text.
pub(crate) fn load(arguments: &VocabularyArgs, is_json: bool) -> Result<(Vocabulary, Ending), Failure> {
    let name = arguments.vocab.as_deref().unwrap_or(Path::new(EMBEDDED_NAMES[0]));
    let reading = || load_named(name, &arguments.file);
    let Loaded { vocabulary, notes, .. } = progress::during("reading the vocabulary", reading)?;
    let ending = ending(&vocabulary, arguments)?;
    if is_json {
        return Ok((vocabulary, ending));
    }
    // Best effort: the answer does not depend on the warnings.
    for note in notes {
        let _ = writeln!(io::stderr(), "{}: note: {note}", name.display());
    }
    if arguments.eos.is_empty() && matches!(&ending, Ending::EndOfSequence(ends) if ends.is_empty()) {
        let _ = writeln!(io::stderr(), "warning: {}", no_end(&vocabulary));
    }
    Ok((vocabulary, ending))
}

/// Returns the warning for a vocabulary without ends.
fn no_end(vocabulary: &Vocabulary) -> String {
    let likely: Vec<_> = vocabulary.likely_ends().take(MAX_LISTED_NAMES).collect();
    let names: Vec<String> = likely.iter().map(|(id, name)| format!("{name} ({})", id.0)).collect();
    let hint = match names.is_empty() {
        true => String::new(),
        false => format!(", such as {}", names.join(", ")),
    };
    format!(
        "no token of the vocabulary is known to end a text, so nothing may follow a complete one; \
         --eos names it{hint}, or is `none`"
    )
}

/// Loads a built-in vocabulary, a file, or the files of a folder.
pub(crate) fn load_named(name: &Path, arguments: &VocabularyFileArgs) -> Result<Loaded, Failure> {
    if let Some(name) = name.to_str().filter(|name| EMBEDDED_NAMES.contains(name)) {
        let vocabulary = embedded::load(name)?;
        return Ok(Loaded { vocabulary, kind: format!("built in: {name}"), notes: Vec::new() });
    }
    let options = options(arguments)?;
    if name.is_dir() { from_folder(name, options) } else { from_file(name, options) }
}

/// Returns the options that the arguments ask for.
fn options(arguments: &VocabularyFileArgs) -> Result<Options, Failure> {
    let Some(name) = &arguments.vocab_format else { return Ok(Options::default()) };
    let options = Options::default().with_format(name);
    options.map_err(|error| Failure::other(format!("--vocab-format {error}")))
}

/// Loads a vocabulary file.
fn from_file(path: &Path, options: Options) -> Result<Loaded, Failure> {
    let bytes = read(path)?;
    let format = options.format.or_else(|| Format::sniff(&bytes));
    let files = VocabularyFiles { tokenizer: &bytes, tokenizer_config: None, generation_config: None };
    from_files(path, &files, format, options)
}

/// Loads the files of a folder.
fn from_folder(folder: &Path, options: Options) -> Result<Loaded, Failure> {
    let path = tokenizer_in(folder)?;
    let tokenizer = read(&path)?;
    let other = |name: &str| -> Result<Option<Vec<u8>>, Failure> {
        let path = folder.join(name);
        if path.is_file() { read(&path).map(Some) } else { Ok(None) }
    };
    let (tokenizer_config, generation_config) =
        (other("tokenizer_config.json")?, other("generation_config.json")?);
    let format = options.format.or_else(|| Format::sniff(&tokenizer));
    let files = VocabularyFiles {
        tokenizer: &tokenizer,
        tokenizer_config: tokenizer_config.as_deref(),
        generation_config: generation_config.as_deref(),
    };
    from_files(&path, &files, format, options)
}

/// Returns the tokenizer of a folder: a file with a known name, or the only file with a known ending.
fn tokenizer_in(folder: &Path) -> Result<PathBuf, Failure> {
    if let Some(path) =
        loaders::TOKENIZER_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
    {
        return Ok(path);
    }
    let entries = std::fs::read_dir(folder).map_err(|error| source::unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "gguf" || end == "tiktoken"))
        .collect();
    found.sort();
    match found.pop() {
        Some(path) if found.is_empty() => Ok(path),
        Some(_) => Err(Failure::other(format!("{}: several vocabularies; name one", folder.display()))),
        None => Err(Failure::other(format!(
            "{}: no vocabulary: none of {}, *.gguf and *.tiktoken",
            folder.display(),
            loaders::TOKENIZER_FILES.join(", ")
        ))),
    }
}

fn from_files(
    path: &Path,
    files: &VocabularyFiles<'_>,
    format: Option<Format>,
    mut options: Options,
) -> Result<Loaded, Failure> {
    let mut notes = Vec::new();
    let is_named = options.format.is_some();
    options.format = format;
    let load = |options: &Options| {
        loaders::load_files(files, options, &Default::default())
            .map_err(|error| Failure::other(format!("{}: {}", path.display(), explained(&error, files))))
    };
    let mut vocabulary = load(&options)?;
    if !is_named
        && format == Some(Format::Tiktoken)
        && vocabulary.special_tokens().len() == 0
        && let Some(preset) = Preset::guess(vocabulary.token_count())
    {
        notes.push(format!(
            "it has as many tokens as {preset}, so it gets its special tokens; --vocab-format tiktoken:NAME \
             chooses others, and --vocab-format tiktoken none"
        ));
        options.preset = Some(preset);
        vocabulary = load(&options)?;
    }
    let kind = match (format, options.preset) {
        (Some(format), Some(preset)) => format!("{format}, {preset}"),
        (Some(format), None) => format.to_string(),
        (None, _) => String::new(),
    };
    Ok(Loaded { vocabulary, kind, notes })
}

/// Returns the message of an error of loading. A compiled grammar in the place of a vocabulary is named.
fn explained(error: &Error, files: &VocabularyFiles<'_>) -> String {
    if *error == Error::UnknownFormat && source::is_compiled(files.tokenizer) {
        return "this is a compiled grammar, not a vocabulary".to_owned();
    }
    error.to_string()
}

/// Reads a vocabulary file. Of a GGUF file, reads the header.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() != "-"
        && let Some(header) = read_gguf(path)?
    {
        return Ok(header);
    }
    let bytes = source::read(path, MAX_FILE_BYTES)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(Failure::other(format!("{} has more than {MAX_FILE_BYTES} bytes", path.display())));
    }
    Ok(bytes)
}

/// Reads as much of a GGUF file as its header needs. Returns `None` for other files.
fn read_gguf(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let mut file = File::open(path).map_err(|error| source::unreadable(path, &error))?;
    let mut bytes = Vec::new();
    let mut wanted = FIRST_GGUF_BYTES;
    loop {
        let before = bytes.len();
        let more = (wanted - before) as u64;
        (&mut file).take(more).read_to_end(&mut bytes).map_err(|error| source::unreadable(path, &error))?;
        let is_whole = ((bytes.len() - before) as u64) < more;
        if Format::sniff(&bytes) != Some(Format::Gguf) {
            return Ok(None);
        }
        if is_whole || wanted >= MAX_FILE_BYTES || !loaders::is_cut_gguf(&bytes) {
            return Ok(Some(bytes));
        }
        wanted *= 4;
    }
}

/// Returns the ending that the arguments ask for.
fn ending(vocabulary: &Vocabulary, arguments: &VocabularyArgs) -> Result<Ending, Failure> {
    if arguments.eager {
        return Ok(Ending::Eager);
    }
    if arguments.eos.is_empty() {
        return Ok(Ending::EndOfSequence(vocabulary.ends().to_vec()));
    }
    let known = |name: &String| match find(vocabulary, name) {
        None if name == "none" => None,
        None => Some(Err(unknown_end(vocabulary, name))),
        Some(id) => Some(Ok(id)),
    };
    Ok(Ending::EndOfSequence(arguments.eos.iter().filter_map(known).collect::<Result<_, _>>()?))
}

fn unknown_end(vocabulary: &Vocabulary, name: &str) -> Failure {
    let names: Vec<&str> = vocabulary.likely_ends().map(|(_, name)| name).take(MAX_LISTED_NAMES).collect();
    let hint = match names.is_empty() {
        true => String::new(),
        false => format!("; special tokens that look like ends: {}", names.join(", ")),
    };
    let name = quoted(name.as_bytes());
    Failure::other(format!("the vocabulary has no special token and no id {name}{hint}"))
}

/// Finds a token by its name or id.
fn find(vocabulary: &Vocabulary, name: &str) -> Option<TokenId> {
    let by_id = || name.parse().ok().map(TokenId).filter(|&id| vocabulary.is_known(id));
    vocabulary.special(name).or_else(by_id)
}

#[cfg(test)]
mod tests {
    use grammask_trie::loaders::Spelling;

    use super::*;

    fn sample() -> Vocabulary {
        let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())];
        let special = [(TokenId(5), "</s>".to_owned()), (TokenId(7), "<|eot_id|>".to_owned())];
        Vocabulary::from_parts(tokens, special, Default::default(), &Default::default()).unwrap()
    }

    fn arguments(eos: &[&str], eager: bool) -> VocabularyArgs {
        let eos = eos.iter().map(ToString::to_string).collect();
        VocabularyArgs { vocab: None, file: VocabularyFileArgs { vocab_format: None }, eos, eager }
    }

    #[test]
    fn well_known_eos_tokens_are_the_default() {
        assert_eq!(
            ending(&sample(), &arguments(&[], false)).unwrap(),
            Ending::EndOfSequence(vec![TokenId(5), TokenId(7)])
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
        let Err(Failure::Other(message)) = of(&["eos"]) else { panic!("there is no such token") };
        assert_eq!(
            message,
            "the vocabulary has no special token and no id \"eos\"; special tokens that look like ends: \
             </s>, <|eot_id|>"
        );
    }

    #[test]
    fn formats_and_presets_are_named() {
        let of = |name: &str| options(&VocabularyFileArgs { vocab_format: Some(name.to_owned()) });
        assert_eq!(of("tiktoken:llama3").unwrap().preset, Some(Preset::Llama3));
        assert_eq!(of("vocab.json:byte-level").unwrap().spelling, Some(Spelling::ByteLevel));
        for wrong in ["", "json", "tiktoken:gpt2", "vocab.json:utf-8", "gguf:x"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
