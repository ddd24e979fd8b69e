//! The nodes of items in any order, made while running: one for each register and phase, and what each calls.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::made::{Kind, MadeNode, Phase};
use crate::recognizer::Recognizer;
use crate::selection::{Chosen, Plan};
use crate::workshop::Workshop;
use crate::{Callee, CalleeId, NodeId};

/// Plans, and what has been chosen so far, each once.
#[derive(Default)]
pub(crate) struct Choosing {
    plans: FxHashMap<CalleeId, Arc<Plan>>,
    numbers: FxHashMap<(CalleeId, Arc<[u32]>), u32>,
    entries: Vec<Entry>,
}

struct Entry {
    chosen: Chosen,
    /// The node before an item, and that behind one.
    nodes: [Option<NodeId>; 2],
}

impl Choosing {
    /// What has been chosen by its number.
    pub(crate) fn chosen(&self, number: u32) -> &Chosen {
        &self.entries[number as usize].chosen
    }

    /// The number of what has been chosen, and whether it is new.
    fn number(&mut self, callee: CalleeId, chosen: Chosen) -> (u32, bool) {
        let next = self.entries.len() as u32;
        let number = *self.numbers.entry((callee, Arc::clone(&chosen.register))).or_insert(next);
        if number == next {
            self.entries.push(Entry { chosen, nodes: [None; 2] });
        }
        (number, number == next)
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
        self.unordered_node(tables, callee, plan.empty(), Phase::Item)
    }

    /// The node at which this has been chosen.
    pub(crate) fn unordered_node(
        &mut self,
        tables: &Recognizer,
        callee: CalleeId,
        chosen: Chosen,
        phase: Phase,
    ) -> NodeId {
        let (number, is_new) = self.choosing.number(callee, chosen);
        let place = usize::from(phase == Phase::Behind);
        let entry = &self.choosing.entries[number as usize];
        if let Some(node) = entry.nodes[place] {
            return node;
        }
        if is_new {
            tables.spend(size_of_val(&entry.chosen.register[..]) + 2 * size_of::<Entry>());
        }
        let plan = self.plan(tables, callee);
        let chosen = &self.choosing.entries[number as usize].chosen;
        let (is_final, goes_on) = match phase {
            Phase::Item => (false, true),
            Phase::Behind => (plan.is_final(chosen), plan.goes_on(chosen)),
        };
        let node = if goes_on {
            tables.spend(size_of::<MadeNode>());
            tables.made().push((is_final, goes_on), Kind::Unordered(callee, number, phase), None)
        } else {
            NodeId::END
        };
        self.choosing.entries[number as usize].nodes[place] = Some(node);
        node
    }

    /// What a node of items in any order calls, and where to go on. Found once for a node.
    pub(crate) fn choices<'a>(
        &mut self,
        tables: &Recognizer,
        made: &'a MadeNode,
        (callee, number, phase): (CalleeId, u32, Phase),
    ) -> &'a [(CalleeId, NodeId)] {
        if let Some(known) = made.choices.get() {
            return known;
        }
        let mut calls = Vec::new();
        self.unordered_calls(tables, callee, number, phase, &mut calls);
        tables.spend(size_of_val(&calls[..]));
        made.choices.get_or_init(|| calls.into())
    }

    fn unordered_calls(
        &mut self,
        tables: &Recognizer,
        callee: CalleeId,
        number: u32,
        phase: Phase,
        calls: &mut Vec<(CalleeId, NodeId)>,
    ) {
        let Callee::Unordered { items, separator, .. } = tables.network().callee(callee) else { return };
        let chosen = self.choosing.chosen(number).clone();
        if let (Some(separator), Phase::Behind) = (separator, phase) {
            calls.push((*separator, self.unordered_node(tables, callee, chosen, Phase::Item)));
            return;
        }
        let plan = self.plan(tables, callee);
        self.work += plan.cost();
        for choice in plan.choices(&chosen) {
            let back = self.unordered_node(tables, callee, plan.after(&chosen, &choice), Phase::Behind);
            calls.push((items[choice.item], back));
        }
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
