//! The first inputs of each target: fixtures, the worst inputs known, and one small file of each format.

use std::path::Path;

use grammask::{Grammar, Tables, TokenId};
use grammask_testkit::fixtures::{fixtures_root, for_each_case, grammars};
use grammask_testkit::worst::{Source, worst_cases};

use crate::Input;
use crate::files::body;
use crate::vocabularies::{config, vocabulary};

/// The name of the environment variable with the folder for the seeds.
const FOLDER: &str = "GRAMMASK_FUZZ_SEEDS";

/// Maximum length of a seed from a fixture, in bytes.
const MAX_SEED_BYTES: usize = 2_048;

/// Writes the seeds of a target and ends the process, if the environment names a folder for them.
///
/// # Panics
/// If a seed cannot be written.
pub fn write_seeds_if_asked(target: &str) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    for (number, seed) in seeds(target).iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number:04}")), seed).expect("a seed can be written");
    }
    std::process::exit(0);
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        "kbnf" => kbnf().into_iter().map(|text| Input::write(0b10, 1, text.as_bytes())).collect(),
        "json_schema" => schemas(),
        "load" => saved_grammars(),
        "vocabulary" => vocabularies(),
        "notation" => notations(),
        "tags" => tags(),
        _ => Vec::new(),
    };
    seeds.retain(|seed: &Vec<u8>| seed.len() <= MAX_SEED_BYTES);
    seeds
}

/// Grammars of the fixtures and of the worst inputs.
fn kbnf() -> Vec<String> {
    let mut texts = Vec::new();
    let root = fixtures_root();
    for_each_case(&root, |case| texts.push(case.grammar.clone()));
    texts.extend(grammars(&root).into_iter().map(|fixture| fixture.grammar));
    texts.extend(worst_cases(1).into_iter().filter_map(|case| match case.source {
        Source::Kbnf(text) => Some(text),
        Source::Schema(_) => None,
    }));
    texts
}

/// Schemas with each group of keywords.
const SCHEMAS: &[&str] = &[
    r#"{"type":"object","properties":{"a":{"type":"integer","minimum":3},"b":{"type":"string"}},"required":["a"]}"#,
    r#"{"type":"object","additionalProperties":{"type":["null","boolean"]},"minProperties":1,"maxProperties":3}"#,
    r#"{"type":"object","patternProperties":{"^x":{"type":"number"},"z$":{}},"propertyNames":{"maxLength":3}}"#,
    r#"{"properties":{"k":{"const":1}},"dependentRequired":{"k":["l"]},"dependentSchemas":{"l":{"minProperties":2}}}"#,
    r#"{"type":"array","prefixItems":[{"type":"string"},true],"items":{"type":"integer"},"minItems":1,"maxItems":4}"#,
    r#"{"type":"array","contains":{"const":7},"minContains":1,"maxContains":2,"uniqueItems":true,"maxItems":5}"#,
    r#"{"type":"array","items":[{"enum":["a",1,null]}],"additionalItems":false}"#,
    r#"{"type":"string","minLength":2,"maxLength":5,"pattern":"^[a-c]+(?=x|$)"}"#,
    r#"{"type":"string","format":"date-time"}"#,
    r#"{"anyOf":[{"format":"ipv4"},{"format":"uuid"},{"format":"email"}],"type":"string"}"#,
    r#"{"type":"number","multipleOf":0.25,"exclusiveMinimum":-3,"maximum":1e3}"#,
    r#"{"type":"integer","minimum":-17,"exclusiveMaximum":4200}"#,
    r#"{"oneOf":[{"type":"object","required":["t"],"properties":{"t":{"const":"x"}}},{"type":"null"}]}"#,
    r#"{"allOf":[{"type":"string"},{"not":{"enum":["a","b"]}},{"not":{"pattern":"b"}}]}"#,
    r##"{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}"##,
    r#"{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}"#,
    r#"{"properties":{"a":true},"unevaluatedProperties":false,"allOf":[{"properties":{"b":true}}]}"#,
    r#"{"prefixItems":[true],"unevaluatedItems":{"type":"string"}}"#,
    r##"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/","type":"integer","minimum":1,"exclusiveMinimum":true}"##,
    r##"{"$dynamicAnchor":"t","type":"array","items":{"$dynamicRef":"#t"}}"##,
    r#"{"type":"string","nullable":true,"discriminator":{"propertyName":"t"}}"#,
    r#"{"enum":[{"a":[1,2.50,"\u00e9"]},[],-0.0,1e2,"\n"]}"#,
    "true",
    "false",
];

