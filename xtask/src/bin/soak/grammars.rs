//! The grammars of outputs, on a large vocabulary.
//!
//! Each is compiled twice, in two ways that must give the same masks. Consecutive outputs share it.

use std::sync::Arc;

use grammask::{Config, Error, Grammar, Vocabulary};
use grammask_testkit::fixtures::GrammarFixture;
use grammask_testkit::random::{Rng, conditions, tails, texts};

use crate::kept::Kept;

/// A grammar that nests and counts, and need not end.
const NESTS_AND_COUNTS: &str = r#"
start ::= item {';' item};
item ::= list | word | text | pairs | number;
list ::= '[' [item {',' item}] ']';
word ::= #'[a-z]{1,200}';
text ::= '"' (#'[^"\\\\]' | '\\' #'["\\\\n]'){0,300} '"';
pairs ::= '{' (#'[a-z]+' ':' item ';'){1,40} '}';
number ::= #'[0-9]{1,12}' ['.' #'[0-9]{1,6}'];
"#;

/// Maximum number of tokens of an output: of the grammar above, of a fixture, and of a random grammar.
const MAX_NESTING_TOKENS: usize = 100_000;
const MAX_FIXTURE_TOKENS: usize = 2_000;
const MAX_RANDOM_TOKENS: usize = 20;

/// Tokens between two comparisons of masks of a fixture. Masks with little memory take most of the time.
const TOKENS_PER_COMPARISON: usize = 32;

/// Number of consecutive outputs with the same grammar, so that threads meet in its tables. Its next turn
/// compiles it again.
const OUTPUTS_PER_TURN: u64 = 2;

/// Budget of the tables in bytes: enough for a while, and too little.
const LARGE_BUDGET_BYTES: usize = 8 << 20;
const SMALL_BUDGET_BYTES: usize = 1 << 20;

/// The subject of an output.
pub struct Subject {
    /// Name of the grammar, or its text if it has no name.
    pub name: String,
    /// Number of tokens of the output.
    pub length: usize,
    /// Tokens between two comparisons of masks, as the masks of the second grammar take most of the time.
    pub every: usize,
    /// Two grammars of the same language.
    pub grammars: [Grammar; 2],
}

/// Selects the grammar of an output by its number.
pub enum Grammars {
    /// The fixtures in turn, with much and with little memory for tables.
    Fixtures(Vec<Case>),
    /// Random grammars, with summaries of rules and by walks through the whole trie.
    Random(Kept<Option<Subject>>),
}

/// A grammar that has its turn again and again.
pub struct Case {
    name: String,
    text: String,
    length: usize,
    kept: Kept<Option<Subject>>,
}

impl Grammars {
    /// Returns the grammars of the fixtures, and one that nests and counts.
    pub fn fixtures(fixtures: &[GrammarFixture]) -> Self {
        let case = |name: &str, text: &str, length| Case {
            name: name.to_owned(),
            text: text.to_owned(),
            length,
            kept: Kept::new(),
        };
        let mut cases: Vec<Case> = fixtures
            .iter()
            .map(|fixture| case(&fixture.name, &fixture.grammar, MAX_FIXTURE_TOKENS))
            .collect();
        cases.push(case("nests and counts", NESTS_AND_COUNTS, MAX_NESTING_TOKENS));
        Self::Fixtures(cases)
    }

    /// Returns random grammars that meet the conditions of shortcuts, and have texts with many tokenizations.
    pub const fn random() -> Self {
        Self::Random(Kept::new())
    }

    /// Returns the subject of an output. Returns `None` if a limit of the recognizer is exceeded.
    ///
    /// # Errors
    /// If a grammar does not compile.
    pub fn subject(&self, number: u64, vocabulary: &Vocabulary) -> Result<Arc<Option<Subject>>, String> {
        let turn = number / OUTPUTS_PER_TURN;
        match self {
            Self::Fixtures(cases) => {
                let count = cases.len() as u64;
                let case = &cases[(turn % count) as usize];
                case.kept.get(turn / count, || case.subject(vocabulary))
            }
            Self::Random(kept) => kept.get(turn, || random(turn, vocabulary)),
        }
    }

    /// Returns the number of outputs after which each grammar had its turn, so that each new one replaces
    /// another.
    pub const fn once(&self) -> u64 {
        match self {
            Self::Fixtures(cases) => cases.len() as u64 * OUTPUTS_PER_TURN,
            Self::Random(_) => 0,
        }
    }
}

impl Case {
    fn subject(&self, vocabulary: &Vocabulary) -> Result<Option<Subject>, String> {
        let configs = [with_room(LARGE_BUDGET_BYTES), with_room(SMALL_BUDGET_BYTES)];
        compile(&self.name, &self.text, &configs, vocabulary, (self.length, TOKENS_PER_COMPARISON))
    }
}

fn random(number: u64, vocabulary: &Vocabulary) -> Result<Option<Subject>, String> {
    let mut rng = Rng::new(number);
    let random = match rng.below(4) {
        0 => conditions::grammar(&mut rng),
        1 => conditions::ambiguous(&mut rng),
        2 => tails::grammar(&mut rng),
        _ => texts::grammar(&mut rng),
    };
    let mut by_walking = with_room(SMALL_BUDGET_BYTES);
    by_walking.masks.tuning.keep_summaries = false;
    by_walking.recognizer.tuning.gather_texts = false;
    by_walking.recognizer.tuning.loop_right_recursion = false;
    let by_parts = with_room(*rng.pick(&[LARGE_BUDGET_BYTES, SMALL_BUDGET_BYTES, 1]));
    compile(&random.text, &random.text, &[by_parts, by_walking], vocabulary, (MAX_RANDOM_TOKENS, 1))
}

fn with_room(bytes: usize) -> Config {
    let mut config = Config::default();
    // Each mask begins anew where there is little room, and is compared with others that did not.
    config.masks.limits.max_mask_work = u64::MAX;
    config.recognizer.limits.budget = bytes;
    config.masks.limits.budget = bytes;
    config
}

fn compile(
    name: &str,
    text: &str,
    configs: &[Config; 2],
    vocabulary: &Vocabulary,
    (length, every): (usize, usize),
) -> Result<Option<Subject>, String> {
    let compiled = |config| Grammar::compile(text, vocabulary, config);
    match (compiled(&configs[0]), compiled(&configs[1])) {
        (Ok(one), Ok(two)) => {
            Ok(Some(Subject { name: name.to_owned(), length, every, grammars: [one, two] }))
        }
        (Err(Error::Recognizer(_)), Err(Error::Recognizer(_))) => Ok(None),
        (Err(error), _) | (_, Err(error)) => Err(format!("{name}: {error}")),
    }
}
