//! Tool calls of language models: tags of grammask-tools, with outputs as chat templates write them.

#[path = "../../grammask-tools/tests/golden/mod.rs"]
mod golden;
#[path = "../../grammask-gbnf/tests/shared.rs"]
mod shared;

use golden::Output;
use grammask_notation::Outcome;
use grammask_tags::{Config, translate};
use shared::{Verdict, recognizer, verdict};

/// Returns the grammar of a request for an output.
fn grammar(format: &str, choice: &str, reasoning: &str, parallel: bool, config: &Config) -> Outcome {
    let output = Output {
        format: format.to_owned(),
        choice: choice.to_owned(),
        reasoning: reasoning.to_owned(),
        parallel: (!parallel).then_some(false),
        text: String::new(),
        accept: true,
    };
    let tag = golden::tag(&output).to_string();
    translate(&tag, config).unwrap_or_else(|errors| panic!("{tag}\n{}", errors.render()))
}

/// Returns the answer of a grammar for a text in which some pieces are special tokens.
fn verdict_with_specials(outcome: &Outcome, text: &str, specials: &[&str]) -> Verdict {
    let recognizer = recognizer(outcome);
    let network = recognizer.network();
    let (mut state, mut at) = (recognizer.initial(), 0);
    while at < text.len() {
        let special = specials.iter().find(|special| text[at..].starts_with(**special));
        let quoted = special.map(|special| format!("{special:?}"));
        let class = quoted.and_then(|quoted| {
            let index = network.specials.iter().position(|one| format!("{one:?}").contains(&quoted))?;
            Some(network.class_of_special(index))
        });
        let next = match class {
            Some(class) => recognizer.step_class(state, class),
            None => recognizer.step(state, text.as_bytes()[at]),
        };
        state = next.expect("a small grammar");
        if state.is_dead() {
            return Verdict::Reject(at);
        }
        at += special.filter(|_| class.is_some()).map_or(1, |special| special.len());
    }
    if state.completes() { Verdict::Accept } else { Verdict::Live }
}

#[test]
fn outputs_of_chat_templates_belong_to_their_tags() {
    let outputs = golden::outputs();
    let mut wrong = Vec::new();
    for output in &outputs {
        let tag = golden::tag(output).to_string();
        let outcome = translate(&tag, &Config::default())
            .unwrap_or_else(|errors| panic!("{}\n{tag}\n{}", output.format, errors.render()));
        let found = verdict(&outcome, &output.text);
        if (found == Verdict::Accept) != output.accept {
            wrong.push(format!("{} {} {:?}: {found:?}", output.format, output.choice, output.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), outputs.len(), wrong.join("\n"));
}

#[test]
fn tags_of_formats_are_stricter_than_those_of_peers_where_these_are_wrong() {
    const CALL: &str = "<｜tool▁call▁begin｜>add<｜tool▁sep｜>{\"a\": 1, \"b\": 2}<｜tool▁call▁end｜>";
    let section = |calls: &str| format!("<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>");
    let harmony =
        "<|channel|>commentary to=functions.add <|constrain|>json<|message|>{\"a\": 1, \"b\": 2}<|call|>";
    let kimi = |index: u32| {
        format!(
            "<|tool_call_begin|>functions.add:{index}<|tool_call_argument_begin|>{{\"a\": 1, \"b\": 2}}<|tool_call_end|>"
        )
    };
    let kimi = format!("<|tool_calls_section_begin|>{}{}<|tool_calls_section_end|>", kimi(0), kimi(7));
    let coder = "<tool_call>\n<function=weather>\n<parameter=city>\na\n</function>\nb\n</parameter>\n</function>\n</tool_call>";
    let two = section(CALL) + &section(CALL);
    let cases: &[(&str, &str, &str, bool, &str, bool)] = &[
        ("harmony", "required", "auto", true, "", false),
        ("harmony", "required", "auto", true, "<|channel|>analysis<|message|>x<|end|>", false),
        ("harmony", "auto", "", true, harmony, true),
        ("qwen3", "auto", "on", true, "<think>r</think>\n\nx", false),
        ("qwen3", "auto", "on", true, "r</think>\n\nx", true),
        ("qwen3", "auto", "auto", true, "<think>r</think>\n\nx", true),
        ("qwen3", "auto", "auto", true, "<think>\nr\n</think>\n\nx", true),
        ("qwen3", "auto", "on", true, "r</think>x", false),
        ("qwen3", "auto", "", true, "say <tool_call> please", false),
        ("qwen3_coder", "required", "", true, coder, true),
        ("kimi_k2", "required", "", true, &kimi, true),
        ("deepseek_v3_1", "required", "", true, &section(""), false),
        ("deepseek_v3_1", "required", "", true, &section(CALL), true),
        ("deepseek_v3_1", "auto", "", false, &two, false),
        ("deepseek_v3_1", "auto", "", true, &section(&(CALL.to_owned() + CALL)), true),
        ("llama3", "auto", "", true, "{\"name\":\"zz\"}", true),
    ];
    for &(format, choice, reasoning, parallel, text, accept) in cases {
        let outcome = grammar(format, choice, reasoning, parallel, &Config::default());
        let found = verdict(&outcome, text);
        assert_eq!(
            found == Verdict::Accept,
            accept,
            "{format} {choice} {text:?}: {found:?}\n{}",
            outcome.ast
        );
    }
}

#[test]
fn markers_that_are_special_tokens_are_demanded_as_tokens() {
    let markers = ["<tool_call>", "</tool_call>", "<think>", "</think>"];
    let config = Config { special_tokens: markers.into_iter().collect(), ..Config::default() };
    let auto = grammar("qwen3", "auto", "", true, &config);
    let call = "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}\n</tool_call>";
    for (text, as_tokens, as_text) in [
        ("say <tool_call> please", Verdict::Reject(15), Verdict::Accept),
        (call, Verdict::Accept, Verdict::Accept),
        ("<tool_call>x", Verdict::Reject(11), Verdict::Accept),
    ] {
        assert_eq!(verdict_with_specials(&auto, text, &markers), as_tokens, "{text}");
        assert_eq!(verdict(&auto, text), as_text, "{text}\n{}", auto.ast);
    }
    let required = grammar("qwen3", "required", "on", true, &config);
    let whole = format!("r</think>\n\n{call}");
    assert_eq!(verdict_with_specials(&required, &whole, &markers), Verdict::Accept);
    assert_eq!(verdict(&required, &whole), Verdict::Reject(8));
}
