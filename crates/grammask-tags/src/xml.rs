//! The styles of `json_schema` that write the properties of an object as XML-like parameters.

use std::cell::OnceCell;

use grammask_json_schema::Config as SchemaConfig;
use grammask_notation::json::{Kind, Value};
use grammask_syntax::{ExprId, ExprKind, Quantifier, Span, Text, Unordered};

use crate::format::limited;
use crate::{Format, Translator};

mod values;

/// A style of parameters.
#[derive(Clone, Copy, Debug)]
struct Style {
    name: &'static str,
    /// The text before a value, with `{key}` and `{type}`.
    open: &'static str,
    /// The text after a value, with `{key}`. A raw text does not contain its beginning up to `{key}`.
    close: &'static str,
    /// Names of the types: of a text, of an integer or number, of a boolean, of null, of an object, of an
    /// array.
    types: [&'static str; 6],
    /// True if objects are written as parameters inside of the value.
    is_recursive: bool,
    /// True if blanks are allowed around values.
    has_blanks: bool,
}

const JSON_TYPES: [&str; 6] = ["string", "number", "boolean", "null", "object", "array"];
const IS_STRING: [&str; 6] = ["true", "false", "false", "false", "false", "false"];

const STYLES: [Style; 8] = [
    style("qwen_xml", "<parameter={key}>", "</parameter>", JSON_TYPES),
    style("minimax_xml", "<parameter name=\"{key}\">", "</parameter>", JSON_TYPES),
    style("glm_xml", "<arg_key>{key}</arg_key>{blanks}<arg_value>", "</arg_value>", JSON_TYPES),
    style(
        "deepseek_xml",
        "<｜DSML｜parameter name=\"{key}\" string=\"{type}\">",
        "</｜DSML｜parameter>",
        IS_STRING,
    ),
    style(
        "deepseek_v4_1_xml",
        "<｜DSML｜ parameter name=\"{key}\" string=\"{type}\">",
        "</｜DSML｜ parameter>",
        IS_STRING,
    ),
    Style {
        is_recursive: true,
        ..style(
            "cohere_xml",
            "<cofl:value name=\"{key}\" type=\"{type}\">",
            "</cofl:value>",
            ["raw", "json", "json", "json", "dict", "list"],
        )
    },
    style(
        "kimi_k3_xml",
        "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>",
        "<|close|>argument<|sep|>",
        JSON_TYPES,
    ),
    Style {
        is_recursive: true,
        has_blanks: false,
        ..style("minimax_m3_xml", "]<]minimax[>[<{key}>", "]<]minimax[>[</{key}>", JSON_TYPES)
    },
];

const fn style(
    name: &'static str,
    open: &'static str,
    close: &'static str,
    types: [&'static str; 6],
) -> Style {
    Style { name, open, close, types, is_recursive: false, has_blanks: true }
}

/// Regex of a key that the schema does not name.
const KEY: &str = "[a-zA-Z_][a-zA-Z0-9_]*";

/// Number of references and unions that are followed for one value.
const MAX_STEPS: usize = 64;

/// Options of one format.
struct Options<'o> {
    style: Style,
    config: &'o SchemaConfig,
    excludes: &'o [(String, Span)],
    blanks: String,
    any_order: bool,
    place: Span,
    /// The rules for objects and arrays of any values, once they are needed.
    containers: OnceCell<[Text; 2]>,
}

/// The key of a parameter.
#[derive(Clone, Copy, Debug)]
enum Key<'k> {
    /// A property of the schema.
    Named(&'k str),
    /// Any key but those of the schema.
    Other(&'k [&'k str]),
}

/// The kind of a value, an index into [`Style::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text = 0,
    Number = 1,
    Boolean = 2,
    Null = 3,
    Object = 4,
    Array = 5,
}

impl Type {
    const ALL: [Self; 6] = [Self::Text, Self::Number, Self::Boolean, Self::Null, Self::Object, Self::Array];

    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::Text,
            "integer" | "number" => Self::Number,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            "object" => Self::Object,
            "array" => Self::Array,
            _ => return None,
        })
    }
}