fn schemas() -> Vec<Vec<u8>> {
    let worst = worst_cases(1).into_iter().filter_map(|case| match case.source {
        Source::Schema(text) => Some(text),
        Source::Kbnf(_) => None,
    });
    let texts: Vec<String> = SCHEMAS.iter().map(|text| (*text).to_owned()).chain(worst).collect();
    let options = [0b10, 0b1010, 0b1110_0001_0010, 0b0100_1010_0100_0010];
    let with = |options: u16| texts.iter().map(move |text| Input::write(options, 1, text.as_bytes()));
    options.into_iter().flat_map(with).collect()
}

fn saved_grammars() -> Vec<Vec<u8>> {
    let vocabulary = vocabulary(1 << 22);
    let mut seeds = Vec::new();
    for text in kbnf() {
        let Ok(grammar) = Grammar::compile(&text, &vocabulary, &config(1 << 22)) else { continue };
        let mut matcher = grammar.matcher();
        for tables in [Tables::Cold, Tables::Warm] {
            seeds.push(Input::write(1, 1, body(&grammar.save(tables))));
            for _ in 0..3 {
                let token = matcher.mask().iter().next().unwrap_or(TokenId(0));
                let _ = matcher.accept(token);
            }
        }
    }
    for text in SCHEMAS {
        if let Ok(grammar) = Grammar::from_json_schema_text(text, &vocabulary, &config(1 << 22)) {
            seeds.push(Input::write(0, 1, body(&grammar.save(Tables::Cold))));
        }
    }
    seeds
}

fn notations() -> Vec<Vec<u8>> {
    const TEXTS: &[(u16, &str)] = &[
        (
            0,
            "root ::= \"say \" my-word ws\nmy-word ::= [a-z]+ | [^a-z\\n] | \"\" # all\nws ::= [ \\t]{0,3}\n",
        ),
        (0, "root ::= ( \"a\" | b )* <think> !<[303]>*\nb ::= \"\\x41\\u00e9\" . b?\n"),
        (
            1,
            "root ::= Regex(\"[0-9]+\") | TagDispatch((\"<f\", b), loop_after_dispatch=false)\nb ::= \"x\"{2,3}\n",
        ),
        (1, "root ::= (a (= \"c\")) [^]\na ::= ExcludeToken(3)* \"é\" | /[a-z]+/\n"),
        (
            2,
            "start: greeting \", \" NAME \"!\"\ngreeting: \"hello\"i | \"good day\"\nNAME: /[A-Z][a-z]+/ & ~\"Root\"\n",
        ),
        (2, "%import common (INT, WS)\n%ignore WS\n?start: sum\n?sum: sum \"+\" INT -> add | INT~1..3\n"),
        (2, "start: text @t\nt: %json {\"type\":\"integer\"}\ntext[lazy]: /(.|\\n)*<f/\n"),
        (2, "start: _s{\"a\", x}\n_s{a, b}: a b | \"(\" _s{a, b} \")\"\nx: \"x\"+ | [\"y\"]\n%declare A\n"),
        (3, "^(?!admin$)[a-z]+(?<=b|c)$|\\p{L}{2,5}"),
        (4, "(?<y>\\d{4})-(?:0[1-9]|1[0-2])\\b[^\\s-]*?"),
        (5, "(?i:ab)|(?x) [[a-z]--[aeiou]] \\x{e9}(?s-u:.)"),
        (6, "(?P<n>a++)(?>b|bc)(?(1)x|y)\\Z"),
        (7, "\\w+@[a-z]{1,3}.[^]"),
        (8, "[\"yes\", \"no\", \"\\u00e9\", \"\"]"),
        (8, "yes\nno\n\n'x\\\n"),
    ];
    TEXTS.iter().map(|(kind, text)| Input::write(kind << 4 | 2, 1, text.as_bytes())).collect()
}

