//! Left recursion: where a rule ends, a longer text of the same rule may go on.
//!
//! In `calls: | calls call`, a call may begin where `calls` ends, whatever follows `calls` elsewhere.

use super::analysis::{Analysis, SetId};
use crate::node::{Instance, Node, NodeKind};

/// A rule that begins with another one, and the lazy lexemes that may begin after that one.
struct Corner {
    callee: usize,
    after: SetId,
}

/// Returns, for each rule, the lazy lexemes that may begin after it because it is left-recursive.
pub(super) fn growth(analysis: &mut Analysis, nodes: &[Node], instances: &[Instance]) -> Vec<SetId> {
    let corners: Vec<Vec<Corner>> =
        instances.iter().map(|instance| corners_of(analysis, nodes, instance)).collect();
    let components = components(&corners);
    let count = components.iter().map(|component| component + 1).max().unwrap_or(0);
    let mut sets = vec![SetId::NONE; count];
    for (caller, corners) in corners.iter().enumerate() {
        for corner in corners {
            let component = components[caller];
            if component == components[corner.callee] {
                sets[component] = analysis.sets.union(sets[component], corner.after);
            }
        }
    }
    components.into_iter().map(|component| sets[component]).collect()
}

/// Returns the rules that a rule may begin with.
fn corners_of(analysis: &mut Analysis, nodes: &[Node], instance: &Instance) -> Vec<Corner> {
    let mut corners = Vec::new();
    let mut rest: Vec<_> = instance.node.iter().map(|&node| (node, SetId::NONE)).collect();
    while let Some((id, after)) = rest.pop() {
        match &nodes[id.index()].kind {
            NodeKind::Call(callee) => corners.push(Corner { callee: callee.index(), after }),
            NodeKind::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let next = analysis.first_of(&parts[at + 1..], after);
                    rest.push((*part, next));
                    if !analysis.nullable[part.index()] {
                        break;
                    }
                }
            }
            kind => {
                for &part in kind.children() {
                    let own = analysis.first[part.index()];
                    let next = if matches!(kind, NodeKind::Alternatives(_)) {
                        after
                    } else {
                        analysis.sets.union(after, own)
                    };
                    rest.push((part, next));
                }
            }
        }
    }
    corners
}

/// Returns the strongly connected component of each rule, in the graph of rules that begin with others.
///
/// # Source
/// S. R. Kosaraju, 1978, as in M. Sharir, "A strong-connectivity algorithm and its applications in data flow
/// analysis", Computers & Mathematics with Applications 7 (1981).
fn components(corners: &[Vec<Corner>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(corners.len());
    let mut is_seen = vec![false; corners.len()];
    for root in 0..corners.len() {
        if std::mem::replace(&mut is_seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((rule, next)) = stack.last_mut() {
            match corners[*rule].get(*next) {
                Some(corner) => {
                    *next += 1;
                    if !std::mem::replace(&mut is_seen[corner.callee], true) {
                        stack.push((corner.callee, 0));
                    }
                }
                None => {
                    order.push(*rule);
                    stack.pop();
                }
            }
        }
    }
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); corners.len()];
    for (caller, corners) in corners.iter().enumerate() {
        for corner in corners {
            callers[corner.callee].push(caller);
        }
    }
    let mut component = vec![usize::MAX; corners.len()];
    let mut count = 0;
    for &root in order.iter().rev() {
        let mut stack = vec![root];
        let mut has_found = false;
        while let Some(rule) = stack.pop() {
            if component[rule] == usize::MAX {
                component[rule] = count;
                has_found = true;
                stack.extend(&callers[rule]);
            }
        }
        count += usize::from(has_found);
    }
    component
}
