//! Directed graphs over dense numbers: adjacency lists in two vectors, and strongly connected components.
//!
//! ```
//! use grammask_normal::graph::{Lists, components};
//!
//! let component = components(&Lists::new(3, &[(0, 1), (1, 0), (1, 2)]));
//! assert!(component[0] == component[1] && component[2] < component[0]);
//! ```

pub(crate) mod horn;

use grammask_work::narrow;

/// One list of numbers for each of `0..count`, all in one vector (compressed sparse rows).
#[derive(Clone, Debug)]
pub struct Lists {
    /// List `i` is `items[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Groups the second numbers of `pairs` by the first. Each list keeps the order of `pairs`.
    ///
    /// # Panics
    /// If a first number is not below `count`.
    ///
    /// # Complexity
    /// O(count + pairs).
    pub fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        // Counting sort. While lists are filled, `starts[i + 1]` is where the next item of list `i` goes. In
        // the end, that is where list `i + 1` begins.
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

    /// Returns the list of `index`.
    ///
    /// # Panics
    /// If `index` is not below [`count`](Self::count).
    pub fn of(&self, index: usize) -> &[u32] {
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Returns the number of lists.
    pub const fn count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Returns the number of the strongly connected component of every node, in reverse topological order: an
/// edge between two components leads to the smaller number.
///
/// # Panics
/// If an edge leads to a node that is not below `graph.count()`.
///
/// # Complexity
/// O(nodes + edges).
///
/// # Source
/// R. Tarjan, "Depth-first search and linear graph algorithms", 1972, with the stack of the search on the
/// heap.
pub fn components(graph: &Lists) -> Vec<u32> {
    const UNVISITED: u32 = u32::MAX;
    let count = graph.count();
    let mut component = vec![UNVISITED; count];
    let mut order = vec![UNVISITED; count];
    let mut low = vec![0u32; count];
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut visited = 0;
    let mut components = 0;
    for root in 0..count {
        if order[root] != UNVISITED {
            continue;
        }
        path.push((narrow(root), 0));
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            let at = node as usize;
            if *edge == 0 {
                order[at] = visited;
                low[at] = visited;
                visited += 1;
                open.push(node);
            }
            let successors = graph.of(at);
            if let Some(&next) = successors.get(*edge as usize) {
                *edge += 1;
                if order[next as usize] == UNVISITED {
                    path.push((next, 0));
                } else if component[next as usize] == UNVISITED {
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
    fn components_are_in_reverse_topological_order() {
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
