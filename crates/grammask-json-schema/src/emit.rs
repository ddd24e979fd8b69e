//! From plans to a syntax tree: a rule for every goal that a document can meet, white space and separators in between.

mod expressions;

use std::collections::VecDeque;

use grammask_syntax::{Ast, ExprId, ExprKind, Name, Quantifier, Rule, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Error;
use crate::goals::{GoalId, Subject};
use crate::languages::LanguageId;
use crate::live::{is_array_live, is_object_live, live, live_members};
use crate::plan::{ArrayPlan, Member, ObjectPlan, Plan, Rest};
use crate::translator::{Stop, Translator};
use crate::values::{Expressions, Values, least};
use crate::{PropertyOrder, Whitespace};

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
    let live = live(&plans, &order);
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
        let rest = match array.rest {
            Rest::Same(goal) => vec![goal],
            Rest::Mixed(ref items) => items.iter().map(|item| item.goal).collect(),
            Rest::Distinct(_) => Vec::new(),
        };
        array.prefix.iter().copied().chain(rest)
    });
    items.chain(plan.objects.iter().flat_map(|object| object.members.iter().map(|member| member.goal)))
}

struct Emitter<'a, 'd> {
    translator: &'a mut Translator<'d>,
    plans: &'a FxHashMap<GoalId, Plan>,
    live: &'a FxHashSet<GoalId>,
    ast: Ast,
    names: FxHashMap<GoalId, String>,
    taken: FxHashSet<String>,
    /// How often a name was taken, so that nobody tries all numbers.
    counts: FxHashMap<String, u32>,
    /// The names of rules for scalars alone, by what they are.
    scalars: FxHashMap<(bool, [bool; 2], LanguageId, LanguageId, Expressions), String>,
    /// The names of the rules of regular expressions and of their groups.
    expressions: Option<[String; 2]>,
    pending: VecDeque<GoalId>,
    signs: Signs,
}

/// What stands around and between the parts of a document: patterns.
struct Signs {
    around: Option<String>,
    comma: String,
    colon: String,
    /// Of objects, then of arrays: opening, closing, and both without anything inside.
    brackets: [[String; 3]; 2],
}

impl Signs {
    fn new(whitespace: &Whitespace) -> Self {
        let space = match whitespace {
            Whitespace::Flexible { longest: 0 } | Whitespace::Compact | Whitespace::Separators { .. } => {
                String::new()
            }
            Whitespace::Flexible { longest } => format!("[ \\t\\n\\r]{{0,{longest}}}"),
        };
        let (comma, colon) = match whitespace {
            Whitespace::Separators { item, key } => (regex_of(item), regex_of(key)),
            _ => (format!("{space},{space}"), format!("{space}:{space}")),
        };
        let brackets = |open: &str, close: &str| {
            [format!("{open}{space}"), format!("{space}{close}"), format!("{open}{space}{close}")]
        };
        Self {
            brackets: [brackets("\\{", "\\}"), brackets("\\[", "\\]")],
            around: (!space.is_empty()).then_some(space),
            comma,
            colon,
        }
    }
}

/// A pattern for a text of punctuation and white space.
fn regex_of(text: &str) -> String {
    text.chars()
        .flat_map(|char| {
            (!char.is_alphanumeric() && char.is_ascii()).then_some('\\').into_iter().chain([char])
        })
        .collect()
}

