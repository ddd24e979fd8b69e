//! The bytes with which callees begin: asked before something is predicted, so that a step by one byte predicts what takes it.

use grammask_regular::ByteSet;
use rustc_hash::FxHashMap;

use crate::recognizer::Recognizer;
use crate::step::Workshop;
use crate::{Callee, CalleeId, Error, Network};

/// A callee whose bytes are being found.
struct Open {
    callee: CalleeId,
    /// Which of the callees it begins with comes next.
    next: usize,
    /// In which order it was come upon, and the first open callee that is known to be reached from it.
    number: usize,
    first: usize,
    takes: ByteSet,
}

impl Workshop {
    /// The bytes with which a callee begins. As nothing is nullable, these are the bytes that are scanned where some callee begins
    /// that is called at once.
    ///
    /// # Errors
    /// When a limit is exceeded, by this callee or by one that it begins with: what has exceeded one is not tried again. When it is cancelled.
    ///
    /// # Complexity
    /// O(1) when asked before; else linear in the rules that may begin here and have not been asked for: callees that begin with each
    /// other take the same bytes, and are found together.
    ///
    /// # Source
    /// R. Tarjan, "Depth-first search and linear graph algorithms", 1972; here with an explicit stack.
    pub(crate) fn taken_by(&mut self, tables: &Recognizer, callee: CalleeId) -> Result<ByteSet, Error> {
        if let Some(takes) = tables.callee_info(callee).first_bytes.get() {
            return Ok(*takes);
        }
        let mut unfinished = Vec::new();
        let found = self.search(tables, callee, &mut unfinished);
        if let Err(error) = &found
            && *error != Error::Cancelled
        {
            // All of them lead to the one that has exceeded the limit.
            for callee in unfinished {
                self.unclear.insert(callee, error.clone());
            }
        }
        found
    }

    /// `unfinished` holds those that are open or have been left, but whose component is not complete.
    fn search(
        &mut self,
        tables: &Recognizer,
        root: CalleeId,
        unfinished: &mut Vec<CalleeId>,
    ) -> Result<ByteSet, Error> {
        let network = tables.network();
        let mut numbers = FxHashMap::default();
        let mut path: Vec<Open> = Vec::new();
        let mut entering = Some(root);
        loop {
            if let Some(callee) = entering.take() {
                self.work += 1;
                self.go_on()?;
                let number = numbers.len();
                numbers.insert(callee, number);
                unfinished.push(callee);
                path.push(Open { callee, next: 0, number, first: number, takes: ByteSet::EMPTY });
                let takes = self.scanned_first(tables, callee)?;
                path.last_mut().expect("it was pushed").takes = takes;
            }
            let open = path.last_mut().expect("the root is open");
            if let Some(callee) = begins_with(network, open.callee, open.next) {
                open.next += 1;
                if let Some(known) = tables.callee_info(callee).first_bytes.get() {
                    open.takes = open.takes.union(known);
                } else if let Some(&number) = numbers.get(&callee) {
                    open.first = open.first.min(number);
                } else {
                    entering = Some(callee);
                }
                continue;
            }
            let Open { callee, number, first, takes, .. } = path.pop().expect("the root is open");
            if first == number {
                while let Some(member) = unfinished.pop() {
                    tables.callee_info(member).first_bytes.get_or_init(|| takes);
                    if member == callee {
                        break;
                    }
                }
            }
            let Some(outer) = path.last_mut() else { return Ok(takes) };
            outer.first = outer.first.min(first);
            outer.takes = outer.takes.union(&takes);
        }
    }

    /// The bytes that are scanned at once where a callee begins.
    fn scanned_first(&mut self, tables: &Recognizer, callee: CalleeId) -> Result<ByteSet, Error> {
        if let Some(error) = self.unclear.get(&callee) {
            return Err(error.clone());
        }
        match *tables.network().callee(callee) {
            Callee::Nonterminal { start, .. } => Ok(*tables.inspect().scanned_bytes(start)),
            Callee::Lexeme { language, .. } => self.live_bytes(language),
            Callee::Counter { .. } | Callee::Unordered { .. } => Ok(ByteSet::EMPTY),
        }
    }
}

