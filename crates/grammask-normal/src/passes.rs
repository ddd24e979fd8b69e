//! The ordered list of rewrites. Each is one function in one file; the list may contain a pass more than
//! once.

mod deduplicate_alternatives;
mod ebnf;
mod eliminate_nullables;
mod merge_equal_nonterminals;
mod remove_dead_rules;
mod remove_unit_rules;
mod remove_useless_rules;
mod terminals;

use grammask_regular::Store;
use grammask_syntax::Span;

use crate::Config;
use crate::cancellation::Cancellation;
use crate::config::{Limit, LimitExceeded, Limits};
use crate::error::{Error, Errors};
use crate::grammar::Grammar;
use ebnf::{expand_repetitions, flatten_nested_rules, flatten_operators, group_rules};
use terminals::{gather_characters, gather_literals, merge_consecutive_terminals};

/// The store and the cancellation of a pass.
pub(crate) struct Context<'a, 'c> {
    pub store: &'a mut Store,
    /// A cancelled pass leaves the grammar in an unspecified state.
    pub cancellation: &'a mut Cancellation<'c>,
}

/// A rewrite of a grammar that preserves its language, apart from the empty text.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name: a verb and a noun, also the name of the file.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    /// The property of every grammar after the pass.
    pub postcondition: &'static str,
    /// True if groups must have names first.
    needs_names: bool,
    /// True if the pass can make a grammar larger, so that its limits are checked again.
    can_grow: bool,
    rewrite: fn(&mut Grammar, &mut Context<'_, '_>) -> Result<(), Error>,
    holds: fn(&Grammar) -> bool,
}

/// The passes of [`normalize`](crate::normalize), in their order.
///
/// 1. To `deduplicate_alternatives`: simplify the text as it is written, with its groups and operators.
/// 2. To `remove_dead_rules`: name groups, remove aliases, turn operators into rules. Nullables go before
///    dead rules, because only symbols that are not nullable show where an endless output makes progress.
/// 3. To `merge_equal_nonterminals`: clean up what phase 2 left (new aliases and cycles, adjacent texts,
///    equal rules).
/// 4. The rest: merging equal nonterminals creates new aliases, so the passes that remove them run once more.
pub const PASSES: &[Pass] = &[
    GROUP_RULES,
    FLATTEN_OPERATORS,
    REMOVE_USELESS_RULES,
    MERGE_CONSECUTIVE_TERMINALS,
    DEDUPLICATE_ALTERNATIVES,
    FLATTEN_NESTED_RULES,
    REMOVE_UNIT_RULES,
    EXPAND_REPETITIONS,
    ELIMINATE_NULLABLES,
    REMOVE_DEAD_RULES,
    REMOVE_UNIT_RULES,
    MERGE_CONSECUTIVE_TERMINALS,
    DEDUPLICATE_ALTERNATIVES,
    GATHER_LITERALS,
    GATHER_CHARACTERS,
    MERGE_EQUAL_NONTERMINALS,
    REMOVE_UNIT_RULES,
    MERGE_CONSECUTIVE_TERMINALS,
    DEDUPLICATE_ALTERNATIVES,
    GATHER_LITERALS,
    REMOVE_USELESS_RULES,
];

const GROUP_RULES: Pass = Pass {
    name: "group_rules",
    description: "merge the rules that have the same left side",
    postcondition: "every nonterminal has one rule",
    needs_names: false,
    can_grow: false,
    rewrite: group_rules::group_rules,
    holds: group_rules::holds,
};

const FLATTEN_OPERATORS: Pass = Pass {
    name: "flatten_operators",
    description: "inline sequences in sequences and choices in choices",
    postcondition: "every group is repeated, or is a choice inside a sequence",
    needs_names: false,
    can_grow: false,
    rewrite: flatten_operators::flatten_operators,
    holds: flatten_operators::holds,
};

const REMOVE_USELESS_RULES: Pass = Pass {
    name: "remove_useless_rules",
    description: "remove unreachable rules, and alternatives that are their own left side",
    postcondition: "every rule is reachable from the start symbol; no alternative is its own left side",
    needs_names: false,
    can_grow: false,
    rewrite: remove_useless_rules::remove_useless_rules,
    holds: remove_useless_rules::holds,
};

const MERGE_CONSECUTIVE_TERMINALS: Pass = Pass {
    name: "merge_consecutive_terminals",
    description: "join adjacent texts, and JSON spellings with their quotes",
    postcondition: "no two texts are adjacent; no symbol is the empty text",
    needs_names: false,
    can_grow: false,
    rewrite: merge_consecutive_terminals::merge_consecutive_terminals,
    holds: merge_consecutive_terminals::holds,
};

const DEDUPLICATE_ALTERNATIVES: Pass = Pass {
    name: "deduplicate_alternatives",
    description: "keep one of several equal alternatives",
    postcondition: "no two alternatives of a rule are equal",
    needs_names: false,
    can_grow: false,
    rewrite: deduplicate_alternatives::deduplicate_alternatives,
    holds: deduplicate_alternatives::holds,
};

const FLATTEN_NESTED_RULES: Pass = Pass {
    name: "flatten_nested_rules",
    description: "turn groups into named rules",
    postcondition: "there are no groups",
    needs_names: false,
    can_grow: false,
    rewrite: flatten_nested_rules::flatten_nested_rules,
    holds: flatten_nested_rules::holds,
};

