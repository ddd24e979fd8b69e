//! FIRST sets: the bytes with which a callee begins. A step by one byte predicts only callees that begin with
//! it.
//!
//! # Source
//! FIRST sets are those of LL parsing. Callees that begin with each other form a strongly connected component
//! and have equal sets, so the components are found first: R. Tarjan, "Depth-first search and linear graph
//! algorithms", 1972, here with an explicit stack.

use grammask_regular::ByteSet;
use rustc_hash::FxHashMap;

use crate::step::Context;
use crate::step::nodes::NodeFactory;
use crate::{Callee, CalleeId, Error, Network, NetworkNodeId};

/// A callee on the search path.
struct Frame {
    callee: CalleeId,
    /// Index of the next callee that this one may begin with.
    next: usize,
    /// Position in the order of discovery.
    number: usize,
    /// The smallest number on the path that is reachable from here.
    low: usize,
    bytes: ByteSet,
}

/// Returns the FIRST set of a callee. No callee is nullable, so these are the bytes scanned at the first
/// nodes of all callees that it may begin with.
///
/// # Errors
/// If this callee, or one that it may begin with, exceeds a limit; the error is kept and returned again. If
/// cancelled.
///
/// # Complexity
/// O(1) if computed before, otherwise linear in the rules that may begin here and whose sets are unknown.
pub(crate) fn of_callee(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    callee: CalleeId,
) -> Result<ByteSet, Error> {
    if let Some(bytes) = cx.tables.callee_info(callee).first_bytes.get() {
        return Ok(*bytes);
    }
    let mut unfinished = Vec::new();
    let result = search(nodes, cx, callee, &mut unfinished);
    if let Err(error) = &result
        && !error.is_stopped()
    {
        // All unfinished callees lead to the one that exceeded the limit.
        for callee in unfinished {
            nodes.failed_first_sets.insert(callee, error.clone());
        }
    }
    result
}

/// Returns the FIRST set of a node of the network, calls included.
#[cold]
pub(crate) fn of_network_node(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
) -> Result<ByteSet, Error> {
    let mut bytes = *cx.tables.inspect().scanned_bytes(node);
    for &(callee, _) in &cx.tables.network().node(node).calls {
        bytes = bytes.union(&of_callee(nodes, cx, callee)?);
    }
    Ok(bytes)
}

/// Finds the components of all callees that `root` may begin with. `unfinished` holds the callees whose
/// component is not complete yet.
fn search(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    root: CalleeId,
    unfinished: &mut Vec<CalleeId>,
) -> Result<ByteSet, Error> {
    let network = cx.tables.network();
    let mut numbers = FxHashMap::default();
    let mut path: Vec<Frame> = Vec::new();
    let mut entering = Some(root);
    loop {
        if let Some(callee) = entering.take() {
            cx.meter.add_work(1);
            cx.meter.check_cancelled()?;
            let number = numbers.len();
            numbers.insert(callee, number);
            unfinished.push(callee);
            let bytes = scanned_at_start(nodes, cx, callee)?;
            path.push(Frame { callee, next: 0, number, low: number, bytes });
        }
        let frame = path.last_mut().expect("the root is on the path");
        if let Some(callee) = first_callee(network, frame.callee, frame.next) {
            frame.next += 1;
            if let Some(known) = cx.tables.callee_info(callee).first_bytes.get() {
                frame.bytes = frame.bytes.union(known);
            } else if let Some(&number) = numbers.get(&callee) {
                frame.low = frame.low.min(number);
            } else {
                entering = Some(callee);
            }
            continue;
        }
        let Frame { callee, number, low, bytes, .. } = path.pop().expect("the root is on the path");
        if low == number {
            while let Some(member) = unfinished.pop() {
                cx.tables.callee_info(member).first_bytes.get_or_init(|| bytes);
                if member == callee {
                    break;
                }
            }
        }
        let Some(outer) = path.last_mut() else { return Ok(bytes) };
        outer.low = outer.low.min(low);
        outer.bytes = outer.bytes.union(&bytes);
    }
}

/// Returns the bytes scanned at the first node of a callee.
fn scanned_at_start(nodes: &mut NodeFactory, cx: Context<'_>, callee: CalleeId) -> Result<ByteSet, Error> {
    if let Some(error) = nodes.failed_first_sets.get(&callee) {
        return Err(error.clone());
    }
    match *cx.tables.network().callee(callee) {
        Callee::Nonterminal { start, .. } => Ok(*cx.tables.inspect().scanned_bytes(start)),
        Callee::Lexeme { language, .. } => nodes.live_bytes(language),
        Callee::Counter { .. } | Callee::Unordered { .. } => Ok(ByteSet::EMPTY),
    }
}