const OBJECT: usize = 0;
const ARRAY: usize = 1;
const OPEN: usize = 0;
const CLOSE: usize = 1;
const NOTHING: usize = 2;

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
            ast: Ast::default(),
            names: FxHashMap::default(),
            taken: FxHashSet::from_iter([START.to_owned()]),
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
        self.push(ExprKind::Text(text.to_owned()))
    }

    fn regex(&mut self, pattern: &str) -> ExprId {
        self.push(ExprKind::Regex(pattern.to_owned()))
    }

    fn sequence(&mut self, parts: Vec<ExprId>) -> ExprId {
        match parts[..] {
            [part] => part,
            _ => self.push(ExprKind::Sequence(parts)),
        }
    }

    fn alternatives(&mut self, parts: Vec<ExprId>) -> ExprId {
        match parts[..] {
            [part] => part,
            _ => self.push(ExprKind::Alternatives(parts)),
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
        self.regex(&comma)
    }

    fn bracket(&mut self, kind: usize, which: usize) -> ExprId {
        let bracket = self.signs.brackets[kind][which].clone();
        self.regex(&bracket)
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
    fn new_name(&mut self, goal: GoalId) -> String {
        let plan = &self.plans[&goal];
        let Values { null, booleans, number, string, expressions, .. } = *plan.values;
        let is_scalar = plan.arrays.is_empty() && plan.objects.is_empty();
        let key = (null, booleans, number, string, expressions);
        if is_scalar && let Some(known) = self.scalars.get(&key) {
            let name = known.clone();
            self.names.insert(goal, name.clone());
            return name;
        }
        let scalar = |values: &Values| {
            let one = Values { arrays: Vec::new(), objects: Vec::new(), ..values.clone() };
            let any = Values::any(self.translator.any_number);
            [
                ("string", Values { string: any.string, ..Values::NONE }),
                ("number", Values { number: any.number, ..Values::NONE }),
                ("boolean", Values { booleans: any.booleans, ..Values::NONE }),
                ("null", Values { null: true, ..Values::NONE }),
            ]
            .into_iter()
            .find_map(|(name, values)| (values == one).then_some(name))
        };
        let wish = match goal {
            GoalId::ANY => "any".to_owned(),
            _ => match is_scalar.then(|| scalar(&plan.values)).flatten() {
                Some(name) => name.to_owned(),
                None => self.wish(goal),
            },
        };
        let mut name = wish.clone();
        while !self.taken.insert(name.clone()) {
            let count = self.counts.entry(wish.clone()).or_insert(1);
            *count += 1;
            name = format!("{wish}_{count}");
        }
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
        let last = schema.and_then(|id| self.translator.documents.name(id)).unwrap_or("value");
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
            self.array(array, &mut parts);
        }
        for object in plan.objects.iter().filter(|object| is_object_live(object, self.live)) {
            self.object(object, &mut parts)?;
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
        vec![open, contents, close]
    }

    fn array(&mut self, plan: &ArrayPlan, parts: &mut Vec<ExprId>) {
        if plan.min == 0 {
            parts.push(self.bracket(ARRAY, NOTHING));
        }
        if plan.max == Some(0) {
            return;
        }
        // From the last item to the first: what comes behind so many items.
        let live = plan.prefix.iter().take_while(|goal| self.live.contains(goal)).count();
        let len = plan.prefix.len();
        let mut behind = match live == len {
            true => self.rest(plan),
            false => None,
        };
        for place in (0..live).rev() {
            let item = self.value(plan.prefix[place]);
            let mut sequence = Vec::new();
            if place > 0 {
                sequence.push(self.comma());
            }
            sequence.push(item);
            sequence.extend(behind.take());
            let sequence = self.sequence(sequence);
            behind = Some(if place > 0 && place as u64 >= plan.min {
                self.repeat(sequence, 0, Some(1))
            } else {
                sequence
            });
        }
        if let Some(items) = behind {
            let (open, close) = (self.bracket(ARRAY, OPEN), self.bracket(ARRAY, CLOSE));
            parts.push(self.sequence(vec![open, items, close]));
        }
    }

    /// What comes behind the first items, which are all there; one item at least if there are no first ones.
    fn rest(&mut self, plan: &ArrayPlan) -> Option<ExprId> {
        let len = plan.prefix.len() as u64;
        let min = plan.min.saturating_sub(len);
        let max = plan.max.map(|max| max - len);
        match &plan.rest {
            Rest::Same(goal) if self.live.contains(goal) && max != Some(0) => {
                if len > 0 {
                    let (comma, item) = (self.comma(), self.value(*goal));
                    let item = self.sequence(vec![comma, item]);
                    return Some(self.repeat(item, min, max));
                }
                let first = self.value(*goal);
                if max == Some(1) {
                    return Some(first);
                }
                let (comma, item) = (self.comma(), self.value(*goal));
                let item = self.sequence(vec![comma, item]);
                let more = self.repeat(item, min.max(1) - 1, max.map(|max| max - 1));
                Some(self.sequence(vec![first, more]))
            }
            Rest::Same(_) => None,
            Rest::Mixed(items) => {
                let mut parts = Vec::new();
                for item in items.iter().filter(|item| self.live.contains(&item.goal) && item.max != Some(0))
                {
                    let value = self.value(item.goal);
                    parts.push(self.repeat(value, item.min, item.max));
                }
                self.in_any_order(parts, Vec::new(), min, max, len > 0)
            }
            Rest::Distinct(elements) => {
                let mut items = Vec::new();
                for element in elements {
                    let parts = self.scalar_parts(element);
                    let item = self.alternatives(parts);
                    items.push(self.repeat(item, 0, Some(1)));
                }
                self.in_any_order(items, Vec::new(), min, max, false)
            }
        }
    }

    /// Items in any order, with commas between them; one at least, or, behind others, a comma before them if there are any.
    fn in_any_order(
        &mut self,
        mut parts: Vec<ExprId>,
        needs: Vec<(u32, u32)>,
        min: u64,
        max: Option<u64>,
        is_behind: bool,
    ) -> Option<ExprId> {
        if parts.is_empty() || max == Some(0) {
            return None;
        }
        parts.push(self.comma());
        let at_least = min.max(1).min(u64::from(u32::MAX)) as u32;
        let max = max.map(|max| max.min(u64::from(u32::MAX)) as u32);
        let kind = ExprKind::Unordered { parts, has_separator: true, min: at_least, max, needs };
        let list = self.push(kind);
        if !is_behind {
            return Some(list);
        }
        let comma = self.comma();
        let list = self.sequence(vec![comma, list]);
        Some(if min == 0 { self.repeat(list, 0, Some(1)) } else { list })
    }

    fn object(&mut self, plan: &ObjectPlan, parts: &mut Vec<ExprId>) -> Result<(), Stop> {
        let is_required = plan.members.iter().any(|member| member.is_required);
        if !is_required && plan.min == 0 {
            parts.push(self.bracket(OBJECT, NOTHING));
        }
        if plan.max == Some(0) {
            return Ok(());
        }
        let live = live_members(plan, self.live).unwrap_or_default();
        let members: Vec<&Member> = live.iter().map(|&place| &plan.members[place]).collect();
        let place_of = |place: usize| live.binary_search(&place).ok().map(|place| place as u32);
        let needs: Vec<(u32, u32)> = plan
            .needs
            .iter()
            .filter_map(|&(first, second)| Some((place_of(first)?, place_of(second)?)))
            .collect();
        let named = members.iter().filter(|member| !member.is_class).count() as u64;
        let has_class = members.iter().any(|member| member.is_class);
        let max = least(plan.max, None).filter(|&max| has_class || max < named);
        let is_plain = plan.min <= 1 && max.is_none() && needs.is_empty();
        let list = match &members[..] {
            [] => None,
            [member] if is_plain && !member.is_class => Some(self.member(member)),
            [member] if is_plain => {
                let (first, comma, more) = (self.member(member), self.comma(), self.member(member));
                let more = self.sequence(vec![comma, more]);
                let more = self.repeat(more, 0, None);
                Some(self.sequence(vec![first, more]))
            }
            _ if self.translator.config.property_order == PropertyOrder::AsWritten => {
                if !is_plain {
                    let place = plan.counted.unwrap_or(self.translator.place);
                    let reason =
                        "that properties are counted, or need each other, while they come as written";
                    self.translator.refuse(place, "", reason)?;
                }
                self.as_written(&members)
            }
            _ => {
                let mut items = Vec::with_capacity(members.len());
                for member in &members {
                    let item = self.member(member);
                    let max = if member.is_class { None } else { Some(1) };
                    items.push(self.repeat(item, u64::from(member.is_required), max));
                }
                self.in_any_order(items, needs, plan.min, max, false)
            }
        };
        if let Some(list) = list {
            let (open, close) = (self.bracket(OBJECT, OPEN), self.bracket(OBJECT, CLOSE));
            parts.push(self.sequence(vec![open, list, close]));
        }
        Ok(())
    }

    /// A key and its value.
    fn member(&mut self, member: &Member) -> ExprId {
        let mut parts = self.string(member.key);
        let colon = self.signs.colon.clone();
        parts.push(self.regex(&colon));
        parts.push(self.value(member.goal));
        self.sequence(parts)
    }

    /// Members in their order. From the last to the first: what may come when something is there before, and when nothing is.
    fn as_written(&mut self, members: &[&Member]) -> Option<ExprId> {
        let mut behind: Option<String> = None;
        let mut first: Vec<ExprId> = Vec::new();
        let last_first = members.iter().position(|member| member.is_required).unwrap_or(members.len());
        for (place, member) in members.iter().enumerate().rev() {
            let max = if member.is_class { None } else { Some(1) };
            let reference =
                |this: &mut Self| behind.clone().map(|name| this.push(ExprKind::Nonterminal(name)));
            // As the first of all that are there; none behind a required one is.
            if place <= last_first {
                let mut parts = vec![self.member(member)];
                if member.is_class {
                    let (comma, more) = (self.comma(), self.member(member));
                    let more = self.sequence(vec![comma, more]);
                    parts.push(self.repeat(more, 0, None));
                }
                parts.extend(reference(self));
                let alternative = self.sequence(parts);
                first.push(alternative);
            }
            if place == 0 {
                break;
            }
            // Behind others.
            let (comma, item) = (self.comma(), self.member(member));
            let item = self.sequence(vec![comma, item]);
            let item = self.repeat(item, u64::from(member.is_required), max);
            let mut parts = vec![item];
            parts.extend(reference(self));
            let body = self.sequence(parts);
            let mut name = format!("more_{}", self.taken.len());
            while !self.taken.insert(name.clone()) {
                name.push('_');
            }
            self.rule(&name, body);
            behind = Some(name);
        }
        (!first.is_empty()).then(|| self.alternatives(first))
    }
}
