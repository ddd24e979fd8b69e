//! Collects the errors of a text while it is read.

use super::{Error, ErrorKind, Errors};
use crate::ast::Span;

/// Collects the errors of a text. Stores up to `max_errors` of them and counts the others.
#[derive(Debug)]
pub(crate) struct ErrorSink {
    errors: Vec<Error>,
    omitted: usize,
    max_errors: usize,
    /// Spans of bytes that are not UTF-8, ascending. Other errors in these spans are consequences, and are
    /// ignored.
    unreadable: Vec<Span>,
}

/// A state to which an [`ErrorSink`] can be rewound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    errors: usize,
    omitted: usize,
}

impl ErrorSink {
    pub(crate) fn new(max_errors: usize) -> Self {
        Self { errors: Vec::new(), omitted: 0, max_errors: max_errors.max(1), unreadable: Vec::new() }
    }

    /// Reports bytes that are not UTF-8, and ignores all later errors in them. Spans must ascend.
    pub(crate) fn push_unreadable(&mut self, span: Span) {
        self.push(ErrorKind::InvalidUtf8, span);
        self.unreadable.push(span);
    }

    /// Reports an error, unless it lies in bytes that are not UTF-8.
    pub(crate) fn push(&mut self, kind: ErrorKind, span: Span) {
        let next = self.unreadable.partition_point(|unreadable| unreadable.end <= span.start);
        if self.unreadable.get(next).is_some_and(|unreadable| unreadable.start < span.end.max(span.start + 1))
        {
            return;
        }
        if self.errors.len() < self.max_errors {
            self.errors.push(Error::new(kind, span));
        } else {
            self.omitted += 1;
        }
    }

    /// Returns true if errors were only counted.
    pub(crate) const fn has_omitted(&self) -> bool {
        self.omitted > 0
    }

    /// Returns the current state, for [`rewind`](Self::rewind).
    pub(crate) fn mark(&self) -> Mark {
        Mark { errors: self.errors.len(), omitted: self.omitted }
    }

    /// Removes all errors since a mark.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.errors.truncate(mark.errors);
        self.omitted = mark.omitted;
    }

    /// Returns the errors, sorted by span. Returns `None` if there is no error.
    pub(crate) fn finish(mut self) -> Option<Errors> {
        if self.errors.is_empty() {
            return None;
        }
        self.errors.sort_by_key(|error| error.span);
        Some(Errors { errors: self.errors, omitted: self.omitted })
    }
}