/// Returns the callee with this index among those that a callee may begin with.
fn first_callee(network: &Network, callee: CalleeId, index: usize) -> Option<CalleeId> {
    match *network.callee(callee) {
        Callee::Nonterminal { start, .. } => network.node(start).calls.get(index).map(|&(callee, _)| callee),
        Callee::Unordered { ref items, .. } => items.get(index).copied(),
        Callee::Counter { element, .. } => (index == 0).then_some(element),
        Callee::Lexeme { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use grammask_regular::ByteSet;

    use super::{first_callee, of_callee, scanned_at_start};
    use crate::testing::recognizer;
    use crate::{CalleeId, Config, Error, Recognizer};

    /// The FIRST set by plain reachability.
    fn by_reachability(recognizer: &Recognizer, callee: CalleeId) -> ByteSet {
        let mut reached = vec![callee];
        let mut next = 0;
        let mut bytes = ByteSet::EMPTY;
        while let Some(&callee) = reached.get(next) {
            next += 1;
            let scanned =
                recognizer.lock().with(|stages, cx| scanned_at_start(&mut stages.nodes, cx, callee));
            bytes = bytes.union(&scanned.unwrap());
            let firsts = (0..).map_while(|index| first_callee(recognizer.network(), callee, index));
            for callee in firsts {
                if !reached.contains(&callee) {
                    reached.push(callee);
                }
            }
        }
        bytes
    }

    fn first_set(recognizer: &Recognizer, callee: CalleeId) -> Result<ByteSet, Error> {
        recognizer.lock().with(|stages, cx| of_callee(&mut stages.nodes, cx, callee))
    }

    #[test]
    fn first_sets_of_cycles_do_not_depend_on_the_order_of_queries() {
        let text = "start ::= '.' (a | b | c); a ::= b 'x' | 'p'; b ::= c 'y' | 'q'; c ::= a 'z' | d 'r' | #'[st]+'; \
                    d ::= e{2,3} | 'u'; e ::= d 'v' | 'w';";
        let count = recognizer(text).network().callees.len() as u32;
        assert!(count > 5);
        for first in 0..count {
            let recognizer = recognizer(text);
            for callee in (first..count).chain(0..first).map(CalleeId) {
                let bytes = first_set(&recognizer, callee).unwrap();
                assert_eq!(bytes, by_reachability(&recognizer, callee), "{callee:?}, asked after {first}");
            }
        }
    }

    #[test]
    fn first_sets_take_time_linear_in_the_grammar() {
        let work = |levels: usize| {
            let rules = (0..levels).map(|level| {
                let next = level + 1;
                format!("a{level} ::= a{next} | a{next} '+{level};' a{next} | '<{level}>' a{level};")
            });
            let ends = format!("a{levels} ::= 'v' | '(' start ')'; start ::= a0;");
            let recognizer = recognizer(&rules.chain([ends]).collect::<String>());
            assert!(recognizer.step(recognizer.initial(), b'v').unwrap().completes());
            recognizer.lock().meter().work()
        };
        let (few, many) = (work(200), work(800));
        assert!(many < 5 * few, "{few}, then {many}");
    }

    #[test]
    fn exceeded_limits_are_remembered_until_limits_change() {
        let mut recognizer = recognizer(
            "start ::= a | '.' start '.'; a ::= b 'x'; b ::= (#'(a|b)*a(a|b){9}' & ~#'(a|b)*b(a|b){8}' & #'.{15,30}') 'y';",
        );
        let mut strict = grammask_regular::Limits::default();
        (strict.emptiness_steps, strict.memory) = (0, 1);
        recognizer.lock().set_limits(&strict);
        let callees = (0..recognizer.network().callees.len() as u32).map(CalleeId);
        let failed: Vec<_> = callees.filter(|&callee| first_set(&recognizer, callee).is_err()).collect();
        assert!(failed.len() > 1, "{failed:?}");
        let guard = recognizer.lock();
        assert!(failed.iter().all(|callee| guard.stages().nodes.failed_first_sets.contains_key(callee)));
        drop(guard);
        // Bytes that do not need these callees still work.
        let dot = recognizer.step(recognizer.initial(), b'.').unwrap();
        assert!(dot.goes_on() && recognizer.step(dot, b'a').unwrap().goes_on());
        // New limits, as after loading, discard the remembered errors.
        recognizer.set_limits(&Config::default(), &Default::default());
        assert!(failed.iter().all(|&callee| first_set(&recognizer, callee).is_ok()));
    }
}
