//! `grammask show`: prints a stage of compiling or running a grammar.

use std::sync::Arc;

use grammask::{Config, Error};
use grammask_earley::{Recognizer, SetId};
use grammask_mask::{Lexicon, LexiconConfig, Masks, STRATEGIES};
use grammask_normal::PASSES;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::Status;
use crate::args::{ReadingArgs, Show, Stage, VocabularyArgs};
use crate::failure::Failure;
use crate::input::source::{Source, config};
use crate::input::vocabulary;
use crate::output::listing::{group_text, groups, token_json};
use crate::output::{Output, bytes_to_json, quoted};

pub(crate) fn run(arguments: &Show, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    check(arguments)?;
    let config = config(reading)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    match arguments.stage {
        Stage::Ast => {
            let ast = source.parse(&config)?;
            let tree = out.is_json().then(|| serde_json::to_value(&ast)).transpose();
            text(out, "ast", &long_or_short(&ast, arguments.ids), tree)
        }
        Stage::Passes => passes(arguments, &source, &config, out),
        Stage::Normal => {
            let normal = source.compile(&config)?.normal;
            let tree = out.is_json().then(|| serde_json::to_value(&normal)).transpose();
            text(out, "normal", &long_or_short(&normal, arguments.ids), tree)
        }
        Stage::Network => {
            let network = source.compile(&config)?.network;
            text(out, "network", &long_or_short(&network, arguments.ids), Ok(None))
        }
        Stage::Sets => sets(arguments, &source.compile(&config)?.recognizer(&config), out),
        Stage::Mask => mask(arguments, &source, config, out),
    }
}

/// Refuses options that have no effect on the stage, because a user who gives one expects an effect.
fn check(arguments: &Show) -> Result<(), Failure> {
    let VocabularyArgs { vocab, file, eos, eager } = &arguments.vocabulary;
    let has_text = matches!(arguments.stage, Stage::Sets | Stage::Mask);
    let has_tokens = arguments.stage == Stage::Mask;
    let given = [
        ("--after", arguments.after.is_some(), has_text),
        ("--vocab", vocab.is_some(), has_tokens),
        ("--vocab-format", file.vocab_format.is_some(), has_tokens),
        ("--eos", !eos.is_empty(), has_tokens),
        ("--eager", *eager, has_tokens),
        ("--strategies", arguments.strategies, has_tokens),
    ];
    match given.into_iter().find(|&(_, is_given, is_used)| is_given && !is_used) {
        Some((option, ..)) => Err(Failure::Usage(format!("error: {option} has no effect on this stage\n"))),
        None => Ok(()),
    }
}

/// Formats a value, in its long form with ids or in its short form.
fn long_or_short(value: &impl std::fmt::Display, long: bool) -> String {
    if long { format!("{value:#}") } else { value.to_string() }
}

/// Prints a stage that is one text. As JSON, also prints its structure, if there is one.
fn text(
    out: &mut Output,
    stage: &str,
    text: &str,
    tree: serde_json::Result<Option<Value>>,
) -> Result<Status, Failure> {
    if out.is_json() {
        let tree = tree.map_err(|error| Failure::other(error.to_string()))?;
        let mut answer = json!({ "stage": stage, "text": text });
        if let Some(tree) = tree {
            answer["tree"] = tree;
        }
        out.json(&answer)?;
    } else {
        out.text(text)?;
    }
    Ok(Status::Yes)
}

/// Prints the grammar after every pass.
fn passes(arguments: &Show, source: &Source, config: &Config, out: &mut Output) -> Result<Status, Failure> {
    let ast = source.parse(config)?;
    let trace = grammask_normal::normalize_traced(&ast, &config.normal)
        .map_err(|errors| source.failure(&errors.into()))?;
    let mut before = String::new();
    let mut answers = Vec::new();
    for (name, grammar) in &trace.steps {
        let after = long_or_short(grammar, arguments.ids);
        let pass = PASSES.iter().find(|pass| pass.name == *name);
        if out.is_json() {
            answers.push(json!({
                "pass": name,
                "description": pass.map(|pass| pass.description),
                "postcondition": pass.map(|pass| pass.postcondition),
                "changed": after != before,
                "text": after,
            }));
        } else if after == before {
            out.line(format_args!("(* {name}: unchanged *)\n"))?;
        } else {
            out.line(format_args!("(* {name} *)\n{after}"))?;
        }
        before = after;
    }
    if out.is_json() {
        out.json(&json!({ "stage": "passes", "passes": answers }))?;
    }
    Ok(Status::Yes)
}