fn tags() -> Vec<Vec<u8>> {
    const TAGS: &[&str] = &[
        r#"{"type":"structural_tag","format":{"type":"triggered_tags","triggers":["<f="],"tags":[{"begin":"<f=add>","content":{"type":"regex","pattern":"[0-9]+"},"end":"</f>"}],"at_least_one":true,"stop_after_first":true,"excludes":["x"]}}"#,
        r#"{"type":"structural_tag","format":{"type":"sequence","elements":[{"type":"const_string","value":"a"},{"type":"or","elements":[{"type":"any_text","excludes":["b"]},{"type":"json_schema","json_schema":{"type":"integer"}}]}]}}"#,
        r#"{"type":"structural_tag","format":{"type":"tags_with_separator","tags":[{"type":"tag","begin":"<think>","content":{"type":"any_text"},"end":["<|end|>","</"]}],"separator":"\n","at_least_one":true,"stop_after_first":false}}"#,
        r#"{"type":"structural_tag","format":{"type":"qwen_xml_parameter","json_schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}}}"#,
        r#"{"format":{"type":"grammar","grammar":"root ::= \"a\" | b\nb ::= [0-9]"}}"#,
        r#"{"format":{"type":"star","content":{"type":"optional","content":{"type":"token","token":"<|call|>"}}}}"#,
        r#"{"structures":[{"begin":"<f>","schema":{"type":"object"},"end":"</f>"}],"triggers":["<f"]}"#,
        r#"{"format":{"type":"dispatch","rules":[["<f",{"type":"regex","pattern":"a"}]],"loop":true}}"#,
    ];
    const REQUEST: &str = r#"{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":["integer","null"]}},"required":["a"]},"strict":true}},{"type":"function","function":{"name":"g"}}],"tool_choice":"required","parallel_tool_calls":false}"#;
    let mut seeds: Vec<_> = TAGS.iter().map(|text| Input::write(0b1010, 1, text.as_bytes())).collect();
    let formats = grammask_tools::formats().len() as u16;
    seeds.extend(
        (0..formats)
            .map(|format| Input::write(format << 8 | (format % 3) << 5 | 0b1_1010, 1, REQUEST.as_bytes())),
    );
    seeds
}

/// Returns bytes after their length as a number of 64 bits, as GGUF has them.
fn gguf_text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn gguf() -> Vec<u8> {
    let key = |name: &str, kind: u32, value: Vec<u8>| {
        [gguf_text(name), kind.to_le_bytes().to_vec(), value].concat()
    };
    let array = |kind: u32, values: Vec<Vec<u8>>| {
        [kind.to_le_bytes().to_vec(), (values.len() as u64).to_le_bytes().to_vec(), values.concat()].concat()
    };
    let pieces = [("<unk>", 2_i32), ("</s>", 3), ("<0x0A>", 6), ("\u{2581}the", 1), ("a", 1), ("<think>", 4)];
    let keys = [
        key("general.architecture", 8, gguf_text("llama")),
        key("tokenizer.ggml.model", 8, gguf_text("llama")),
        key("tokenizer.ggml.pre", 8, gguf_text("default")),
        key("tokenizer.ggml.tokens", 9, array(8, pieces.iter().map(|(text, _)| gguf_text(text)).collect())),
        key(
            "tokenizer.ggml.token_type",
            9,
            array(5, pieces.iter().map(|(_, kind)| kind.to_le_bytes().to_vec()).collect()),
        ),
        key("tokenizer.ggml.eos_token_id", 4, 1_u32.to_le_bytes().to_vec()),
        key("tokenizer.ggml.add_space_prefix", 7, vec![1]),
    ];
    let count = (keys.len() as u64).to_le_bytes();
    [&b"GGUF"[..], &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &count, &keys.concat()].concat()
}

