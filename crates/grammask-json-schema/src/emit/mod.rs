//! From plans to a syntax tree: a rule for every goal that a document can meet, white space and separators in between.

mod array;
mod expressions;
mod object;
mod productive;
mod separators;

use std::collections::VecDeque;

use grammask_syntax::{Ast, ExprId, ExprKind, Name, Quantifier, Rule, Span, Text};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::conjunction::{GoalId, Subject};
use crate::context::{Stop, Translator};
use crate::error::Error;
use crate::language::LanguageId;
use crate::plan::{Plan, Rest};
use crate::value::{Expressions, Values};
use productive::{is_array_live, is_object_live, live};
use separators::Signs;

/// The rule that a grammar begins with.
const START: &str = "start";

/// Writes the grammar of the documents that reach a goal.
pub(crate) fn emit(translator: &mut Translator<'_>, root: GoalId) -> Result<Ast, Stop> {
    let mut plans: FxHashMap<GoalId, Plan> = FxHashMap::default();
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&goal) = order.get(next) {
        next += 1;
        if goal == GoalId::NEVER || plans.contains_key(&goal) {
            continue;
        }
        translator.spend(1)?;
        let plan = translator.plan(goal)?;
        order.extend(children(&plan).filter(|child| !plans.contains_key(child)));
        plans.insert(goal, plan);
    }
    let live = live(&plans, &order, |units| translator.spend(units))?;
    if !live.contains(&root) {
        return Err(Error::unsatisfiable().into());
    }
    let mut emitter = Emitter::new(translator, &plans, &live);
    emitter.grammar(root)?;
    Ok(emitter.ast)
}

/// The goals inside of a plan.
fn children(plan: &Plan) -> impl Iterator<Item = GoalId> {
    let items = plan.arrays.iter().flat_map(|array| {
        let (same, mixed) = match array.rest {
            Rest::Same(goal) => (Some(goal), &[][..]),
            Rest::Mixed(ref items) => (None, &items[..]),
            Rest::Distinct(_) => (None, &[][..]),
        };
        array.prefix.iter().copied().chain(same).chain(mixed.iter().map(|item| item.goal))
    });
    items.chain(plan.objects.iter().flat_map(|object| object.members.iter().map(|member| member.goal)))
}

/// Values that are neither arrays nor objects: whether null, which booleans, the numbers, the strings, and expressions beside them.
type Scalar = (bool, [bool; 2], LanguageId, LanguageId, Expressions);

struct Emitter<'a, 'd> {
    translator: &'a mut Translator<'d>,
    plans: &'a FxHashMap<GoalId, Plan>,
    live: &'a FxHashSet<GoalId>,
    ast: Ast,
    names: FxHashMap<GoalId, Text>,
    taken: FxHashSet<Text>,
    /// How often a name was taken, so that nobody tries all numbers.
    counts: FxHashMap<String, u32>,
    /// The names of rules for scalars alone, by what they are.
    scalars: FxHashMap<Scalar, Text>,
    /// The names of the rules of regular expressions and of their groups.
    expressions: Option<[String; 2]>,
    pending: VecDeque<GoalId>,
    signs: Signs,
}

impl<'a, 'd> Emitter<'a, 'd> {
    fn new(
        translator: &'a mut Translator<'d>,
        plans: &'a FxHashMap<GoalId, Plan>,
        live: &'a FxHashSet<GoalId>,
    ) -> Self {
        let signs = Signs::new(&translator.config.whitespace);
        Self {
            translator,
            plans,
            live,
            ast: Ast { rules: Vec::with_capacity(16), exprs: Vec::with_capacity(128), start: None },
            names: FxHashMap::default(),
            taken: FxHashSet::from_iter([START.into()]),
            counts: FxHashMap::default(),
            scalars: FxHashMap::default(),
            expressions: None,
            pending: VecDeque::new(),
            signs,
        }
    }

    fn grammar(&mut self, root: GoalId) -> Result<(), Stop> {
        let value = self.value(root);
        let start = match self.signs.around.clone() {
            None => value,
            Some(space) => {
                let (before, after) = (self.regex(&space), self.regex(&space));
                self.sequence(vec![before, value, after])
            }
        };
        self.rule(START, start);
        while let Some(goal) = self.pending.pop_front() {
            self.translator.spend(1)?;
            let name = self.names[&goal].clone();
            let body = self.body(goal)?;
            // Of what is cancelled while it is written, only some is there.
            self.translator.spend(0)?;
            self.rule(&name, body);
        }
        Ok(())
    }

    fn rule(&mut self, name: &str, body: ExprId) {
        let name = Name { text: name.to_owned(), span: Span::default() };
        self.ast.rules.push(Rule { name, body, span: Span::default() });
    }

    fn push(&mut self, kind: ExprKind) -> ExprId {
        self.ast.push(kind, Span::default())
    }

    fn text(&mut self, text: &str) -> ExprId {
        self.push(ExprKind::Text(text.into()))
    }

    fn regex(&mut self, pattern: &str) -> ExprId {
        self.push(ExprKind::Regex(pattern.into()))
    }

    fn sequence(&mut self, parts: Vec<ExprId>) -> ExprId {
        match parts[..] {
            [part] => part,
            _ => self.push(ExprKind::Sequence(parts.into())),
        }
    }

    fn alternatives(&mut self, parts: Vec<ExprId>) -> ExprId {
        match parts[..] {
            [part] => part,
            _ => self.push(ExprKind::Alternatives(parts.into())),
        }
    }