/// Which callee comes at this place among those with which a callee begins.
fn begins_with(network: &Network, callee: CalleeId, place: usize) -> Option<CalleeId> {
    match *network.callee(callee) {
        Callee::Nonterminal { start, .. } => network.node(start).calls.get(place).map(|&(callee, _)| callee),
        Callee::Unordered { ref items, .. } => items.get(place).copied(),
        Callee::Counter { element, .. } => (place == 0).then_some(element),
        Callee::Lexeme { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use grammask_regular::ByteSet;

    use super::begins_with;
    use crate::testing::recognizer;
    use crate::{CalleeId, Config, Recognizer};

    /// The same by looking at all callees that can be reached.
    fn reached(recognizer: &Recognizer, callee: CalleeId) -> ByteSet {
        let mut reached = vec![callee];
        let mut next = 0;
        let mut takes = ByteSet::EMPTY;
        while let Some(&callee) = reached.get(next) {
            next += 1;
            takes = takes.union(&recognizer.lock().scanned_first(recognizer, callee).unwrap());
            let begin = (0..).map_while(|place| begins_with(recognizer.network(), callee, place));
            for callee in begin {
                if !reached.contains(&callee) {
                    reached.push(callee);
                }
            }
        }
        takes
    }

    #[test]
    fn callees_in_circles_take_the_same_in_whatever_order_they_are_asked() {
        let text = "start ::= '.' (a | b | c); a ::= b 'x' | 'p'; b ::= c 'y' | 'q'; c ::= a 'z' | d 'r' | #'[st]+'; \
                    d ::= e{2,3} | 'u'; e ::= d 'v' | 'w';";
        let count = recognizer(text).network().callees.len() as u32;
        assert!(count > 5);
        for first in 0..count {
            let recognizer = recognizer(text);
            for callee in (first..count).chain(0..first).map(CalleeId) {
                let takes = recognizer.lock().taken_by(&recognizer, callee).unwrap();
                assert_eq!(takes, reached(&recognizer, callee), "{callee:?}, asked after {first}");
            }
        }
    }

    #[test]
    fn finding_them_is_linear_in_the_grammar() {
        let work = |levels: usize| {
            let rules = (0..levels).map(|level| {
                let next = level + 1;
                format!("a{level} ::= a{next} | a{next} '+{level};' a{next} | '<{level}>' a{level};")
            });
            let ends = format!("a{levels} ::= 'v' | '(' start ')'; start ::= a0;");
            let recognizer = recognizer(&rules.chain([ends]).collect::<String>());
            assert!(recognizer.step(recognizer.initial(), b'v').unwrap().completes());
            recognizer.lock().work
        };
        let (few, many) = (work(200), work(800));
        assert!(many < 5 * few, "{few}, then {many}");
    }

    #[test]
    fn what_exceeds_a_limit_is_tried_once() {
        let mut recognizer = recognizer(
            "start ::= a | '.' start '.'; a ::= b 'x'; b ::= (#'(a|b)*a(a|b){9}' & ~#'(a|b)*b(a|b){8}' & #'.{15,30}') 'y';",
        );
        let mut workshop = recognizer.lock();
        let mut strict = grammask_regular::Limits::default();
        (strict.emptiness_steps, strict.memory) = (0, 1);
        workshop.set_limits(&strict);
        let callees = (0..recognizer.network().callees.len() as u32).map(CalleeId);
        let failed = callees.filter(|&callee| workshop.taken_by(&recognizer, callee).is_err());
        let failed: Vec<_> = failed.collect();
        assert!(failed.len() > 1, "{failed:?}");
        assert!(failed.iter().all(|callee| workshop.unclear.contains_key(callee)));
        drop(workshop);
        // Nor is it in the way of what needs it not.
        let dot = recognizer.step(recognizer.initial(), b'.').unwrap();
        assert!(dot.goes_on() && recognizer.step(dot, b'a').unwrap().goes_on());
        // Other limits, as after loading, are another question.
        recognizer.set_limits(&Config::default(), &Default::default());
        assert!(failed.iter().all(|&callee| recognizer.lock().taken_by(&recognizer, callee).is_ok()));
    }
}