const REMOVE_UNIT_RULES: Pass = Pass {
    name: "remove_unit_rules",
    description: "inline nonterminals that consist of one factor; merge cycles of unit rules",
    postcondition: "only the start symbol may be an alias; unit rules form no cycle",
    needs_names: true,
    can_grow: false,
    rewrite: remove_unit_rules::remove_unit_rules,
    holds: remove_unit_rules::holds,
};

const EXPAND_REPETITIONS: Pass = Pass {
    name: "expand_repetitions",
    description: "turn options and repetitions into left-recursive rules",
    postcondition: "there is no `?`, `*`, `+`; bounds are x{m,n} with m >= 1, n >= 2",
    needs_names: true,
    can_grow: true,
    rewrite: expand_repetitions::expand_repetitions,
    holds: expand_repetitions::holds,
};

const ELIMINATE_NULLABLES: Pass = Pass {
    name: "eliminate_nullables",
    description: "exclude the empty text from every nonterminal and terminal, splitting long alternatives",
    postcondition: "no symbol is nullable",
    needs_names: true,
    can_grow: true,
    rewrite: eliminate_nullables::eliminate_nullables,
    holds: eliminate_nullables::holds,
};

const REMOVE_DEAD_RULES: Pass = Pass {
    name: "remove_dead_rules",
    description: "remove productions that lead to no output, neither finite nor endless",
    postcondition: "every partial derivation can be continued to an output",
    needs_names: true,
    can_grow: true,
    rewrite: remove_dead_rules::remove_dead_rules,
    holds: remove_dead_rules::holds,
};

const MERGE_EQUAL_NONTERMINALS: Pass = Pass {
    name: "merge_equal_nonterminals",
    description: "merge nonterminals with equal productions",
    postcondition: "no two nonterminals have equal productions",
    needs_names: true,
    can_grow: false,
    rewrite: merge_equal_nonterminals::merge_equal_nonterminals,
    holds: merge_equal_nonterminals::holds,
};

const GATHER_LITERALS: Pass = Pass {
    name: "gather_literals",
    description: "merge more than 16 alternative texts into one terminal",
    postcondition: "at most 16 alternatives of a rule are single texts",
    needs_names: true,
    can_grow: false,
    rewrite: gather_literals::gather_literals,
    holds: gather_literals::holds,
};

const GATHER_CHARACTERS: Pass = Pass {
    name: "gather_characters",
    description: "merge repeated single characters into one terminal",
    postcondition: "no rule repeats single characters",
    needs_names: true,
    can_grow: true,
    rewrite: gather_characters::gather_characters,
    holds: gather_characters::holds,
};

impl Pass {
    /// Returns the pass with this name. `None` if there is none.
    pub fn find(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// Runs the pass on a grammar in any state.
    ///
    /// A pass establishes its own preconditions first: it names groups, and expands operators into rules, if
    /// it has to.
    ///
    /// # Errors
    /// Returns an error if the grammar exceeds a limit. `remove_dead_rules` also fails if the language is
    /// empty.
    ///
    /// ```
    /// use grammask_normal::{Config, Grammar, Pass};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= 'a' 'b' | 'ab';", &Default::default()).unwrap();
    /// let (config, mut store) = (Config::default(), Store::new(&Default::default()));
    /// let mut grammar = Grammar::read(&ast, &mut store, &config).unwrap();
    /// for name in ["merge_consecutive_terminals", "deduplicate_alternatives"] {
    ///     Pass::find(name).unwrap().apply(&mut grammar, &mut store, &config).unwrap();
    /// }
    /// assert_eq!(grammar.to_string(), "start ::= 'ab';\n");
    /// ```
    pub fn apply(&self, grammar: &mut Grammar, store: &mut Store, config: &Config) -> Result<(), Errors> {
        let mut never = || false;
        let mut cancellation = Cancellation::new(&mut never);
        self.run(grammar, &mut Context { store, cancellation: &mut cancellation }, config)?;
        Ok(())
    }

    /// As [`apply`](Self::apply). Returns `Ok(false)` if the pass was cancelled; the grammar is unspecified
    /// then.
    pub(crate) fn run(
        &self,
        grammar: &mut Grammar,
        context: &mut Context<'_, '_>,
        config: &Config,
    ) -> Result<bool, Errors> {
        grammar.rules.clear();
        if self.needs_names {
            flatten_nested_rules::flatten_nested_rules(grammar, context)?;
        }
        (self.rewrite)(grammar, context)?;
        if context.cancellation.is_cancelled() {
            return Ok(false);
        }
        if self.can_grow {
            check_limits(grammar, &config.limits)?;
        }
        Ok(true)
    }

    /// Returns true if the postcondition holds, as far as it is visible in the grammar without its languages.
    pub fn holds(&self, grammar: &Grammar) -> bool {
        (self.holds)(grammar)
    }
}

fn check_limits(grammar: &Grammar, limits: &Limits) -> Result<(), Error> {
    let counts = [
        (Limit::MaxProductions, limits.max_productions, grammar.production_count()),
        (Limit::MaxSymbols, limits.max_symbols, grammar.symbol_count()),
        (Limit::MaxTerminals, limits.max_terminals, grammar.terminals.len()),
    ];
    match counts.into_iter().find(|(_, value, found)| found > value) {
        Some((limit, value, found)) => {
            Err(Error::new(LimitExceeded::new(limit, value, found).into(), grammar.start_span))
        }
        None => Ok(()),
    }
}

/// Converts an error of a terminal, with the place of the terminal.
fn regular_error(error: &grammask_regular::Error, span: Span) -> Error {
    Error::new(crate::error::describe(error).0, span)
}