/// Prints the Earley sets before and after every byte. A set that was printed already is only named.
fn sets(arguments: &Show, recognizer: &Recognizer, out: &mut Output) -> Result<Status, Failure> {
    let bytes = arguments.after.as_deref().unwrap_or_default().as_encoded_bytes();
    let mut shown: FxHashSet<SetId> = FxHashSet::default();
    let mut answers = Vec::new();
    let mut state = recognizer.initial();
    for at in 0..=bytes.len() {
        let before = at.checked_sub(1).map(|at| (at, bytes[at]));
        if let Some((at, byte)) = before {
            let next = recognizer.step(state, byte)?;
            if next.is_dead() {
                if !out.is_json() {
                    out.flush()?;
                }
                return Err(Failure::NotLive { at });
            }
            state = next;
        }
        if out.is_json() {
            answers.push(json!({
                "after": at,
                "set": state.to_string(),
                "complete": state.completes(),
                "text": recognizer.show(state)?,
            }));
            continue;
        }
        match before {
            None => out.line("at the beginning")?,
            Some((at, byte)) => out.line(format_args!("after byte {at}, {}", quoted(&[byte])))?,
        }
        if shown.insert(state) {
            out.line(recognizer.show(state)?)?;
        } else {
            out.line(format_args!("{state}, as above\n"))?;
        }
    }
    if out.is_json() {
        out.json(&json!({ "stage": "sets", "sets": answers }))?;
    }
    Ok(Status::Yes)
}

/// Prints the mask after a text, in groups.
fn mask(arguments: &Show, source: &Source, mut config: Config, out: &mut Output) -> Result<Status, Failure> {
    let compiled = source.compile(&config)?;
    let (vocabulary, ending) = vocabulary::load(&arguments.vocabulary, out.is_json())?;
    let vocabulary = Arc::new(vocabulary);
    config.ending = ending;
    let recognizer = compiled.recognizer(&config);
    let lexicon = Arc::new(Lexicon::new(Arc::clone(&vocabulary), &LexiconConfig::default()));
    let masks = Masks::new(recognizer, Arc::clone(&lexicon), &config.ending, &config.masks)
        .map_err(|errors| source.failure(&Error::of_binding(errors, &compiled.ast, &vocabulary, &config)))?;
    let text = arguments.after.as_deref().unwrap_or_default().as_encoded_bytes();
    let mut state = masks.recognizer().initial();
    let mut is_finished = false;
    for (at, &byte) in text.iter().enumerate() {
        let next = masks.recognizer().step(state, byte)?;
        if next.is_dead() || is_finished {
            return Err(Failure::NotLive { at });
        }
        is_finished = config.ending == grammask::Ending::Eager && next.completes();
        state = next;
    }
    let mut scratch = grammask::Scratch::new(vocabulary.id_count());
    // With eager ending, no token can follow a complete text.
    let groups = if is_finished { Vec::new() } else { groups(&masks, state)? };
    let count = if is_finished { 0 } else { masks.mask(state, &mut scratch)?.count() };
    let uses = lexicon.stats().strategies;
    if out.is_json() {
        let group = |group: &crate::output::listing::Group| {
            let tokens: Value = group.tokens.iter().map(|&id| token_json(&vocabulary, id)).collect();
            json!({ "title": group.title, "count": group.tokens.len(), "tokens": tokens })
        };
        out.json(&json!({
            "stage": "mask",
            "after": bytes_to_json(text),
            "set": state.to_string(),
            "complete": state.completes(),
            "count": count,
            "groups": groups.iter().map(group).collect::<Value>(),
            "strategies": uses.iter().map(|(name, uses)| (name.to_owned(), Value::from(uses))).collect::<Value>(),
        }))?;
        return Ok(Status::Yes);
    }
    let complete = if state.completes() { ", complete" } else { "" };
    out.line(format_args!("after {}: {count} of {} tokens{complete}", quoted(text), vocabulary.id_count()))?;
    for group in &groups {
        out.text(group_text(group, &vocabulary, arguments.ids))?;
    }
    if arguments.strategies {
        out.line("strategies of the lexicon, and how often each answered:")?;
        for (strategy, (name, uses)) in STRATEGIES.iter().zip(uses.iter()).filter(|(_, (_, uses))| *uses > 0)
        {
            out.line(format_args!("  {name} {uses}: {}", strategy.applies))?;
        }
    }
    Ok(Status::Yes)
}
