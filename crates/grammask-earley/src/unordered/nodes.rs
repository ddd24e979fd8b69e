//! The nodes of items in any order, made while running: one for each register and phase, and what each calls.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{Kind, MadeNode, Phase, Standing};
use crate::step::Workshop;
use crate::unordered::distinct::Texts;
use crate::unordered::plan::{Choice, Chosen, Plan, Register, Tally};
use crate::{Callee, CalleeId, Error, NetworkNodeId};

/// Plans, and what has been chosen so far, each once.
#[derive(Default)]
pub(crate) struct Choosing {
    plans: FxHashMap<CalleeId, Arc<Plan>>,
    entries: Vec<Entry>,
    /// By the hash of a callee, of the hash of a register and of a tally the last entry that has them: a register may be long, and stands only in its
    /// entry.
    by_hash: FxHashMap<u64, u32>,
    pub(crate) texts: Texts,
}

struct Entry {
    callee: CalleeId,
    register: Kept,
    tally: Tally,
    hash: u64,
    /// The node before an item, and that behind one.
    nodes: [Option<NetworkNodeId>; 2],
    /// The one before with the same hash.
    before: Option<u32>,
}

/// How a register is kept. At a place as many items may come as a register has bits: of what is never gone on from, only the difference is kept,
/// else each place would take space quadratic in the items.
enum Kept {
    Whole(Register),
    /// That of another entry, which is kept whole, and one more item.
    After(u32, Choice),
}

impl Kept {
    fn bytes_used(&self) -> usize {
        match self {
            Self::Whole(register) => size_of_val(&register[..]),
            Self::After(..) => 0,
        }
    }
}

impl Choosing {
    /// What has been chosen by its number.
    pub(crate) fn chosen(&self, number: u32) -> Chosen {
        let entry = &self.entries[number as usize];
        self.kept(entry.callee, &entry.register, entry.tally)
    }

    /// From now on this is kept whole. Says how many bytes more it takes.
    fn make_whole(&mut self, number: u32) -> usize {
        if let Kept::Whole(_) = self.entries[number as usize].register {
            return 0;
        }
        let register = Kept::Whole(self.chosen(number).register);
        let bytes = register.bytes_used();
        self.entries[number as usize].register = register;
        bytes
    }

    /// Whether two registers of a callee are the same.
    fn is_same(&self, (callee, tally): (CalleeId, Tally), one: &Kept, other: &Kept) -> bool {
        match (one, other) {
            (Kept::Whole(one), Kept::Whole(other)) => one == other,
            (Kept::After(one, choice), Kept::After(other, same))
                if (one, choice.item) == (other, same.item) =>
            {
                true
            }
            _ => self.kept(callee, one, tally).register == self.kept(callee, other, tally).register,
        }
    }

    /// A register of a callee written out, with its tally.
    fn kept(&self, callee: CalleeId, register: &Kept, tally: Tally) -> Chosen {
        match register {
            Kept::Whole(register) => Chosen { register: register.clone(), tally },
            Kept::After(number, choice) => self.plans[&callee].after(&self.chosen(*number), choice),
        }
    }

    /// The number of what has been chosen, and whether it is new.
    fn number(&mut self, callee: CalleeId, register: Kept, tally: Tally, hash: u64) -> (u32, bool) {
        // An item without end leaves the register, and its hash, as it is: only the tally counts it.
        let key = FxBuildHasher.hash_one((callee, hash, tally));
        let last = self.by_hash.get(&key).copied();
        let mut next = last;
        while let Some(number) = next {
            let entry = &self.entries[number as usize];
            if (entry.callee, entry.hash, entry.tally) == (callee, hash, tally)
                && self.is_same((callee, tally), &entry.register, &register)
            {
                return (number, false);
            }
            next = entry.before;
        }
        let number = self.entries.len() as u32;
        self.by_hash.insert(key, number);
        self.entries.push(Entry { callee, register, tally, hash, nodes: [None; 2], before: last });
        (number, true)
    }
}

impl Workshop {
    /// What does not change while items of a callee are chosen.
    ///
    /// # Panics
    /// When the callee is no `unordered!`.
    pub(crate) fn plan(&mut self, tables: &Recognizer, callee: CalleeId) -> Arc<Plan> {
        let plan = self.choosing.plans.entry(callee).or_insert_with(|| {
            let Callee::Unordered { unordered, .. } = tables.network().callee(callee) else {
                unreachable!("only items in any order have a plan")
            };
            let plan = Plan::new(unordered).expect("a network has plans that can be made");
            tables.spend(plan.cost() * size_of::<u64>() * 4);
            Arc::new(plan)
        });
        Arc::clone(plan)
    }

    /// Where items in any order begin.
    pub(crate) fn unordered_start(&mut self, tables: &Recognizer, callee: CalleeId) -> NetworkNodeId {
        let plan = self.plan(tables, callee);
        self.unordered_node(tables, (callee, &plan), plan.empty(), Phase::Item)
    }

