//! Writes plans as a syntax tree: one rule for each constraint that a document can satisfy, with white space
//! and separators.

mod array;
mod object;
mod productive;
pub(crate) mod regexes;
mod separators;

use std::collections::VecDeque;

use grammask_syntax::{Ast, ExprId, ExprKind, Name, Quantifier, Rule, Span, Text};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::{ConstraintId, Subject};
use crate::context::{Context, Stop};
use crate::error::{Error, Limit};
use crate::language::{Language, LanguageId};
use crate::plan;
use crate::plan::{Plan, Rest};
use crate::value::{RegexStrings, Values};
use productive::{is_array_productive, is_object_productive, productive};
use separators::Separators;

/// Name of the start rule.
const START: &str = "start";

/// Writes the grammar of the documents that satisfy a constraint.
pub(crate) fn emit(cx: &mut Context<'_>, root: ConstraintId) -> Result<Ast, Stop> {
    let mut plans: FxHashMap<ConstraintId, Plan> = FxHashMap::default();
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&constraint) = order.get(next) {
        next += 1;
        if constraint == ConstraintId::NEVER || plans.contains_key(&constraint) {
            continue;
        }
        cx.is_planning_root = constraint == root;
        let plan = match plan_within_work(cx, constraint) {
            Err(Stop::Error(error)) if cx.may_relax(&error) || cx.grant_or_exhaust(&error) => {
                plan::weaken_constraint(cx, constraint, constraint == root, *error)?
            }
            plan => plan?,
        };
        order.extend(children(&plan).filter(|child| !plans.contains_key(child)));
        plans.insert(constraint, plan);
    }
    let productive = productive(&plans, &order, |units| cx.spend(units))?;
    if !productive.contains(&root) {
        return Err(Error::unsatisfiable().into());
    }
    let mut emitter = Emitter::new(cx, &plans, &productive);
    emitter.grammar(root)?;
    Ok(emitter.ast)
}

/// Returns the plan of a constraint, unless all work is spent.
fn plan_within_work(cx: &mut Context<'_>, constraint: ConstraintId) -> Result<Plan, Stop> {
    if cx.is_exhausted() {
        return Err(cx.limit_here(Limit::Work, cx.config.limits.max_work));
    }
    cx.spend(1)?;
    plan::plan_constraint(cx, constraint)
}

/// Returns the constraints in a plan.
fn children(plan: &Plan) -> impl Iterator<Item = ConstraintId> {
    let items = plan.arrays.iter().flat_map(|array| {
        let (same, mixed) = match array.rest {
            Rest::Same(constraint) | Rest::DistinctValues(constraint) => (Some(constraint), &[][..]),
            Rest::Mixed(ref items) => (None, &items[..]),
            Rest::Distinct(ref elements) => (elements.values, &[][..]),
        };
        array.prefix.iter().copied().chain(same).chain(mixed.iter().map(|item| item.constraint))
    });
    items.chain(plan.objects.iter().flat_map(|object| object.members.iter().map(|member| member.constraint)))
}

/// Returns a count in 32 bits, which those of the keywords have: see `keyword::maximum`.
/// A sum of minima may exceed them.
fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Key of a rule without arrays and objects: null, booleans, numbers, strings and regular expressions.
type Scalar = (bool, [bool; 2], LanguageId, LanguageId, RegexStrings);

struct Emitter<'a, 'd> {
    cx: &'a mut Context<'d>,
    plans: &'a FxHashMap<ConstraintId, Plan>,
    productive: &'a FxHashSet<ConstraintId>,
    ast: Ast,
    names: FxHashMap<ConstraintId, Text>,
    used_names: FxHashSet<Text>,
    /// Last suffix that was appended to a name, so that a search for a free name does not start anew.
    suffixes: FxHashMap<String, u32>,
    /// Names of rules without arrays and objects.
    scalars: FxHashMap<Scalar, Text>,
    /// Names of the rules for regular expressions and for their groups.
    regex_rules: Option<[String; 2]>,
    pending: VecDeque<ConstraintId>,
    separators: Separators,
}

impl<'a, 'd> Emitter<'a, 'd> {
    fn new(
        cx: &'a mut Context<'d>,
        plans: &'a FxHashMap<ConstraintId, Plan>,
        productive: &'a FxHashSet<ConstraintId>,
    ) -> Self {
        let separators = Separators::new(cx.config);
        Self {
            cx,
            plans,
            productive,
            ast: Ast { rules: Vec::with_capacity(16), exprs: Vec::with_capacity(128), ..Ast::default() },
            names: FxHashMap::default(),
            used_names: FxHashSet::from_iter([START.into()]),
            suffixes: FxHashMap::default(),
            scalars: FxHashMap::default(),
            regex_rules: None,
            pending: VecDeque::new(),
            separators,
        }
    }

    fn grammar(&mut self, root: ConstraintId) -> Result<(), Stop> {
        let value = self.value(root);
        let start = match self.separators.around.clone() {
            None => value,
            Some(space) => {
                let (before, after) = (self.regex(&space), self.regex(&space));
                self.sequence(vec![before, value, after])
            }
        };
        self.rule(START, start);
        while let Some(constraint) = self.pending.pop_front() {
            self.cx.spend(1)?;
            let name = self.names[&constraint].clone();
            let body = self.body(constraint)?;
            // After cancellation, languages are written in part only.
            self.cx.check_cancelled()?;
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
            (min, max) => Quantifier::Bounds { min: saturated(min), max: max.map(saturated) },
        };
        self.push(ExprKind::Repeat { expr, quantifier })
    }