impl Translator<'_, '_> {
    /// Translates a schema in a style of parameters.
    pub(crate) fn xml(
        &mut self,
        value: Value<'_>,
        schema: Value<'_>,
        name: &str,
        config: &SchemaConfig,
        excludes: &[(String, Span)],
    ) -> Option<Format> {
        let Some(style) = STYLES.iter().find(|style| style.name == name) else {
            let names: Vec<&str> = STYLES.iter().map(|style| style.name).collect();
            let place = value.get("style").unwrap_or(value);
            let hint = format!("the styles are json, {}", names.join(", "));
            return self.fail_hint(format!("`{name}` is not a style"), place, &hint);
        };
        let blanks = match self.integer(value, "max_whitespace_cnt")? {
            Some(count) => format!("[ \\n\\t]{{0,{count}}}"),
            None => "[ \\n\\t]*".to_owned(),
        };
        let any_order = self.flag(value, "any_order", false)?;
        let place = self.span(value);
        let options = Options {
            style: *style,
            config,
            excludes,
            blanks,
            any_order,
            place,
            containers: OnceCell::new(),
        };
        let expr = self.xml_object(schema, schema, &options, 0)?;
        limited(expr)
    }

    fn blanks(&mut self, options: &Options<'_>) -> ExprId {
        self.builder.regex(&options.blanks, options.place)
    }

    /// Follows references and returns the schema itself.
    fn resolve<'d>(&mut self, root: Value<'d>, mut schema: Value<'d>) -> Option<Value<'d>> {
        for _ in 0..MAX_STEPS {
            let Some(reference) = schema.get("$ref") else { return Some(schema) };
            let target = reference.as_str().and_then(|text| pointer(root, text));
            match target {
                Some(target) => schema = target,
                None => return self.fail("the reference leads nowhere in this schema", reference),
            }
        }
        self.fail("the reference leads to itself", schema)
    }

    /// Translates the parameters of an object.
    fn xml_object(
        &mut self,
        root: Value<'_>,
        schema: Value<'_>,
        options: &Options<'_>,
        depth: usize,
    ) -> Option<ExprId> {
        let limit = self.config.limits.max_format_depth;
        if depth > limit {
            return self.fail(format!("more than {limit} nested formats (limit `max_format_depth`)"), schema);
        }
        self.xml_objects += 1;
        let limit = self.config.limits.max_xml_objects;
        if self.xml_objects > limit {
            if self.xml_objects == limit + 1 {
                let message = format!("more than {limit} objects as parameters (limit `max_xml_objects`)");
                return self.fail(message, schema);
            }
            return None;
        }
        let schema = self.resolve(root, schema)?;
        let place = options.place;
        if let Some(union) = schema.get("anyOf").or(schema.get("oneOf"))
            && schema.get("properties").is_none()
        {
            let mut parts = Vec::new();
            for item in union.items().unwrap_or_default() {
                parts.push(self.xml_object(root, item, options, depth + 1)?);
            }
            return Some(self.builder.alternatives(parts, place));
        }
        if depth == 0
            && let Some(kind) = schema.get("type").and_then(Value::as_str)
            && kind != "object"
        {
            return match kind {
                "string" => Some(self.raw_text(schema, options)?),
                _ => self.schema_part(root, schema, options),
            };
        }
        for keyword in ["minProperties", "maxProperties", "patternProperties", "dependentRequired"] {
            if let Some(found) = schema.get(keyword) {
                let span = self.span(found);
                self.builder.note(format!("`{keyword}` does not apply in this style"), span);
            }
        }
        let required = schema.get("required").and_then(Value::items).unwrap_or_default();
        let required: Vec<&str> = required.into_iter().filter_map(Value::as_str).collect();
        let properties = schema.get("properties");
        if options.style.name == "minimax_m3_xml"
            && let Some(others) = schema.get("additionalProperties")
            && others.as_bool() != Some(false)
        {
            let span = self.span(others);
            self.builder.note("this style has only the named properties", span);
        }
        let mut items = Vec::new();
        for (key, property) in properties.into_iter().flat_map(Value::members) {
            let parameter = self.parameter(root, Key::Named(key), property, options, depth)?;
            let after = self.blanks(options);
            let expr = self.builder.sequence(vec![parameter, after], place);
            items.push((expr, required.contains(&key)));
        }
        let others = match schema.get("additionalProperties") {
            None if properties.is_some() => None,
            None => Some(schema),
            Some(others) if others.as_bool() == Some(false) => None,
            Some(others) => Some(others),
        };
        let others = match others {
            _ if options.style.name == "minimax_m3_xml" => None,
            Some(value) => {
                // Without `properties` and `additionalProperties`, values are of any type.
                let is_any = schema.get("additionalProperties").is_none() || value.as_bool() == Some(true);
                let names: Vec<&str> =
                    properties.into_iter().flat_map(Value::members).map(|(name, _)| name).collect();
                let parameter = match is_any {
                    true => self.any_parameter(Key::Other(&names), options)?,
                    false => self.parameter(root, Key::Other(&names), value, options, depth)?,
                };
                let after = self.blanks(options);
                let one = self.builder.sequence(vec![parameter, after], place);
                Some(self.builder.repeat(one, 0, None, place))
            }
            None => None,
        };
        let mut parts = vec![self.blanks(options)];
        if options.any_order && items.len() > 1 {
            parts.push(self.in_any_order(items, place));
        } else {
            for (item, is_required) in items {
                parts.push(if is_required { item } else { self.builder.optional(item, place) });
            }
        }
        parts.extend(others);
        Some(self.builder.sequence(parts, place))
    }

