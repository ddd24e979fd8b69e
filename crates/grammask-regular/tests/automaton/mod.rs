//! The whole automaton of a language, explored for tests.
#![allow(dead_code)] // Each test file takes what it needs.

use grammask_regular::{ByteClasses, RegularId, Store};
use std::collections::HashMap;

/// All states that can be reached, the first state first, with a row of next states for each byte class.
pub struct Automaton {
    pub states: Vec<RegularId>,
    pub classes: ByteClasses,
    /// Indices of states.
    pub rows: Vec<Vec<usize>>,
    pub accepting: Vec<bool>,
}

/// Explores a language with at most `limit` states.
pub fn explore(store: &mut Store, start: RegularId, limit: usize) -> Automaton {
    let mut classes = ByteClasses::new();
    store.refine([start], &mut classes);
    let bytes: Vec<u8> = (0..classes.len()).map(|class| classes.representative(class as u8)).collect();
    let mut index = HashMap::from([(start, 0)]);
    let mut states = vec![start];
    let mut rows = Vec::new();
    while rows.len() < states.len() {
        assert!(states.len() <= limit, "more than {limit} states");
        let state = states[rows.len()];
        let mut row = Vec::new();
        for &byte in &bytes {
            let next = store.derivative(state, byte).unwrap();
            let number = *index.entry(next).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            row.push(number);
        }
        rows.push(row);
    }
    let accepting = states.iter().map(|&state| store.is_nullable(state)).collect();
    Automaton { states, classes, rows, accepting }
}

impl Automaton {
    /// The number of states of the minimal automaton, by refining the partition of Moore, without the dead
    /// state.
    pub fn minimal_len(&self) -> usize {
        let groups: std::collections::HashSet<usize> = self.groups().into_iter().collect();
        groups.len() - usize::from(self.states.contains(&RegularId::EMPTY))
    }

    /// For each state the number of its class of equivalent states.
    pub fn groups(&self) -> Vec<usize> {
        let mut group: Vec<usize> = self.accepting.iter().map(|&a| usize::from(a)).collect();
        let mut count = 0;
        loop {
            let mut keys = HashMap::new();
            let next: Vec<usize> = (0..self.rows.len())
                .map(|state| {
                    let row: Vec<usize> = self.rows[state].iter().map(|&next| group[next]).collect();
                    let fresh = keys.len();
                    *keys.entry((group[state], row)).or_insert(fresh)
                })
                .collect();
            if keys.len() == count {
                return group;
            }
            count = keys.len();
            group = next;
        }
    }

    /// The number of states without the dead one.
    pub fn live_len(&self) -> usize {
        self.states.iter().filter(|&&state| state != RegularId::EMPTY).count()
    }

    /// For each state, whether an accepting one can be reached, itself included.
    pub fn inhabited(&self) -> Vec<bool> {
        let mut inhabited = self.accepting.clone();
        loop {
            let mut changed = false;
            for state in 0..self.rows.len() {
                if !inhabited[state] && self.rows[state].iter().any(|&next| inhabited[next]) {
                    inhabited[state] = true;
                    changed = true;
                }
            }
            if !changed {
                return inhabited;
            }
        }
    }
}
