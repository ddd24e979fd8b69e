//! Copies of expressions.

use grammask_syntax::ExprId;

use super::Builder;

impl Builder {
    /// Returns a copy of an expression with everything below it.
    ///
    /// # Complexity
    /// Linear in the copied expressions.
    pub fn copy(&mut self, id: ExprId) -> ExprId {
        let mut done: Vec<ExprId> = Vec::new();
        let mut tasks = vec![(id, false)];
        while let Some((id, is_ready)) = tasks.pop() {
            let children = self.kind(id).children().to_vec();
            if !is_ready && !children.is_empty() {
                tasks.push((id, true));
                tasks.extend(children.iter().rev().map(|&child| (child, false)));
                continue;
            }
            let mut kind = self.kind(id).clone();
            let copies = done.split_off(done.len() - children.len());
            for (child, copy) in kind.children_mut().iter_mut().zip(copies) {
                *child = copy;
            }
            let span = self.span(id);
            let copy = self.push(kind, span);
            if self.other_tokens.contains(&id) {
                self.other_tokens.insert(copy);
            }
            done.push(copy);
        }
        done.pop().unwrap_or(id)
    }
}
