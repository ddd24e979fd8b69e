//! The ordered list of rewrites. Each is a function of its own in a file of its own; a pass may stand in the list twice.

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
use crate::cancellation::Stop;
use crate::error::{Error, ErrorKind, Errors};
use crate::grammar::Grammar;
use ebnf::{expand_repetitions, flatten_nested_rules, flatten_operators, group_rules};
use terminals::{gather_characters, gather_literals, merge_consecutive_terminals};

/// What passes may use beside the grammar.
pub(crate) struct Context<'a> {
    pub store: &'a mut Store,
    /// Who may stop a pass on the way; the grammar is of no use then.
    pub stop: &'a mut Stop<'a>,
}

/// A rewrite of a grammar that keeps its language (apart from the empty text).
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: a verb and a noun.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// What is true afterwards.
    pub postcondition: &'static str,
    /// Whether groups must have names before.
    needs_names: bool,
    /// Whether grammars may have more symbols afterwards.
    grows: bool,
    run: fn(&mut Grammar, &mut Context<'_>) -> Result<(), Error>,
    holds: fn(&Grammar) -> bool,
}

/// The passes of [`normalize`](crate::normalize), in their order.
///
/// First the text is tidied up as it stands, groups and operators included (to `deduplicate_alternatives`). Then groups get names, aliases
/// go, and operators become rules. Nullables go before dead rules, as only what is not nullable shows where an endless
/// output makes progress. What these passes leave behind (new aliases and cycles, texts that have become neighbours, equal rules) the
/// rest tidies up; merging equal nonterminals makes new aliases, so these passes run once more.
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
    description: "put the rules with the same left side together",
    postcondition: "every nonterminal has one rule",
    needs_names: false,
    grows: false,
    run: group_rules::group_rules,
    holds: group_rules::holds,
};

const FLATTEN_OPERATORS: Pass = Pass {
    name: "flatten_operators",
    description: "dissolve sequences in sequences and choices in choices",
    postcondition: "a group is repeated, or a choice inside a sequence",
    needs_names: false,
    grows: false,
    run: flatten_operators::flatten_operators,
    holds: flatten_operators::holds,
};

const REMOVE_USELESS_RULES: Pass = Pass {
    name: "remove_useless_rules",
    description: "remove rules that nobody reaches, and alternatives that are their own left side",
    postcondition: "the start symbol reaches every rule; no alternative is its own left side",
    needs_names: false,
    grows: false,
    run: remove_useless_rules::remove_useless_rules,
    holds: remove_useless_rules::holds,
};

const MERGE_CONSECUTIVE_TERMINALS: Pass = Pass {
    name: "merge_consecutive_terminals",
    description: "put texts that follow each other into one, and JSON spellings with their quotes",
    postcondition: "no two texts follow each other; the empty text stands alone",
    needs_names: false,
    grows: false,
    run: merge_consecutive_terminals::merge_consecutive_terminals,
    holds: merge_consecutive_terminals::holds,
};

const DEDUPLICATE_ALTERNATIVES: Pass = Pass {
    name: "deduplicate_alternatives",
    description: "keep one of equal alternatives",
    postcondition: "the alternatives of a rule differ",
    needs_names: false,
    grows: false,
    run: deduplicate_alternatives::deduplicate_alternatives,
    holds: deduplicate_alternatives::holds,
};

const FLATTEN_NESTED_RULES: Pass = Pass {
    name: "flatten_nested_rules",
    description: "give groups names, and make rules of them",
    postcondition: "no group",
    needs_names: false,
    grows: false,
    run: flatten_nested_rules::flatten_nested_rules,
    holds: flatten_nested_rules::holds,
};

const REMOVE_UNIT_RULES: Pass = Pass {
    name: "remove_unit_rules",
    description: "write what a nonterminal of one factor stands for in its place; dissolve cycles of such",
    postcondition: "no rule but the start symbol's is only another name; no nonterminals produce each other alone",
    needs_names: true,
    grows: false,
    run: remove_unit_rules::remove_unit_rules,
    holds: remove_unit_rules::holds,
};