    fn in_any_order(&mut self, items: Vec<(ExprId, bool)>, place: Span) -> ExprId {
        let parts: Vec<ExprId> = items
            .into_iter()
            .map(|(expr, is_required)| match is_required {
                true => expr,
                false => {
                    let kind = ExprKind::Repeat { expr, quantifier: Quantifier::Option };
                    self.builder.push(kind, place)
                }
            })
            .collect();
        let unordered =
            Unordered { parts: parts.into(), has_separator: false, min: 0, max: None, requires: Vec::new() };
        self.builder.push(ExprKind::Unordered(Box::new(unordered)), place)
    }

    /// Translates a parameter with a value of any type.
    fn any_parameter(&mut self, key: Key<'_>, options: &Options<'_>) -> Option<ExprId> {
        let mut branches = Vec::new();
        for (kind, value) in self.any_values(options)? {
            branches.push(self.wrapped(key, options.style.types[kind as usize], value, options));
        }
        if options.style.name == "kimi_k3_xml" {
            let text = self.raw(options)?;
            branches.push(self.wrapped(key, "integer", text, options));
        }
        Some(self.builder.alternatives(branches, options.place))
    }

    /// Returns the values of any type. Styles without types write all of them as raw texts.
    fn any_values(&mut self, options: &Options<'_>) -> Option<Vec<(Type, ExprId)>> {
        let style = options.style;
        let mut all = vec![(Type::Text, self.raw(options)?)];
        if !style.open.contains("{type}") {
            return Some(all);
        }
        for kind in Type::ALL.into_iter().skip(1) {
            let value = match kind {
                _ if style.name == "kimi_k3_xml" => self.raw(options)?,
                Type::Object | Type::Array if style.is_recursive => self.any_container(kind, options)?,
                kind => {
                    let name = JSON_TYPES[kind as usize];
                    let text = format!("{{\"type\": \"{name}\"}}");
                    let expr = self.schema_text(&text, options.config, options.place)?;
                    self.within_blanks(expr, options)
                }
            };
            all.push((kind, value));
        }
        Some(all)
    }

    /// Returns an object or array of any values, written as parameters. Both are rules, which the values of
    /// this format share.
    fn any_container(&mut self, kind: Type, options: &Options<'_>) -> Option<ExprId> {
        let place = options.place;
        if let Some([object, array]) = options.containers.get() {
            let name = if kind == Type::Object { object } else { array };
            return Some(self.builder.name(name, place));
        }
        let names = ["any_object", "any_array"].map(|stem| self.builder.fresh(stem));
        let _ = options.containers.set(names.clone());
        let named = self.any_parameter(Key::Other(&[]), options)?;
        let mut unnamed = Vec::new();
        for (kind, value) in self.any_values(options)? {
            unnamed.push(self.unnamed(kind, value, options));
        }
        let unnamed = self.builder.alternatives(unnamed, place);
        for (name, item) in names.iter().zip([named, unnamed]) {
            let (before, after) = (self.blanks(options), self.blanks(options));
            let item = self.builder.sequence(vec![item, after], place);
            let items = self.builder.repeat(item, 0, None, place);
            let body = self.builder.sequence(vec![before, items], place);
            self.builder.rule(name, place, body, place);
        }
        let name = if kind == Type::Object { &names[0] } else { &names[1] };
        Some(self.builder.name(name, place))
    }