    fn repeat(&mut self, expr: ExprId, min: u64, max: Option<u64>) -> ExprId {
        let quantifier = match (min, max) {
            (1, Some(1)) => return expr,
            (0, Some(1)) => Quantifier::Option,
            (0, None) => Quantifier::Star,
            (1, None) => Quantifier::Plus,
            (min, max) => Quantifier::Bounds { min: min as u32, max: max.map(|max| max as u32) },
        };
        self.push(ExprKind::Repeat { expr, quantifier })
    }

    fn comma(&mut self) -> ExprId {
        let comma = self.signs.comma.clone();
        self.push(ExprKind::Regex(comma))
    }

    fn bracket(&mut self, kind: usize, which: usize) -> ExprId {
        let bracket = self.signs.brackets[kind][which].clone();
        self.push(ExprKind::Regex(bracket))
    }

    /// A reference to the rule of a goal, which is live.
    fn value(&mut self, goal: GoalId) -> ExprId {
        let name = match self.names.get(&goal) {
            Some(name) => name.clone(),
            None => self.new_name(goal),
        };
        self.push(ExprKind::Nonterminal(name))
    }

    /// Finds a name for a goal, and sees that its rule is written.
    fn new_name(&mut self, goal: GoalId) -> Text {
        let plan = &self.plans[&goal];
        let Values { null, booleans, number, string, expressions, .. } = *plan.values;
        let is_scalar = plan.arrays.is_empty() && plan.objects.is_empty();
        let key = (null, booleans, number, string, expressions);
        if is_scalar && let Some(known) = self.scalars.get(&key) {
            let name = known.clone();
            self.names.insert(goal, name.clone());
            return name;
        }
        let wish = match key {
            _ if goal == GoalId::ANY => "any".to_owned(),
            _ if !is_scalar => self.wish(goal),
            (true, [false, false], LanguageId::NONE, LanguageId::NONE, Expressions::None) => {
                "null".to_owned()
            }
            (false, [true, true], LanguageId::NONE, LanguageId::NONE, Expressions::None) => {
                "boolean".to_owned()
            }
            (false, [false, false], LanguageId::NONE, LanguageId::ANY, Expressions::None) => {
                "string".to_owned()
            }
            (false, [false, false], number, LanguageId::NONE, Expressions::None)
                if number == self.translator.any_number =>
            {
                "number".to_owned()
            }
            _ => self.wish(goal),
        };
        let mut name: Text = wish.as_str().into();
        while self.taken.contains(&name) {
            let count = match self.counts.get_mut(&wish) {
                Some(count) => count,
                None => self.counts.entry(wish.clone()).or_insert(1),
            };
            *count += 1;
            name = [&*wish, "_", &count.to_string()].concat().into();
        }
        self.taken.insert(name.clone());
        if is_scalar {
            self.scalars.insert(key, name.clone());
        }
        self.names.insert(goal, name.clone());
        self.pending.push_back(goal);
        name
    }

    /// What a goal would like to be called: as the schema is in its document.
    fn wish(&self, goal: GoalId) -> String {
        let schema = self.translator.goals.claims(goal).iter().find_map(|claim| match claim.subject {
            Subject::Schema(id, _) if claim.holds => Some(id),
            _ => None,
        });
        let last = schema.and_then(|id| self.translator.documents.name(id)).unwrap_or("value".into());
        let mut name: String =
            last.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).take(40).collect();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
            name.insert(0, '_');
        }
        name
    }

    fn body(&mut self, goal: GoalId) -> Result<ExprId, Stop> {
        let plans = self.plans;
        let plan = &plans[&goal];
        let mut parts = self.scalar_parts(&plan.values);
        for array in plan.arrays.iter().filter(|array| is_array_live(array, self.live)) {
            self.translator.spend(0)?;
            self.array(array, &mut parts);
        }
        for object in plan.objects.iter().filter(|object| is_object_live(object, self.live)) {
            self.object(object, &mut parts)?;
        }
        if parts.is_empty() {
            // What looked possible is not: no text at all.
            parts.push(self.translator.languages.write(LanguageId::NONE, &mut self.ast));
        }
        Ok(self.alternatives(parts))
    }

    fn scalar_parts(&mut self, values: &Values) -> Vec<ExprId> {
        let mut parts = Vec::new();
        if values.null {
            parts.push(self.text("null"));
        }
        for (truth, text) in values.booleans.into_iter().zip(["false", "true"]) {
            if truth {
                parts.push(self.text(text));
            }
        }
        if values.number != LanguageId::NONE {
            parts.push(self.translator.languages.write(values.number, &mut self.ast));
        }
        if values.string != LanguageId::NONE {
            let string = self.string(values.string);
            parts.push(self.sequence(string));
        }
        if values.expressions != Expressions::None {
            let string = vec![self.text("\""), self.expressions(values.expressions), self.text("\"")];
            parts.push(self.sequence(string));
        }
        parts
    }

    /// A string with these contents, in quotes.
    fn string(&mut self, contents: LanguageId) -> Vec<ExprId> {
        let open = self.text("\"");
        let contents = self.translator.languages.write(contents, &mut self.ast);
        let contents = self.push(ExprKind::Json(contents));
        let close = self.text("\"");
        // Mostly the two parts of a member follow.
        let mut parts = Vec::with_capacity(5);
        parts.extend([open, contents, close]);
        parts
    }
}
