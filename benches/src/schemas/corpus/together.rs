//! `maskbench --together`: several threads follow documents on one grammar, and their masks must equal those
//! of one thread.

use std::fmt::{self, Display, Formatter};
use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Context;
use grammask::{Grammar, LexiconConfig, TokenId};

use super::maskbench::Bench;
use crate::schemas::data::Entry;
use crate::schemas::options::MaskbenchOptions;
use crate::schemas::tally::Failure;

/// Results of a run.
#[derive(Debug, Default)]
pub struct Together {
    threads: usize,
    schemas: usize,
    masks: usize,
    /// Documents with other masks on some thread.
    pub differences: usize,
    /// The differences.
    pub failures: Vec<Failure>,
}

/// Follows all documents as far as they are allowed.
///
/// # Errors
/// If a file cannot be read, or a document cannot be cut into tokens.
pub fn run(options: &MaskbenchOptions) -> anyhow::Result<Together> {
    let bench = Bench::load(options)?;
    let threads = options.together.unwrap_or_default();
    // A vocabulary whose lexicon the threads do not use.
    let apart = bench.vocabulary.with_lexicon(&LexiconConfig::default());
    let parts = bench.on_threads(1, |lines| {
        let mut sum = Together { threads, ..Together::default() };
        for (index, line) in lines {
            let Ok(entry) = Entry::parse(line) else { continue };
            bench.enter(&entry.name);
            let compile =
                |vocabulary| Grammar::from_json_schema(&entry.schema, vocabulary, &bench.config).ok();
            let (Some(shared), Some(alone)) = (compile(&bench.vocabulary), compile(&apart)) else { continue };
            let texts = entry.instances.iter().map(|instance| bench.words.encode(&instance.text));
            let texts: Vec<Vec<u32>> = texts.collect::<Result<_, _>>()?;
            sum.schemas += 1;
            let causes = compare(&alone, &shared, &texts, bench.words.end, &mut sum);
            if !causes.is_empty() {
                sum.differences += causes.len();
                sum.failures.push(Failure { index, engine: "grammask", name: entry.name, causes });
            }
        }
        Ok(sum)
    })?;
    parts.into_iter().next().context("one thread")
}

/// Returns the differences.
fn compare(
    alone: &Grammar,
    shared: &Grammar,
    texts: &[Vec<u32>],
    end: u32,
    sum: &mut Together,
) -> Vec<String> {
    let expected: Vec<Vec<u64>> = texts.iter().map(|text| follow(alone, text, end, true)).collect();
    let found = std::thread::scope(|scope| {
        let run = |thread: usize| {
            // Half of the threads go from the last document to the first, and half of them write rows.
            let forwards = (0..texts.len()).map(move |place| match thread % 2 {
                0 => place,
                _ => texts.len() - 1 - place,
            });
            let is_row = (thread / 2).is_multiple_of(2);
            forwards.map(|place| (place, follow(shared, &texts[place], end, is_row))).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..sum.threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut causes = Vec::new();
    for (thread, found) in found.into_iter().enumerate() {
        let Ok(found) = found else {
            causes.push(format!("thread {thread} panics"));
            continue;
        };
        for (document, masks) in found {
            sum.masks += masks.len();
            if masks != expected[document] {
                let place = masks.iter().zip(&expected[document]).take_while(|(one, other)| one == other);
                causes.push(format!("document {document}, thread {thread}: mask {}", place.count()));
            }
        }
    }
    causes
}

/// Returns a hash of each mask along a document, as far as it is allowed, and the position of a limit.
fn follow(grammar: &Grammar, text: &[u32], end: u32, is_row: bool) -> Vec<u64> {
    let mut matcher = grammar.matcher();
    let mut row = vec![u32::MAX; grammar.vocabulary().mask_words()];
    let mut masks = Vec::new();
    for &token in text.iter().chain([&end]) {
        let mut hasher = DefaultHasher::new();
        if is_row {
            // The row is as long as a mask.
            let _ = matcher.fill_mask(&mut row);
            row.hash(&mut hasher);
        } else {
            matcher.mask().as_words().hash(&mut hasher);
        }
        masks.push(hasher.finish());
        if !matcher.accept(TokenId(token)).is_accepted() {
            break;
        }
    }
    masks.extend(matcher.error().map(|error| error.offset as u64));
    masks
}

impl Display for Together {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { threads, schemas, masks, differences, failures } = self;
        writeln!(f, "# {threads} threads on one grammar\n")?;
        writeln!(f, "{schemas} schemas, {masks} masks of all threads, {differences} documents differ\n")?;
        for Failure { name, causes, .. } in failures.iter().take(20) {
            causes.iter().take(3).try_for_each(|cause| writeln!(f, "- {name}: {cause}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use grammask::Config;

    use super::*;
    use crate::input::vocabulary::Words;

    fn grammar(text: &str) -> Grammar {
        let words = Words::of_bytes();
        let config = Config::default().ending_with([TokenId(words.end)]);
        Grammar::compile(text, &words.vocabulary().expect("bytes"), &config).expect("a grammar")
    }

    #[test]
    fn what_differs_is_found() {
        let words = Words::of_bytes();
        let texts = [words.encode("aab").expect("bytes"), words.encode("ab").expect("bytes")];
        let mut sum = Together { threads: 3, ..Together::default() };
        let start = "start ::= #'a*b';";
        assert!(compare(&grammar(start), &grammar(start), &texts, words.end, &mut sum).is_empty());
        assert_eq!(sum.masks, 3 * (4 + 3));
        let other = grammar("start ::= #'a*b' | 'aac';");
        let causes = compare(&grammar(start), &other, &texts, words.end, &mut sum);
        assert_eq!(causes.len(), 3);
        assert_eq!(causes[0], "document 0, thread 0: mask 2");
    }
}
