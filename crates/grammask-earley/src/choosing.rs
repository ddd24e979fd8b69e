//! The nodes of items in any order, made while running: one for each register and phase, and what each calls.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::made::{Kind, MadeNode, Phase, Standing};
use crate::recognizer::Recognizer;
use crate::selection::{Choice, Chosen, Plan};
use crate::workshop::Workshop;
use crate::{Callee, CalleeId, NodeId};

/// Plans, and what has been chosen so far, each once.
#[derive(Default)]
pub(crate) struct Choosing {
    plans: FxHashMap<CalleeId, Arc<Plan>>,
    entries: Vec<Entry>,
    /// By the hash of a callee and a register the last entry that has it: a register may be long, and stands only in its entry.
    by_hash: FxHashMap<u64, u32>,
}

struct Entry {
    callee: CalleeId,
    chosen: Chosen,
    /// The node before an item, and that behind one.
    nodes: [Option<NodeId>; 2],
    /// The one before with the same hash.
    before: Option<u32>,
}

impl Choosing {
    /// What has been chosen by its number.
    pub(crate) fn chosen(&self, number: u32) -> &Chosen {
        &self.entries[number as usize].chosen
    }

    /// The number of what has been chosen, and whether it is new.
    fn number(&mut self, callee: CalleeId, chosen: Chosen) -> (u32, bool) {
        let last = self.by_hash.entry(FxBuildHasher.hash_one((callee, &chosen.register)));
        let before = match &last {
            Occupied(last) => Some(*last.get()),
            Vacant(_) => None,
        };
        let mut next = before;
        while let Some(number) = next {
            let entry = &self.entries[number as usize];
            if entry.callee == callee && entry.chosen.register == chosen.register {
                return (number, false);
            }
            next = entry.before;
        }
        let number = self.entries.len() as u32;
        last.insert_entry(number);
        self.entries.push(Entry { callee, chosen, nodes: [None; 2], before });
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
    pub(crate) fn unordered_start(&mut self, tables: &Recognizer, callee: CalleeId) -> NodeId {
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
    ) -> NodeId {
        let (number, is_new) = self.choosing.number(callee, chosen);
        let place = usize::from(phase == Phase::Behind);
        let entry = &mut self.choosing.entries[number as usize];
        if let Some(node) = entry.nodes[place] {
            return node;
        }
        if is_new {
            tables.spend(2 * size_of::<Entry>() + size_of_val(&entry.chosen.register[..]));
        }
        let (is_final, goes_on) = match phase {
            Phase::Item => (false, true),
            Phase::Behind => (plan.is_final(&entry.chosen), plan.goes_on(&entry.chosen)),
        };
        let node = if goes_on {
            tables.spend(size_of::<MadeNode>());
            let standing = Standing::new(callee, number, phase);
            tables.made().push((is_final, goes_on), Kind::Unordered(standing), None)
        } else {
            NodeId::END
        };
        entry.nodes[place] = Some(node);
        node
    }

    /// The items that may come next at a place. Found once for each.
    pub(crate) fn items<'a>(&mut self, tables: &Recognizer, standing: &'a Standing) -> &'a [Choice] {
        standing.items.get_or_init(|| {
            let plan = self.plan(tables, standing.callee);
            self.work += plan.cost();
            let items = plan.choices(self.choosing.chosen(standing.number));
            tables.spend(size_of_val(&items[..]));
            items.into()
        })
    }

    /// What is called at a place, and where to go on. Found once for each.
    pub(crate) fn selection_calls<'a>(
        &mut self,
        tables: &Recognizer,
        standing: &'a Standing,
    ) -> &'a [(CalleeId, NodeId)] {
        standing.calls.get_or_init(|| {
            let calls = self.selection_calls_anew(tables, standing);
            tables.spend(size_of_val(&calls[..]));
            calls
        })
    }

    fn selection_calls_anew(
        &mut self,
        tables: &Recognizer,
        standing: &Standing,
    ) -> Box<[(CalleeId, NodeId)]> {
        let callee = standing.callee;
        let Callee::Unordered { items, separator, .. } = tables.network().callee(callee) else {
            unreachable!("only items in any order have places among them")
        };
        let plan = self.plan(tables, callee);
        let chosen = self.choosing.chosen(standing.number).clone();
        if let (&Some(separator), Phase::Behind) = (separator, standing.phase) {
            return [(separator, self.unordered_node(tables, (callee, &plan), chosen, Phase::Item))].into();
        }
        let choices = self.items(tables, standing).iter();
        let calls = choices.map(|choice| {
            let after = plan.after(&chosen, choice);
            let back = self.unordered_node(tables, (callee, &plan), after, Phase::Behind);
            (items[choice.item()], back)
        });
        calls.collect()
    }

    /// How often which items have been chosen, as far as it matters.
    pub(crate) fn chosen_text(&mut self, tables: &Recognizer, callee: CalleeId, number: u32) -> String {
        let plan = self.plan(tables, callee);
        let register = &self.choosing.chosen(number).register;
        let counts = plan.counts(register).into_iter().map(|(item, count)| match count {
            1 => item.to_string(),
            count => format!("{item}*{count}"),
        });
        let counts: Vec<String> = counts.collect();
        format!("{}: [{}]", register[0], counts.join(" "))
    }
}