    /// Returns any raw text.
    fn raw(&mut self, options: &Options<'_>) -> Option<ExprId> {
        let place = options.place;
        let close = options.style.close;
        let end = &close[..close.find("</{key}").unwrap_or(close.len())];
        let mut dispatch = grammask_gbnf::dispatch::Dispatch::new();
        dispatch.exclude(end, place);
        for (text, span) in options.excludes.iter().filter(|(text, _)| !text.is_empty()) {
            dispatch.exclude(text, *span);
        }
        dispatch.build(self.builder, place)
    }

    /// Returns an item of an array.
    fn unnamed(&mut self, kind: Type, value: ExprId, options: &Options<'_>) -> ExprId {
        let (open, close) = match options.style.name {
            "minimax_m3_xml" => ("]<]minimax[>[<item>".to_owned(), "]<]minimax[>[</item>"),
            _ => {
                let name = options.style.types[kind as usize];
                (format!("<cofl:value type=\"{name}\">"), "</cofl:value>")
            }
        };
        let open = self.builder.text(&open, options.place);
        let close = self.builder.text(close, options.place);
        self.builder.sequence(vec![open, value, close], options.place)
    }

    /// Translates a parameter: one alternative for each type of its value.
    fn parameter(
        &mut self,
        root: Value<'_>,
        key: Key<'_>,
        schema: Value<'_>,
        options: &Options<'_>,
        depth: usize,
    ) -> Option<ExprId> {
        let mut branches = Vec::new();
        let mut pending = vec![schema];
        let mut steps = 0;
        while let Some(schema) = pending.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                let message = format!("more than {MAX_STEPS} alternatives of a value (`MAX_STEPS`)");
                return self.fail(message, schema);
            }
            let schema = self.resolve(root, schema)?;
            if let Some(union) = schema.get("anyOf").or(schema.get("oneOf")) {
                pending.extend(union.items().unwrap_or_default().into_iter().rev());
                continue;
            }
            for (kind, value) in self.branches(root, schema, options, depth)? {
                branches.push(self.wrapped(key, options.style.types[kind as usize], value, options));
            }
        }
        Some(self.builder.alternatives(branches, options.place))
    }

    /// Returns the text of a parameter around its value.
    fn wrapped(&mut self, key: Key<'_>, type_name: &str, value: ExprId, options: &Options<'_>) -> ExprId {
        let style = options.style;
        let place = options.place;
        let mut parts = Vec::new();
        for template in [style.open, style.close] {
            if template == style.close {
                parts.push(value);
            }
            let template = template.replace("{type}", type_name);
            for (index, piece) in template.split("{key}").enumerate() {
                if index > 0 {
                    parts.push(match key {
                        Key::Named(key) => self.builder.text(key, place),
                        Key::Other(names) => {
                            let mut operands = vec![self.builder.regex(KEY, place)];
                            for name in names {
                                let name = self.builder.text(name, place);
                                operands.push(self.builder.not(name, place));
                            }
                            self.builder.and(operands, place)
                        }
                    });
                }
                for (index, piece) in piece.split("{blanks}").enumerate() {
                    if index > 0 {
                        parts.push(self.blanks(options));
                    }
                    parts.push(self.builder.text(piece, place));
                }
            }
        }
        self.builder.sequence(parts, place)
    }

    /// Returns the values of a schema without unions, by their types.
    fn branches(
        &mut self,
        root: Value<'_>,
        schema: Value<'_>,
        options: &Options<'_>,
        depth: usize,
    ) -> Option<Vec<(Type, ExprId)>> {
        let place = options.place;
        let listed = match (schema.get("const"), schema.get("enum").and_then(Value::items)) {
            (Some(value), _) => Some(vec![value]),
            (None, values) => values,
        };
        if let Some(values) = listed {
            let mut all = Vec::new();
            for value in values {
                let (kind, text) = match value.kind() {
                    Kind::String(text) => (Type::Text, text.clone()),
                    Kind::Null => (Type::Null, "null".to_owned()),
                    Kind::Boolean(_) => (Type::Boolean, self.source(value).to_owned()),
                    Kind::Number(_) => (Type::Number, self.source(value).to_owned()),
                    Kind::Object(_) => (Type::Object, self.source(value).to_owned()),
                    Kind::Array(_) => (Type::Array, self.source(value).to_owned()),
                };
                if options.excludes.iter().any(|(exclude, _)| text.contains(exclude.as_str())) {
                    continue;
                }
                let expr = self.builder.text(&text, place);
                all.push((kind, self.within_blanks(expr, options)));
            }
            return Some(all);
        }
        let types: Vec<Type> = match schema.get("type").map(Value::kind) {
            Some(Kind::String(name)) => Type::of(name).into_iter().collect(),
            Some(Kind::Array(_)) => {
                let names = schema.get("type").and_then(Value::items).unwrap_or_default();
                names.into_iter().filter_map(|name| Type::of(name.as_str()?)).collect()
            }
            _ if schema.get("properties").is_some() => vec![Type::Object],
            _ => Type::ALL.to_vec(),
        };
        if types.is_empty() {
            return self.fail("the type is not one of JSON Schema", schema);
        }
        let mut all = Vec::with_capacity(types.len());
        for kind in types {
            let expr = match kind {
                Type::Text => self.raw_text(schema, options)?,
                Type::Object if options.style.is_recursive => {
                    self.xml_object(root, schema, options, depth + 1)?
                }
                Type::Array if options.style.is_recursive => self.xml_list(root, schema, options, depth)?,
                kind => {
                    let expr = self.typed_part(root, schema, kind, options)?;
                    self.within_blanks(expr, options)
                }
            };
            all.push((kind, expr));
        }
        Some(all)
    }

    fn within_blanks(&mut self, expr: ExprId, options: &Options<'_>) -> ExprId {
        if !options.style.has_blanks {
            return expr;
        }
        let (before, after) = (self.blanks(options), self.blanks(options));
        self.builder.sequence(vec![before, expr, after], options.place)
    }

    /// Translates the items of an array as values without names.
    fn xml_list(
        &mut self,
        root: Value<'_>,
        schema: Value<'_>,
        options: &Options<'_>,
        depth: usize,
    ) -> Option<ExprId> {
        let limit = self.config.limits.max_format_depth;
        if depth > limit {
            return self.fail(format!("more than {limit} nested formats (limit `max_format_depth`)"), schema);
        }
        let place = options.place;
        let has_blanks = options.style.has_blanks;
        let items = match schema.get("items") {
            Some(items) => Some(self.resolve(root, items)?),
            None => None,
        };
        let values = match items {
            Some(items) => self.branches(root, items, options, depth + 1)?,
            None if has_blanks => self.any_values(options)?,
            None => return Some(self.builder.empty(place)),
        };
        let mut branches = Vec::new();
        for (kind, value) in values {
            let mut parts = vec![self.unnamed(kind, value, options)];
            if has_blanks {
                parts.push(self.blanks(options));
            }
            branches.push(self.builder.sequence(parts, place));
        }
        let item = self.builder.alternatives(branches, place);
        let bound =
            |field| schema.get(field).and_then(Value::as_i64).and_then(|count| u64::try_from(count).ok());
        let (min, max) = (bound("minItems").unwrap_or(0), bound("maxItems"));
        if max.is_some_and(|max| max < min) {
            return self.fail("`minItems` exceeds `maxItems`", schema);
        }
        let list = self.builder.repeat(item, min, max, place);
        if !has_blanks {
            return Some(list);
        }
        let before = self.blanks(options);
        Some(self.builder.sequence(vec![before, list], place))
    }
}

/// Returns the value at a pointer such as `#/$defs/a`.
fn pointer<'d>(root: Value<'d>, reference: &str) -> Option<Value<'d>> {
    let path = reference.strip_prefix('#')?;
    let mut value = root;
    for step in path.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        value = match value.items() {
            Some(items) => *items.get(step.parse::<usize>().ok()?)?,
            None => value.get(&step)?,
        };
    }
    Some(value)
}