const EXPAND_REPETITIONS: Pass = Pass {
    name: "expand_repetitions",
    description: "make rules of options and repetitions, recursive on the left",
    postcondition: "no `?`, `*`, `+`; bounds only as x{m,n} with m >= 1, n >= 2",
    needs_names: true,
    grows: true,
    run: expand_repetitions::expand_repetitions,
    holds: expand_repetitions::holds,
};

const ELIMINATE_NULLABLES: Pass = Pass {
    name: "eliminate_nullables",
    description: "take the empty text out of every nonterminal and terminal, splitting long alternatives",
    postcondition: "nothing stands for the empty text",
    needs_names: true,
    grows: true,
    run: eliminate_nullables::eliminate_nullables,
    holds: eliminate_nullables::holds,
};

const REMOVE_DEAD_RULES: Pass = Pass {
    name: "remove_dead_rules",
    description: "remove what can go on to no output, neither finite nor endless",
    postcondition: "every beginning of a derivation can go on to an output",
    needs_names: true,
    grows: true,
    run: remove_dead_rules::remove_dead_rules,
    holds: remove_dead_rules::holds,
};

const MERGE_EQUAL_NONTERMINALS: Pass = Pass {
    name: "merge_equal_nonterminals",
    description: "make one nonterminal of those with the same productions",
    postcondition: "no two nonterminals have the same productions",
    needs_names: true,
    grows: false,
    run: merge_equal_nonterminals::merge_equal_nonterminals,
    holds: merge_equal_nonterminals::holds,
};

const GATHER_LITERALS: Pass = Pass {
    name: "gather_literals",
    description: "make one regular part of more than sixteen alternative texts",
    postcondition: "no rule has more than sixteen texts as alternatives of their own",
    needs_names: true,
    grows: false,
    run: gather_literals::gather_literals,
    holds: gather_literals::holds,
};

const GATHER_CHARACTERS: Pass = Pass {
    name: "gather_characters",
    description: "make one regular part of characters that are repeated one by one",
    postcondition: "no rule repeats characters",
    needs_names: true,
    grows: true,
    run: gather_characters::gather_characters,
    holds: gather_characters::holds,
};

impl Pass {
    /// The pass with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// Runs the pass on any grammar, whatever passes it has gone through. What the pass cannot do without is done first:
    /// groups get names, operators become rules.
    ///
    /// # Errors
    /// When a limit is exceeded; `remove_dead_rules` also when nothing is left.
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
        self.apply_unless(grammar, store, config, &mut || false)?;
        Ok(())
    }

    /// The same, unless somebody who is asked on the way says to stop: whether nobody has. If somebody has, the grammar is of no use any more.
    pub(crate) fn apply_unless(
        &self,
        grammar: &mut Grammar,
        store: &mut Store,
        config: &Config,
        is_stopped: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Errors> {
        let mut stop = Stop::new(is_stopped);
        let mut context = Context { store, stop: &mut stop };
        grammar.rules.clear();
        if self.needs_names {
            flatten_nested_rules::flatten_nested_rules(grammar, &mut context)?;
        }
        (self.run)(grammar, &mut context)?;
        if context.stop.is_stopped() {
            return Ok(false);
        }
        if self.grows {
            check_limits(grammar, config)?;
        }
        Ok(true)
    }

    /// Whether the postcondition holds, as far as a look at the grammar shows.
    pub fn holds(&self, grammar: &Grammar) -> bool {
        (self.holds)(grammar)
    }
}

fn check_limits(grammar: &Grammar, config: &Config) -> Result<(), Error> {
    let counts = [
        ("max_productions", "productions", grammar.production_count(), config.max_productions),
        ("max_symbols", "symbols", grammar.symbol_count(), config.max_symbols),
        ("max_terminals", "regular parts", grammar.terminals.len(), config.max_terminals),
    ];
    match counts.into_iter().find(|(_, _, value, limit)| value > limit) {
        Some((field, what, value, limit)) => {
            Err(Error::new(ErrorKind::Limit { field, what, value, limit }, grammar.start_span))
        }
        None => Ok(()),
    }
}

/// An error of a regular part at its place.
fn regular_error(error: &grammask_regular::Error, span: Span) -> Error {
    Error::new(crate::error::describe(error).0, span)
}
