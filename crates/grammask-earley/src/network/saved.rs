//! A recognizer as plain data that can be stored: its network, and its tables if they are wanted. Loading checks everything, and
//! computes what can be computed.

use std::sync::Arc;

use grammask_normal::Unordered;
use grammask_regular::{ByteSet, Languages, RegularId, Store};

use crate::network::scanned;
use crate::recognizer::SavedTables;
use crate::{
    Callee, CalleeId, Class, Config, Error, LexemeText, Network, NetworkNodeId, Node, Recognizer, Special,
    Violation,
};

/// All that a [`Recognizer`] needs: plain data, to be stored and loaded. Made by [`Recognizer::save`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Saved {
    config: Config,
    network: SavedNetwork,
    /// The languages of the lexemes, in the order in which the network calls them; then those of the tables' nodes.
    languages: Languages,
    pub(crate) tables: Option<SavedTables>,
}

/// A [`Network`] with numbers for ids.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SavedNetwork {
    start: u32,
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

/// Why a saved recognizer cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A language of a lexeme.
    #[error(transparent)]
    Languages(#[from] grammask_regular::LoadError),
    /// The network.
    #[error("a saved network is damaged: {0}")]
    Network(#[from] Violation),
    /// The tables.
    #[error("saved tables are damaged: {0}")]
    Tables(&'static str),
    /// A limit of the configuration.
    #[error(transparent)]
    Limit(#[from] Error),
}

impl From<grammask_regular::Error> for LoadError {
    fn from(error: grammask_regular::Error) -> Self {
        Self::Limit(error.into())
    }
}

/// Derivatives that may be taken while loading to decide about one language, whatever was saved.
const EMPTINESS_STEPS: usize = 1 << 20;

impl Recognizer {
    /// The recognizer as plain data; with `tables` also the states that it has seen so far, and the steps between them, but where
    /// texts have to differ from each other ([`Network::has_distinct`]). Saving what was loaded gives the same data.
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
            let workshop = self.lock();
            let tables = self.save_tables(&workshop, &mut languages);
            // The workshop's store goes on from the network's, so the lexemes have the same ids in it.
            (workshop.store().save(&languages), Some(tables))
        } else {
            (network.store.save(&languages), None)
        };
        Saved { config: self.config().clone(), network: SavedNetwork::of(network), languages, tables }
    }

    /// The recognizer that was saved. Loading takes `room` bytes at most, roughly; steps for which there is no room are taken
    /// anew when they are needed.
    ///
    /// Nothing is believed: a network or a state that was not made by this crate is an error or harmless, and all steps are
    /// taken again.
    ///
    /// # Errors
    /// When an invariant does not hold, or a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the size of the data; automata of texts are built as when they were made first.
    pub fn load(saved: &Saved, room: usize) -> Result<Self, LoadError> {
        let (mut store, languages) = Store::load(&saved.languages, room)?;
        let limits = saved.languages.limits();
        let mut bounded = limits.clone();
        bounded.memory = bounded.memory.min(room);
        bounded.emptiness_steps = bounded.emptiness_steps.min(EMPTINESS_STEPS);
        store.set_limits(&bounded);
        let (network, made) = saved.network.load(store, &languages)?;
        let mut recognizer = Self::new(Arc::new(network), &saved.config.bounded());
        match &saved.tables {
            Some(tables) => recognizer.load_tables(tables, made, room)?,
            None if made.is_empty() => {}
            None => return Err(LoadError::Tables("languages of no nodes")),
        }
        recognizer.set_limits(&saved.config, limits);
        Ok(recognizer)
    }
}

impl Config {
    /// The same with no limit that is higher than the default, so that a stored number cannot make loading slow.
    fn bounded(&self) -> Self {
        let default = Self::default();
        Self {
            max_items_per_set: self.max_items_per_set.min(default.max_items_per_set),
            max_work_per_byte: self.max_work_per_byte.min(default.max_work_per_byte),
            ..self.clone()
        }
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
                SavedCallee::Lexeme { text: network.callee_text(CalleeId(index as u32)) }
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
            class_of_byte: network.class_of_byte.to_vec(),
            specials: network.specials.clone(),
            callees: network.callees.iter().enumerate().map(callee).collect(),
            nodes: network.nodes.iter().map(node).collect(),
            scan_only: network.scan_only.iter().map(|node| node.0).collect(),
        }
    }

    /// The network, and the languages that are left when every lexeme has its own.
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
                    let (&language, others) = rest.split_first().ok_or(damaged("a lexeme is missing"))?;
                    rest = others;
                    if store.is_empty(language)? {
                        return Err(damaged("a lexeme takes no text"));
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
        let class_of_byte: Box<[u8; 256]> =
            self.class_of_byte.clone().try_into().map_err(|_| damaged("there are 256 bytes"))?;
        let byte_classes = class_of_byte.iter().max().map_or(0, |&class| usize::from(class) + 1);
        let mut class_bytes = vec![ByteSet::EMPTY; byte_classes];
        (0..=255u8).for_each(|byte| class_bytes[usize::from(class_of_byte[usize::from(byte)])].insert(byte));
        if self.specials.len() > Network::MAX_SPECIALS || self.nodes.len() > NetworkNodeId::MOST {
            return Err(damaged("there are more specials or nodes than ids"));
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
