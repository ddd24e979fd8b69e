//! A recognizer as plain data that can be stored: its network and, if requested, its tables.
//!
//! Derived data is not stored. Loading checks every invariant.

use std::sync::Arc;

use grammask_normal::Unordered;
use grammask_regular::{ByteSet, Languages, RegularId, Store};
use grammask_work::narrow;

use crate::network::scanned;
use crate::recognizer::SavedTables;
use crate::{
    Callee, CalleeId, Class, Config, Error, LexemeText, Limits, Network, NetworkNodeId, Node, Recognizer,
    Special, Tuning, Violation,
};

/// A [`Recognizer`] as plain data, made by [`Recognizer::save`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved {
    limits: Limits,
    tuning: Tuning,
    network: SavedNetwork,
    /// The languages of the lexemes, in the order of the callees; then those of the tables' nodes.
    languages: Languages,
    pub(crate) tables: Option<SavedTables>,
}

/// A [`Network`] with plain numbers as ids.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedNetwork {
    start: u32,
    allows_empty: bool,
    class_of_byte: Vec<u8>,
    specials: Vec<Special>,
    callees: Vec<SavedCallee>,
    nodes: Vec<SavedNode>,
    scan_only: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedCallee {
    Nonterminal { name: String, start: u32 },
    Lexeme { text: String },
    Counter { element: u32, min: u32, max: u32 },
    Unordered { name: String, items: Vec<u32>, separator: Option<u32>, unordered: Unordered },
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedNode {
    is_final: bool,
    scans: Vec<(u16, u32)>,
    calls: Vec<(u32, u32)>,
}

/// The reason why a saved recognizer cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The languages are damaged.
    #[error(transparent)]
    Languages(#[from] grammask_regular::LoadError),
    /// The network is damaged.
    #[error("a saved network is damaged: {0}")]
    Network(#[from] Violation),
    /// The tables are damaged.
    #[error("saved tables are damaged: {0}")]
    Tables(&'static str),
    /// A limit of the saved configuration is exceeded.
    #[error(transparent)]
    Limit(#[from] Error),
}

impl From<grammask_regular::Error> for LoadError {
    fn from(error: grammask_regular::Error) -> Self {
        Self::Limit(error.into())
    }
}

/// Maximum number of derivatives for deciding the emptiness of one language while loading. It caps the saved
/// limit, so that stored data cannot make loading slow.
const LOAD_EMPTINESS_STEPS: usize = 1 << 20;

impl Recognizer {
    /// Returns the recognizer as plain data. With `tables`, this includes its states and the steps between
    /// them, unless [`saves_tables`](Self::saves_tables) returns false. Saving a loaded recognizer gives
    /// equal data.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use grammask_earley::{Config, Network, Recognizer};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= '(' start ')' | 'x';", &Default::default()).unwrap();
    /// let mut store = Store::new(&Default::default());
    /// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    /// let network = Network::build(&normal, store, &Config::default()).unwrap();
    /// let recognizer = Recognizer::new(Arc::new(network), &Config::default());
    /// let open = recognizer.step(recognizer.initial(), b'(').unwrap();
    ///
    /// let loaded = Recognizer::load(&recognizer.save(true), 1 << 20).unwrap();
    /// assert_eq!(loaded.set_count(), recognizer.set_count());
    /// assert_eq!(loaded.step(loaded.initial(), b'(').unwrap(), open);
    /// ```
    pub fn save(&self, tables: bool) -> Saved {
        let network = self.network();
        let mut languages: Vec<RegularId> = network.lexemes().collect();
        let (languages, tables) = if tables && self.saves_tables() {
            let guard = self.lock();
            let tables = self.save_tables(guard.stages(), &mut languages);
            // The writer's store extends the network's, so the lexemes have equal ids in both.
            (guard.stages().nodes.store().save(&languages), Some(tables))
        } else {
            (network.store.save(&languages), None)
        };
        let Config { limits, tuning } = self.config().clone();
        Saved { limits, tuning, network: SavedNetwork::of(network), languages, tables }
    }

    /// Creates the recognizer that was saved. Loading uses at most about `max_bytes` bytes; further steps are
    /// computed on demand.
    ///
    /// The data is not trusted: all steps are computed again, so data that this crate did not write is an
    /// error or harmless.
    ///
    /// # Errors
    /// If an invariant does not hold, or a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the data, apart from the construction of the lexemes' automata.
    pub fn load(saved: &Saved, max_bytes: usize) -> Result<Self, LoadError> {
        let (mut store, languages) = Store::load(&saved.languages, max_bytes)?;
        let limits = saved.languages.limits();
        let mut bounded = limits.clone();
        bounded.memory = bounded.memory.min(max_bytes);
        bounded.emptiness_steps = bounded.emptiness_steps.min(LOAD_EMPTINESS_STEPS);
        store.set_limits(&bounded);
        let (network, node_languages) = saved.network.load(store, &languages)?;
        let config = Config { limits: saved.limits.clone(), tuning: saved.tuning.clone() };
        let mut recognizer = Self::new(Arc::new(network), &config.bounded());
        match &saved.tables {
            Some(tables) => recognizer.load_tables(tables, node_languages, max_bytes)?,
            None if node_languages.is_empty() => {}
            None => return Err(LoadError::Tables("there are languages without nodes")),
        }
        recognizer.set_limits(&config, limits);
        Ok(recognizer)
    }
}

impl Config {
    /// Returns the configuration with work limits capped at the defaults, so that stored data cannot make
    /// loading slow.
    fn bounded(&self) -> Self {
        let default = Limits::default();
        let limits = Limits {
            max_items_per_set: self.limits.max_items_per_set.min(default.max_items_per_set),
            max_work_per_byte: self.limits.max_work_per_byte.min(default.max_work_per_byte),
            ..self.limits.clone()
        };
        Self { limits, ..self.clone() }
    }
}

impl SavedNetwork {
    fn of(network: &Network) -> Self {
        let node = |node: &Node| SavedNode {
            is_final: node.is_final,
            scans: node.scans.iter().map(|&(class, to)| (class.0, to.0)).collect(),
            calls: node.calls.iter().map(|&(callee, to)| (callee.0, to.0)).collect(),
        };
        let callee = |(index, callee): (usize, &Callee)| match callee {
            Callee::Nonterminal { name, start } => {
                SavedCallee::Nonterminal { name: name.to_string(), start: start.0 }
            }
            Callee::Lexeme { .. } => {
                SavedCallee::Lexeme { text: network.callee_text(CalleeId(narrow(index))) }
            }
            Callee::Counter { element, min, max } => {
                SavedCallee::Counter { element: element.0, min: *min, max: *max }
            }
            Callee::Unordered { name, items, separator, unordered } => SavedCallee::Unordered {
                name: name.to_string(),
                items: items.iter().map(|item| item.0).collect(),
                separator: separator.map(|separator| separator.0),
                unordered: (**unordered).clone(),
            },
        };
        Self {
            start: network.start.0,
            allows_empty: network.allows_empty,
            class_of_byte: network.class_of_byte.to_vec(),
            specials: network.specials.clone(),
            callees: network.callees.iter().enumerate().map(callee).collect(),
            nodes: network.nodes.iter().map(node).collect(),
            scan_only: network.scan_only.iter().map(|node| node.0).collect(),
        }
    }

    /// Returns the network, and the languages left after each lexeme has taken one.
    fn load<'l>(
        &self,
        mut store: Store,
        languages: &'l [RegularId],
    ) -> Result<(Network, &'l [RegularId]), LoadError> {
        let damaged = |text: &str| LoadError::Network(Violation::new(text));
        let mut rest = languages;
        let mut callees = Vec::with_capacity(self.callees.len());
        for callee in &self.callees {
            callees.push(match callee {
                SavedCallee::Nonterminal { name, start } => {
                    Callee::Nonterminal { name: name.clone().into(), start: NetworkNodeId(*start) }
                }
                SavedCallee::Lexeme { text } => {
                    let (&language, others) =
                        rest.split_first().ok_or(damaged("a lexeme has no language"))?;
                    rest = others;
                    if store.is_empty(language)? {
                        return Err(damaged("a lexeme accepts no text"));
                    }
                    Callee::Lexeme { text: LexemeText::Written(text.clone()), language }
                }
                SavedCallee::Counter { element, min, max } => {
                    Callee::Counter { element: CalleeId(*element), min: *min, max: *max }
                }
                SavedCallee::Unordered { name, items, separator, unordered } => Callee::Unordered {
                    name: name.clone().into(),
                    items: items.iter().copied().map(CalleeId).collect(),
                    separator: separator.map(CalleeId),
                    unordered: unordered.clone().into(),
                },
            });
        }
        let class_of_byte: Box<[u8; 256]> = self
            .class_of_byte
            .clone()
            .try_into()
            .map_err(|_| damaged("the table of byte classes does not have 256 entries"))?;
        let byte_classes = class_of_byte.iter().max().map_or(0, |&class| usize::from(class) + 1);
        let mut class_bytes = vec![ByteSet::EMPTY; byte_classes];
        (0..=255u8).for_each(|byte| class_bytes[usize::from(class_of_byte[usize::from(byte)])].insert(byte));
        if self.specials.len() > Network::MAX_SPECIALS || self.nodes.len() > NetworkNodeId::MAX_NETWORK_NODES
        {
            return Err(damaged("there are more special tokens or nodes than ids"));
        }
        let node = |node: &SavedNode| Node {
            is_final: node.is_final,
            scans: node.scans.iter().map(|&(class, to)| (Class(class), NetworkNodeId(to))).collect(),
            calls: node.calls.iter().map(|&(callee, to)| (CalleeId(callee), NetworkNodeId(to))).collect(),
        };
        let nodes: Vec<Node> = self.nodes.iter().map(node).collect();
        let network = Network {
            scanned: scanned(&nodes, &class_bytes),
            nodes,
            callees,
            terminals: Vec::new(),
            scan_only: self.scan_only.iter().copied().map(NetworkNodeId).collect(),
            start: NetworkNodeId(self.start),
            allows_empty: self.allows_empty,
            class_of_byte,
            byte_classes,
            class_bytes,
            specials: self.specials.clone(),
            store,
        };
        network.check()?;
        Ok((network, rest))
    }
}