    /// The node at which this has been chosen of a callee with this plan.
    pub(crate) fn unordered_node(
        &mut self,
        tables: &Recognizer,
        (callee, plan): (CalleeId, &Plan),
        chosen: Chosen,
        phase: Phase,
    ) -> NetworkNodeId {
        let hash = plan.hash(&chosen);
        let register = Kept::Whole(chosen.register);
        let number = self.entry_of(tables, callee, register, chosen.tally, hash);
        self.node_of(tables, plan, number, phase)
    }

    /// The node at which the same has been chosen as at one of another workshop for the same network.
    pub(crate) fn import_unordered(
        &mut self,
        tables: &Recognizer,
        from: &Self,
        standing: &Standing,
    ) -> NetworkNodeId {
        let plan = self.plan(tables, standing.callee);
        if plan.has_distinct() {
            // The numbers of texts differ, and with them the hash.
            let mut chosen = from.choosing.chosen(standing.number);
            let seen = self.choosing.texts.import(&from.choosing.texts, plan.seen(&chosen));
            plan.set_seen(&mut chosen, seen);
            return self.unordered_node(tables, (standing.callee, &plan), chosen, standing.phase);
        }
        let number = self.import_chosen(tables, &from.choosing, standing.number);
        self.node_of(tables, &plan, number, standing.phase)
    }

    /// The number here of what has been chosen there. A difference stays one: there may be as many as a register has bits.
    fn import_chosen(&mut self, tables: &Recognizer, from: &Choosing, number: u32) -> u32 {
        let Entry { callee, ref register, tally, hash, .. } = from.entries[number as usize];
        let register = match register {
            Kept::Whole(register) => Kept::Whole(register.clone()),
            // What it is after is kept whole.
            &Kept::After(before, choice) => {
                let before = self.import_chosen(tables, from, before);
                tables.spend(self.choosing.make_whole(before));
                Kept::After(before, choice)
            }
        };
        self.entry_of(tables, callee, register, tally, hash)
    }

    /// The number of what has been chosen.
    fn entry_of(
        &mut self,
        tables: &Recognizer,
        callee: CalleeId,
        register: Kept,
        tally: Tally,
        hash: u64,
    ) -> u32 {
        let bytes = 2 * size_of::<Entry>() + register.bytes_used();
        let (number, is_new) = self.choosing.number(callee, register, tally, hash);
        if is_new {
            tables.spend(bytes);
        }
        number
    }

    /// The node at which this has been chosen.
    fn node_of(&mut self, tables: &Recognizer, plan: &Plan, number: u32, phase: Phase) -> NetworkNodeId {
        let place = usize::from(phase == Phase::Behind);
        let Entry { callee, tally, ref nodes, .. } = self.choosing.entries[number as usize];
        if let Some(node) = nodes[place] {
            return node;
        }
        let (is_final, goes_on) = match phase {
            Phase::Item => (false, true),
            Phase::Behind => (plan.is_final(&tally), plan.goes_on(&tally, || self.choosing.chosen(number))),
        };
        let node = if goes_on {
            tables.spend(size_of::<MadeNode>());
            let begins = phase == Phase::Item || !plan.has_separator;
            let reads = begins && plan.has_distinct();
            let standing = Standing::new(callee, number, phase, reads);
            tables.made().push((is_final, goes_on), Kind::Unordered(standing), None)
        } else {
            NetworkNodeId::END
        };
        self.choosing.entries[number as usize].nodes[place] = Some(node);
        node
    }

