//! The grammars that outputs have, on a large vocabulary. Each is compiled twice, in ways that must give the same masks, and shared by the outputs that follow
//! each other.

use std::sync::Arc;

use grammask::{Config, Error, Grammar, Vocabulary};
use grammask_testkit::fixtures::GrammarFixture;
use grammask_testkit::random::{Rng, conditions, tails, texts};

use crate::kept::Kept;

/// It nests and counts, and never has to end.
const NESTS_AND_COUNTS: &str = r#"
start ::= item {';' item};
item ::= list | word | text | pairs | number;
list ::= '[' [item {',' item}] ']';
word ::= #'[a-z]{1,200}';
text ::= '"' (#'[^"\\\\]' | '\\' #'["\\\\n]'){0,300} '"';
pairs ::= '{' (#'[a-z]+' ':' item ';'){1,40} '}';
number ::= #'[0-9]{1,12}' ['.' #'[0-9]{1,6}'];
"#;

/// Tokens of an output at most: of that grammar, of the fixtures, and of a random grammar.
const LONG: usize = 100_000;
const SHORT: usize = 2_000;
const RANDOM: usize = 20;

/// The masks of fixtures are compared once in so many tokens, as those with little room take most of the time.
const EVERY: usize = 32;

/// How many outputs in a row have the same grammar, so that threads meet in its tables. At its next turn it is compiled again.
const TOGETHER: u64 = 2;

/// What tables may hold in bytes: enough for a while, and too little.
const RICH: usize = 8 << 20;
const POOR: usize = 1 << 20;

/// What an output is about.
pub struct Subject {
    /// A name, or the grammar itself where it has none.
    pub name: String,
    /// How many tokens the output shall have.
    pub length: usize,
    /// Once in so many tokens the masks are compared, as the other grammar's take most of the time.
    pub every: usize,
    /// The same language twice.
    pub grammars: [Grammar; 2],
}

/// How the grammar of an output follows from its number.
pub enum Grammars {
    /// Each in turn, with much and with little room for tables.
    Fixtures(Vec<Case>),
    /// Random ones, with parts of masks and by walking through the whole trie.
    Random(Kept<Option<Subject>>),
}

/// One that comes again.
pub struct Case {
    name: String,
    text: String,
    length: usize,
    kept: Kept<Option<Subject>>,
}

impl Grammars {
    /// Those of the fixtures, and one that nests and counts.
    pub fn fixtures(fixtures: &[GrammarFixture]) -> Self {
        let case = |name: &str, text: &str, length| Case {
            name: name.to_owned(),
            text: text.to_owned(),
            length,
            kept: Kept::new(),
        };
        let mut cases: Vec<Case> =
            fixtures.iter().map(|fixture| case(&fixture.name, &fixture.grammar, SHORT)).collect();
        cases.push(case("nests and counts", NESTS_AND_COUNTS, LONG));
        Self::Fixtures(cases)
    }

    /// Random ones, which aim at the conditions of shortcuts, and at texts that can be cut in many ways.
    pub const fn random() -> Self {
        Self::Random(Kept::new())
    }

    /// What the output of this number is about; `None` where a limit of the recognizer is exceeded.
    ///
    /// # Errors
    /// When a grammar does not compile.
    pub fn subject(&self, number: u64, vocabulary: &Vocabulary) -> Result<Arc<Option<Subject>>, String> {
        let turn = number / TOGETHER;
        match self {
            Self::Fixtures(cases) => {
                let count = cases.len() as u64;
                let case = &cases[(turn % count) as usize];
                case.kept.get(turn / count, || case.subject(vocabulary))
            }
            Self::Random(kept) => kept.get(turn, || random(turn, vocabulary)),
        }
    }

    /// How many outputs there are until all has had its turn, so that from now on what is new is made in the place of something else.
    pub const fn once(&self) -> u64 {
        match self {
            Self::Fixtures(cases) => cases.len() as u64 * TOGETHER,
            Self::Random(_) => 0,
        }
    }
}

impl Case {
    fn subject(&self, vocabulary: &Vocabulary) -> Result<Option<Subject>, String> {
        let configs = [with_room(RICH), with_room(POOR)];
        compile(&self.name, &self.text, &configs, vocabulary, (self.length, EVERY))
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
    let mut by_walking = with_room(POOR);
    by_walking.masks.keep_parts = false;
    by_walking.recognizer.gather_texts = false;
    by_walking.recognizer.loop_right_recursion = false;
    let by_parts = with_room(*rng.pick(&[RICH, POOR, 1]));
    compile(&random.text, &random.text, &[by_parts, by_walking], vocabulary, (RANDOM, 1))
}

fn with_room(bytes: usize) -> Config {
    let mut config = Config::default();
    config.recognizer.budget = bytes;
    config.masks.budget = bytes;
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
