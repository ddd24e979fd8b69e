//! Directed graphs over small numbers: adjacency in two vectors, strongly connected components without recursion.
//!
//! ```
//! use grammask_normal::graph::{Lists, components};
//!
//! let component = components(&Lists::new(3, &[(0, 1), (1, 0), (1, 2)]));
//! assert!(component[0] == component[1] && component[2] < component[0]);
//! ```

/// For each of `0..n` a list, all lists in one vector.
#[derive(Clone, Debug)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The lists of the second numbers by the first, in the order given.
    ///
    /// # Panics
    /// When a first number is not below `count`.
    ///
    /// # Complexity
    /// Linear.
    pub fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        // While the lists are filled, the place behind says where the next item of each goes, which is where the next list begins in the end.
        let mut starts = vec![0u32; count + 2];
        for &(from, _) in pairs {
            starts[from as usize + 2] += 1;
        }
        for index in 0..count {
            starts[index + 2] += starts[index + 1];
        }
        let mut items = vec![0; pairs.len()];
        for &(from, to) in pairs {
            let place = &mut starts[from as usize + 1];
            items[*place as usize] = to;
            *place += 1;
        }
        starts.truncate(count + 1);
        Self { starts, items }
    }

    /// The list of a number.
    ///
    /// # Panics
    /// When there is no such list.
    pub fn of(&self, index: usize) -> &[u32] {
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// How many lists there are.
    pub const fn count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// The strongly connected component of every node, numbered so that what a component leads to has a smaller number or is itself.
///
/// # Panics
/// When a list holds a number that has none itself.
///
/// # Complexity
/// Linear.
///
/// # Source
/// R. Tarjan, "Depth-first search and linear graph algorithms", 1972, with the stack of the search on the heap.
pub fn components(graph: &Lists) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.count();
    let mut component = vec![UNSEEN; count];
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut seen = 0;
    let mut components = 0;
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        path.push((root as u32, 0));
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            let at = node as usize;
            if *edge == 0 {
                order[at] = seen;
                low[at] = seen;
                seen += 1;
                open.push(node);
            }
            let successors = graph.of(at);
            if let Some(&next) = successors.get(*edge as usize) {
                *edge += 1;
                if order[next as usize] == UNSEEN {
                    path.push((next, 0));
                } else if component[next as usize] == UNSEEN {
                    low[at] = low[at].min(order[next as usize]);
                }
                continue;
            }
            path.pop();
            if low[at] == order[at] {
                while let Some(member) = open.pop() {
                    component[member as usize] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::{Lists, components};

    #[test]
    fn components_come_after_what_they_lead_to() {
        let graph = Lists::new(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4), (4, 0), (0, 3)]);
        let component = components(&graph);
        assert_eq!(component[1], component[2]);
        assert!(component[3] < component[1] && component[1] < component[0] && component[0] < component[4]);
        assert!(component[5] != component[4]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let edges: Vec<(u32, u32)> = (0..300_000).map(|node| (node, (node + 1) % 300_000)).collect();
        let component = components(&Lists::new(300_000, &edges));
        assert!(component.iter().all(|&number| number == 0));
    }
}