    /// The items that may come next at a place. Found once for each.
    pub(crate) fn items<'a>(&mut self, tables: &Recognizer, standing: &'a Standing) -> &'a [Choice] {
        standing.items.get_or_init(|| {
            let plan = self.plan(tables, standing.callee);
            self.work += plan.cost();
            let items = plan.choices(&self.choosing.chosen(standing.number));
            tables.spend(size_of_val(&items[..]));
            items.into()
        })
    }

    /// What is called at a place, and where to go on. Found once for each.
    pub(crate) fn selection_calls<'a>(
        &mut self,
        tables: &Recognizer,
        standing: &'a Standing,
    ) -> Result<&'a [(CalleeId, NetworkNodeId)], Error> {
        if let Some(known) = standing.calls.get() {
            return Ok(known);
        }
        let calls = self.selection_calls_anew(tables, standing)?;
        tables.spend(size_of_val(&calls[..]));
        Ok(standing.calls.get_or_init(|| calls))
    }

    fn selection_calls_anew(
        &mut self,
        tables: &Recognizer,
        standing: &Standing,
    ) -> Result<Box<[(CalleeId, NetworkNodeId)]>, Error> {
        let callee = standing.callee;
        let Callee::Unordered { items, separator, .. } = tables.network().callee(callee) else {
            unreachable!("only items in any order have places among them")
        };
        let plan = self.plan(tables, callee);
        if let (&Some(separator), Phase::Behind) = (separator, standing.phase) {
            return Ok([(separator, self.node_of(tables, &plan, standing.number, Phase::Item))].into());
        }
        tables.spend(self.choosing.make_whole(standing.number));
        let chosen = self.choosing.chosen(standing.number);
        let hash = self.choosing.entries[standing.number as usize].hash;
        let choices = self.items(tables, standing).iter();
        let calls = choices.filter(|choice| !plan.is_distinct(choice)).map(|choice| {
            self.go_on()?;
            let register = Kept::After(standing.number, *choice);
            let tally = plan.tally_after(&chosen.tally, choice);
            let hash = plan.hash_after(hash, &chosen, choice);
            let number = self.entry_of(tables, callee, register, tally, hash);
            Ok((items[choice.item()], self.node_of(tables, &plan, number, Phase::Behind)))
        });
        calls.collect()
    }

    /// How often which items have been chosen, as far as it matters.
    pub(crate) fn chosen_text(&mut self, tables: &Recognizer, callee: CalleeId, number: u32) -> String {
        let plan = self.plan(tables, callee);
        let register = self.choosing.chosen(number).register;
        let counts = plan.counts(&register).into_iter().map(|(item, count)| match count {
            _ if plan.distinct_item() == Some(item) => {
                format!("{item}: {}", self.choosing.texts.list(count).join(" "))
            }
            1 => item.to_string(),
            count => format!("{item}*{count}"),
        });
        let counts: Vec<String> = counts.collect();
        format!("{}: [{}]", register[0], counts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recognizer;

    /// By how many bytes a recognizer grows when a first of so many items has come, each with a name of its own; and another one into which the state
    /// behind it is imported.
    fn bytes_with_items(count: usize) -> [usize; 2] {
        let items: Vec<_> = (0..count).map(|item| format!("'<{item}>'?")).collect();
        let some = recognizer(&format!("start ::= unordered!({}; ','; {{0,}}) '.';", items.join(", ")));
        let before = some.bytes_used();
        let state = b"<1>,<".iter().try_fold(some.initial(), |state, &byte| some.step(state, byte)).unwrap();
        assert!(!state.is_dead());
        let other = Recognizer::new(Arc::new(some.network().clone()), some.config());
        assert!(!other.import(&some, state).unwrap().is_dead());
        [some.bytes_used() - before, other.bytes_used()]
    }

    #[test]
    fn a_place_takes_space_linear_in_the_items() {
        let (some, twice) = (bytes_with_items(4_000), bytes_with_items(8_000));
        for (some, twice) in some.into_iter().zip(twice) {
            assert!(twice < some * 5 / 2, "{some} and {twice} bytes");
        }
    }

    #[test]
    fn what_differs_in_its_count_alone_is_not_looked_through() {
        let recognizer = recognizer("start ::= unordered!('a', 'b'?, '('*; ; {1,5000});");
        let mut state = recognizer.initial();
        for _ in 0..2_000 {
            state = recognizer.step(state, b'(').unwrap();
        }
        assert!(!state.is_dead());
        let workshop = recognizer.lock();
        let (entries, keys) = (workshop.choosing.entries.len(), workshop.choosing.by_hash.len());
        assert!(entries > 2_000 && keys + 10 > entries, "{keys} keys of {entries} entries");
    }

    #[test]
    fn what_is_kept_as_a_difference_is_what_it_stands_for() {
        let recognizer = recognizer(
            "start ::= unordered!('a'?, 'b'{2,3}, 'c'*, 'd'{1,}, 'e'?, 'f'?, 'g'{0,2}; ; {1,9}; 0 -> 2, 4 -> 5) '.';",
        );
        let mut state = recognizer.initial();
        for &byte in b"gdacbfe" {
            recognizer.scanners(state).unwrap();
            state = recognizer.step(state, byte).unwrap();
        }
        assert!(!state.is_dead());
        let mut workshop = recognizer.lock();
        let callee = workshop.choosing.entries[0].callee;
        let plan = workshop.plan(&recognizer, callee);
        let choosing = &workshop.choosing;
        let differences = choosing.entries.iter().filter(|entry| matches!(entry.register, Kept::After(..)));
        assert!(differences.count() > 5);
        for (number, entry) in (0..).zip(&choosing.entries) {
            let chosen = choosing.chosen(number);
            let anew = plan.chosen(chosen.register.clone());
            assert!(anew.tally == entry.tally && plan.hash(&anew) == entry.hash, "{:?}", chosen.register);
            let same = choosing
                .entries
                .iter()
                .zip(0..)
                .filter(|&(_, other)| choosing.chosen(other).register == anew.register);
            assert_eq!(same.count(), 1, "{:?} stands there twice", chosen.register);
        }
    }
}