fn sentencepiece() -> Vec<u8> {
    let field = |number: u8, content: &[u8]| [&[number << 3 | 2, content.len() as u8][..], content].concat();
    let pieces =
        [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("<0x0A>", 6), ("\u{2581}the", 1), ("<end>", 4), ("x", 5)];
    let piece = |(text, kind): &(&str, u8)| {
        let score = [&[2 << 3 | 5][..], &(-1.5_f32).to_le_bytes()].concat();
        field(1, &[field(1, text.as_bytes()), score, vec![3 << 3, *kind]].concat())
    };
    let trainer = field(2, &[41 << 3 & 0x7f | 0x80, 41 >> 4, 2]);
    let normalizer = field(3, &[3 << 3, 1, 4 << 3, 0]);
    [pieces.iter().flat_map(piece).collect::<Vec<u8>>(), trainer, normalizer].concat()
}

fn vocabularies() -> Vec<Vec<u8>> {
    const TEXTS: &[(u16, &str)] = &[
        (
            1,
            r#"{"added_tokens":[{"id":2,"content":"<s>","special":true}],"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"Ġa":1},"merges":[]}}"#,
        ),
        (
            1,
            r#"{"added_tokens":[],"decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁a",-1.5],["<0x0A>",-2]]}}"#,
        ),
        (
            1,
            r###"{"normalizer":{"type":"Prepend","prepend":"▁"},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"},"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"##b":2}}}"###,
        ),
        (
            4,
            r#"{"config":{"default_vocab_size":8,"default_num_special_tokens":3},"special_tokens":[{"rank":2,"token_str":"</s>"}],"vocab":[{"rank":0,"token_bytes":"YQ=="},{"rank":1,"token_bytes":"Yg=="}]}"#,
        ),
        (5, "YQ== 0\nYWI= 1\nIA== 2\n"),
        (5 | 1 << 7, "YQ== 0\nYWI= 1\nIA== 2\n"),
        (
            6,
            r#"{"explicit_n_vocab":7,"pat_str":"x","special_tokens":{"<EOT>":0},"bpe_ranks":"! 5 IQ== Ig=="}"#,
        ),
        (7, r#"{"1":"\u0000","2":"a","129":[128]}"#),
        (8, "1 '\\n' 1\n2 \"it's\" 4\n3 b'\\xe4\\xb8' 2\n"),
        (9, r#"{"a":0,"Ġa":1,"<|endoftext|>":2}"#),
        (9 | 2 << 5, r#"{"a":0,"Ġa":1,"<|endoftext|>":2}"#),
        (9, r#"["a","b",null,"\u00e9"]"#),
    ];
    let mut seeds: Vec<_> =
        TEXTS.iter().map(|(kind, text)| Input::write(*kind, 1, text.as_bytes())).collect();
    seeds.push(Input::write(2, 1, &gguf()));
    seeds.push(Input::write(3, 1, &sentencepiece()));
    let built = vocabulary(0).to_bytes();
    seeds.push(Input::write(10, 1, &built[28..]));
    let tokenizer = TEXTS[0].1.as_bytes();
    let configuration =
        br#"{"eos_token":"<s>","added_tokens_decoder":{"3":{"content":"<x>","special":true}}}"#;
    let generation = br#"{"eos_token_id":[2],"bos_token_id":2}"#;
    let files = [tokenizer, configuration, generation];
    let parts = files.map(|file| [&(file.len() as u16).to_le_bytes()[..], file].concat());
    seeds.push(Input::write(11, 1, &parts.concat()));
    seeds
}