    fn comma(&mut self) -> ExprId {
        let comma = self.separators.comma.clone();
        self.push(ExprKind::Regex(comma))
    }

    fn bracket(&mut self, kind: usize, which: usize) -> ExprId {
        let bracket = self.separators.brackets[kind][which].clone();
        self.push(ExprKind::Regex(bracket))
    }

    /// Returns a reference to the rule of a productive constraint.
    fn value(&mut self, constraint: ConstraintId) -> ExprId {
        let name = match self.names.get(&constraint) {
            Some(name) => name.clone(),
            None => self.new_name(constraint),
        };
        self.push(ExprKind::Nonterminal(name))
    }

    /// Chooses a name for a constraint and enqueues its rule.
    fn new_name(&mut self, constraint: ConstraintId) -> Text {
        let plan = &self.plans[&constraint];
        let Values { null, booleans, number, string, regexes, .. } = *plan.values;
        let is_scalar = plan.arrays.is_empty() && plan.objects.is_empty();
        let key = (null, booleans, number, string, regexes);
        if is_scalar && let Some(known) = self.scalars.get(&key) {
            let name = known.clone();
            self.names.insert(constraint, name.clone());
            return name;
        }
        let preferred = match key {
            _ if constraint == ConstraintId::ANY => "any".to_owned(),
            _ if !is_scalar => self.preferred_name(constraint),
            (true, [false, false], LanguageId::NONE, LanguageId::NONE, RegexStrings::None) => {
                "null".to_owned()
            }
            (false, [true, true], LanguageId::NONE, LanguageId::NONE, RegexStrings::None) => {
                "boolean".to_owned()
            }
            (false, [false, false], LanguageId::NONE, LanguageId::ANY, RegexStrings::None) => {
                "string".to_owned()
            }
            (false, [false, false], number, LanguageId::NONE, RegexStrings::None)
                if self.is_any_number(number) =>
            {
                "number".to_owned()
            }
            _ => self.preferred_name(constraint),
        };
        let mut name: Text = preferred.as_str().into();
        while self.used_names.contains(&name) {
            let count = match self.suffixes.get_mut(&preferred) {
                Some(count) => count,
                None => self.suffixes.entry(preferred.clone()).or_insert(1),
            };
            *count += 1;
            name = [&*preferred, "_", &count.to_string()].concat().into();
        }
        self.used_names.insert(name.clone());
        if is_scalar {
            self.scalars.insert(key, name.clone());
        }
        self.names.insert(constraint, name.clone());
        self.pending.push_back(constraint);
        name
    }

    fn is_any_number(&self, number: LanguageId) -> bool {
        let any = self.cx.numbers.any;
        number == *self.cx.numbers.offered.get(&any).unwrap_or(&any)
    }

    /// Returns a name from the location of the schema in its document.
    fn preferred_name(&self, constraint: ConstraintId) -> String {
        let schema =
            self.cx.constraints.conjuncts(constraint).iter().find_map(|conjunct| match conjunct.subject {
                Subject::Schema(id, _) if conjunct.holds => Some(id),
                _ => None,
            });
        let last = schema.and_then(|id| self.cx.documents.name(id)).unwrap_or("value".into());
        let mut name: String =
            last.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).take(40).collect();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
            name.insert(0, '_');
        }
        name
    }

    /// Returns the body of the rule of a constraint: its scalars, and the productive arrays and objects of
    /// its plan.
    fn body(&mut self, constraint: ConstraintId) -> Result<ExprId, Stop> {
        let plans = self.plans;
        let plan = &plans[&constraint];
        let mut parts = self.scalar_parts(&plan.values);
        for array in plan.arrays.iter().filter(|array| is_array_productive(array, self.productive)) {
            self.cx.check_cancelled()?;
            self.array(array, &mut parts);
        }
        for object in plan.objects.iter().filter(|object| is_object_productive(object, self.productive)) {
            self.object(object, &mut parts)?;
        }
        if parts.is_empty() {
            // No alternative is productive: the rule gets the empty language.
            parts.push(self.cx.languages.write(LanguageId::NONE, &mut self.ast));
        }
        Ok(self.alternatives(parts))
    }

    /// Returns the alternatives for null, booleans, numbers and strings.
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
            parts.push(self.cx.languages.write(values.number, &mut self.ast));
        }
        if values.string != LanguageId::NONE {
            let string = self.string(values.string);
            parts.push(self.sequence(string));
        }
        if values.regexes != RegexStrings::None {
            let string = vec![self.text("\""), self.regexes(values.regexes), self.text("\"")];
            parts.push(self.sequence(string));
        }
        parts
    }

    /// Returns a string with these contents, in quotes.
    fn string(&mut self, contents: LanguageId) -> Vec<ExprId> {
        let spelled = self.cx.languages.spelled(contents);
        // Room for the colon and the value of a member.
        let mut parts = Vec::with_capacity(5);
        if let Language::Text(text) = self.cx.languages.get(spelled) {
            let quoted = ["\"", text, "\""].concat();
            parts.push(self.text(&quoted));
            return parts;
        }
        let open = self.text("\"");
        let contents = self.cx.languages.write(spelled, &mut self.ast);
        let close = self.text("\"");
        parts.extend([open, contents, close]);
        parts
    }
}
