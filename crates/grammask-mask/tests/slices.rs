//! Loops and counters: taking subtrees and slices whole gives the masks that walking every node gives, at every state near the
//! beginning, for characters of one and of several bytes, cut ones and bytes that are no characters.

use std::collections::HashSet;
use std::sync::Arc;

use grammask_earley::{Network, Recognizer, SetId};
use grammask_mask::{Config, Ending, Lexicon, LexiconConfig, Masks, Scratch};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

/// All strings of up to three of some pieces, and some long ones; with tokens of more characters than a slice tells apart, or without: then what goes on
/// for ever is taken from slices.
fn vocabulary(has_longer: bool) -> Arc<Vocabulary> {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"x", b"\"", b" ", "é".as_bytes(), b"\xC3", b"\xFF"];
    let mut words: HashSet<Vec<u8>> = HashSet::from([Vec::new()]);
    for _ in 0..3 {
        let longer = words.iter().flat_map(|word| pieces.iter().map(move |piece| [word, *piece].concat()));
        words = longer.chain(words.clone()).collect();
    }
    // Nothing but ASCII below a character of several bytes, and below bytes that are none.
    for stem in ["ö".as_bytes(), "bö".as_bytes(), b"\xE1", b"b\xFE"] {
        for length in 0..9 {
            words.insert([stem, &b"ab".repeat(length)[..length]].concat());
        }
    }
    // What stands in a line, what ends one, and what is cut between.
    let bytes: [&[u8]; 7] = [
        b"\xE2\x80\xA8",
        b"\xE2\x80\xA9",
        b"\xE2\x80\xA7",
        b"\xE2\x81\xA8",
        b"\xE2\x80",
        b"\xE2",
        b"\xE3\x80\xA8",
    ];
    for (stem, tail) in [("", ""), ("a", ""), ("é", ""), ("", "b"), ("ab é", " a")] {
        words.extend(bytes.map(|bytes| [stem.as_bytes(), bytes, tail.as_bytes()].concat()));
        words.extend(bytes.map(|bytes| [stem.as_bytes(), b"\xE2\x81\xA8", bytes, tail.as_bytes()].concat()));
    }
    // White space, what is next to it, and what is cut before it.
    let characters = "\u{85}\u{1680}\u{1681}\u{2000}\u{200a}\u{200b}\u{2010}\u{202f}\u{205f}\u{2060}\u{3000}\u{3001}\u{fefe}\u{feff}\u{ff00}";
    for character in characters.chars() {
        for (stem, tail) in [("", ""), ("a", ""), ("é", "b"), ("ab", " a"), ("a\u{3000}", "x")] {
            words.insert(format!("{stem}{character}{tail}").into_bytes());
        }
        let cut = character.len_utf8() - 1;
        words.insert([b"ab", &character.to_string().as_bytes()[..cut]].concat());
    }
    for tail in ["é", "éc", "écé", "éé", "écécé"] {
        words.insert(["cccc", tail].concat().into_bytes());
    }
    // Nothing but characters, of which some are cut at the very end.
    for (length, cut) in (0..4).flat_map(|length| (0..4).map(move |cut| (length, cut))) {
        words.insert([b"c", &b"aaa"[..length], &"😀".as_bytes()[..cut]].concat());
    }
    for length in 4..12 {
        words.insert(b"a".repeat(length));
        words.insert([&b"ab".repeat(length)[..], b"x"].concat());
        words.insert("é".repeat(length).into_bytes());
        for (stem, tail) in [("é", ""), ("é", "b"), ("é", "bb"), ("é", "bbb"), ("b", "bb")] {
            words.insert([stem.as_bytes(), &b"a".repeat(length), tail.as_bytes()].concat());
        }
        words.insert(["é".repeat(length).as_bytes(), b"\xC3"].concat());
        words.insert(["b é".repeat(length).as_bytes(), b"\" \""].concat());
    }
    // A byte that begins characters of both kinds; and behind a space nothing but characters of several bytes.
    let mut mixed: Vec<String> = vec![String::new()];
    for _ in 0..4 {
        let longer: Vec<String> = mixed
            .iter()
            .flat_map(|word| ["a", " ", "\u{a0}", "¡"].map(|piece| format!("{word}{piece}")))
            .collect();
        mixed.extend(longer);
    }
    words.extend(mixed.into_iter().map(String::into_bytes));
    words.extend(
        ["d ", "d é", "d  é", "d éé", "  é  é", " €", "a €", " €a", "\u{2003}€"]
            .map(|word| word.as_bytes().to_vec()),
    );
    words.insert(b"a \xC2".to_vec());
    // Below a blank: words behind it, and other blanks; what must not be there, and what ends.
    for tail in [
        "acnoa",
        "noa",
        "a b",
        "ac7",
        "zb--",
        "zb-",
        "no",
        "a bb",
        "xyzb",
        "x.b",
        "abababababab-",
        "é-",
        "ab\u{2028}",
    ] {
        words.insert(format!(" {tail}").into_bytes());
        words.insert(format!(" a {tail}").into_bytes());
    }
    words.extend(["aaaaaaaa.", "aaaaaab.", "aaaaaab.a"].map(|word| word.as_bytes().to_vec()));
    // A rule that ends, and goes on, behind many places.
    for stem in ["a", "b", "ab", "ba", "aba", "bab", "abab", "baba", "aab", "bba", "abba"] {
        words.extend(["!", "!x", "-", "-!", "-!.", "-!.x"].map(|tail| format!("{stem}{tail}").into_bytes()));
    }
    let longer = [253, 254, 255, 256, 270, 300, 330];
    for length in longer.into_iter().filter(|_| has_longer) {
        words.insert(b"a".repeat(length));
        words.insert([&b"a".repeat(length)[..], b" b"].concat());
        words.insert([b" ", &b"a".repeat(length)[..]].concat());
    }
    words.remove(&Vec::new());
    let mut words: Vec<Vec<u8>> = words.into_iter().collect();
    words.sort();
    let tokens = (0..).map(TokenId).zip(words);
    Arc::new(Vocabulary::new(tokens, [], &Default::default()).unwrap())
}

fn network(grammar: &str) -> Arc<Network> {
    let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    Arc::new(Network::build(&normal, store, &Default::default()).unwrap())
}

/// States near the beginning, breadth first.
fn states(masks: &Masks, most: usize) -> Vec<SetId> {
    let recognizer = masks.recognizer();
    let mut found = vec![recognizer.initial()];
    let mut place = 0;
    while let (Some(&state), true) = (found.get(place), found.len() < most) {
        place += 1;
        for byte in *b"abx\" \xC3\xA9\xB6\xE1\xFE\xFF\xE2\x80\xA8" {
            let next = recognizer.step(state, byte).unwrap();
            if next.goes_on() && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    found
}

#[test]
fn loops_and_counters_take_what_walking_takes() {
    check(&vocabulary(false));
}

#[test]
fn loops_and_counters_take_what_walking_takes_where_tokens_are_long() {
    check(&vocabulary(true));
}

fn check(vocabulary: &Arc<Vocabulary>) {
    let lexicon = |change: fn(&mut LexiconConfig)| {
        let mut config = LexiconConfig::eager();
        change(&mut config);
        Arc::new(Lexicon::new(Arc::clone(vocabulary), &config))
    };
    // Shared by all grammars below, so that what one leaves there must be right for the next.
    let lexicons = [
        lexicon(|_| ()),
        lexicon(|config| config.strays = usize::MAX),
        lexicon(|config| config.leaving = usize::MAX),
        lexicon(|config| config.base_size = usize::MAX),
        lexicon(|config| config.short_list = 0),
        // Many places, none of them one below which slices are used.
        lexicon(|config| (config.base_size, config.short_list) = (usize::MAX, 0)),
        lexicon(|config| config.slices = false),
    ];
    let grammars = [
        "start ::= #'[ab]{0,4}';",
        "start ::= #'[ab]{0,4}' 'x';",
        "start ::= #'[ab]{0,40}' '\"';",
        "start ::= #'[ab]{2,5}' '\"';",
        "start ::= #'[ab]{3,}x';",
        "start ::= #'[ab]{0,6}a';",
        "start ::= '\"' #'[^\"]{0,3}' '\"';",
        "start ::= #'[^\"]{0,9}\"?';",
        "start ::= #'(é|a){0,5}' '\"';",
        "start ::= #'([^\"]|\" ){0,4}' '!'?;",
        "start ::= #'(?s-u:.){0,3}' 'x';",
        "start ::= #'(?s-u:[^x]){0,7}' 'x';",
        "start ::= #'((?-u:[a\\\\xC3])|é){0,3}';",
        "start ::= #'((?-u:[a\\\\xC3])|[^x]){0,3}';",
        "start ::= #'((?-u:\\\\xFF)|[^x]){0,3}' 'x';",
        "start ::= #'(?s-u:.){0,9}' 'x';",
        "start ::= #'(?s-u:[^x]){2,5}' '\"';",
        "start ::= (#'[^\"]*' & #'(?s-u:.){0,9}') '\"';",
        "start ::= except!('x', 5) 'x';",
        "start ::= except!('x', 9) '\"';",
        "start ::= except!('x', 2);",
        "start ::= except!('ab', 6) 'x'?;",
        "start ::= except!(quote, 7) '\"'; quote ::= '\"' | 'é';",
        "start ::= except!('x') 'x' start?;",
        "start ::= #'[^x]*' 'x' | #'[ab]{0,3}' 'xx';",
        "start ::= (#'[ab]+' | #'[^\"]{1,4}')+ '\"';",
        "start ::= (#'[ab]{1,3}' ' '){2,4};",
        "start ::= #'\\\\w{0,4}' #'[^a]{0,2}' 'x';",
        "start ::= #'[a-z]{0,5}' & #'.{2,9}';",
        "start ::= #'[^\"]{3,}' '\"';",
        "start ::= #'[ab]{2,}';",
        "start ::= #'[ab]{2,}x?' 'b';",
        "start ::= #'[ab]{2,4}';",
        "start ::= #'[ab]{3,6}a';",
        "start ::= #'(é|a){2,}é?' 'x';",
        "start ::= #'(?s-u:[^x]){2,}' 'x';",
        "start ::= #'[ab]{2,}(?-u:\\xFF)?' 'x';",
        "start ::= json!(#'(?s:.){2,}') '\"';",
        "start ::= json!(#'[^b]{2,5}') '\"';",
        "start ::= #'([ab]+x){0,20}\"';",
        "start ::= #'(b é){0,9}' '\"';",
        "start ::= (#'[ab]*(x[ab]+)?é?' & #'.{1,18}') '\"';",
        "start ::= (#'[ab]*(x[ab]{4}é)?' & #'.{0,22}') '\"';",
        "start ::= (#'[abx]*(é[ab]{4}x)?' & #'.{0,29}') '\"';",
        // What must hold a word, must not, or is bounded in words: kept alive by nearly all characters, in several states.
        "start ::= #'[^\"]*ab[^\"]*' '\"';",
        "start ::= #'[^\"]*ab[^\"]*';",
        "start ::= #'[^\"]*éa' '\"';",
        "start ::= (#'[^\"]*' & ~#'(?s:.)*bab(?s:.)*') '\"';",
        "start ::= (#'[^\"]*' & ~#'(?s:.)*é b(?s:.)*') '\"';",
        "start ::= #'[^\" ]([^\"]*[^\" ])?' '\"';",
        "start ::= #'[!-~]([ -~]*[!-~])?' '.';",
        "start ::= #'([^\" ]+ ){0,2}[^\" ]*' '\"';",
        "start ::= #'([^\" ]+ ){0,5}[^\" ]*' '\"';",
        "start ::= #'([^\" ]+ ){3,9}[^\" ]*' '\"';",
        "start ::= #'([^\"éa]*a){0,9}[^\"]' '\"';",
        "start ::= (#'([^\" ]+ ){0,12}[^\" ]*' & #'.{2,17}') '\"';",
        "start ::= json!(#'(?s:.)*ab(?s:.)*') '\"';",
        "start ::= json!(#'([^a]+a){0,9}[^a]?') '\"';",
        "start ::= #'[^\"]*(ab|x\"|é)' '!'?;",
        // The same, and their characters are counted.
        "start ::= '\"' json!(#'([^ ]+ +){0,9}[^ ]+' & #'(?s:.){1,30}') '\"';",
        "start ::= '\"' json!(#'([^ ]+ +){0,4}[^ ]+' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'([^ ]+ +){0,4}[^ ]+' & #'(?s:.){0,11}') '\"';",
        "start ::= '\"' json!(#'([^ ]+ +){0,9}[^ ]+' & #'(?s:.){4,30}') '\"';",
        "start ::= '\"' json!(#'([^ ]+ ){0,12}[^ ]{3}' & #'(?s:.){1,17}') '\"';",
        "start ::= '\"' json!(#'(?s:.)*ab(?s:.)*' & #'(?s:.){0,12}') '\"';",
        "start ::= '\"' json!(#'([^aé]*[aé]){0,9}b?' & #'(?s:.){1,13}') '\"';",
        "start ::= '\"' json!(#'([^b]+[bé]+){0,9}[^b]+x' & #'(?s:.){0,16}') '\"';",
        "start ::= '\"' json!(#'a{20}|[^a ][^ ]{8,12}' & #'(?s:.){15,30}') '\"';",
        // Of the characters that a lead byte begins, only some go on, and not for long.
        "start ::= #'([^\"éü][^\"]{9}|é[^\"]{0,8})\"';",
        "start ::= '\"' json!(#'[^éü](?s:.){9}|é(?s:.){0,8}') '\"';",
        "start ::= '\"' json!(#'[^éü ]([^ ]+ ){0,4}[^ ]*|é[^ ]{0,9}' & #'(?s:.){0,12}') '\"';",
        // Without the count of characters, it may end in what is no text.
        "start ::= '\"' json!(#'[^x]*x((?-u:\\\\xFF)|y{14})' & #'(?s:.){0,20}') '\"';",
        // Without the count of characters, the text may be empty, and another one begins.
        "start ::= '\"' ((json!(#'([0-9]+ ?)*' & #'(?s:.){1,30}') ';'? json!(#'[a-z]*') '\"') & #'(?s:.)*');",
        // Characters that stand in a line, by ECMA 262: without two of several bytes.
        "start ::= #'[^\"\u{2028}\u{2029}]*' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]{0,7}' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]+' '\u{2028}'? '\"';",
        "start ::= #'[^\"\u{2028}]*' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]*ab[^\"\u{2028}\u{2029}]*' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]*ab[^\"]*' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]*éa' '\"';",
        "start ::= #'[^\"x][^\"\u{2028}\u{2029}]*ab' '\"';",
        "start ::= '\"' json!(#'[^é].+ +.*a' & #'(?s:.){0,19}') '\"';",
        "start ::= '\"' json!(#'[^é][^\n\u{2028}\u{2029}]+ +[^\n\u{2028}\u{2029}]*a' & #'(?s:.){0,19}') '\"';",
        "start ::= #'([^\"\u{2028}\u{2029}]*a){0,4}b' '\"';",
        "start ::= #'([^\" \u{2028}\u{2029}]+ ){0,12}[^\" ]*' '\"';",
        "start ::= #'([^\" \u{2028}\u{2029}]+[ \u{2028}]){0,3}[^\" ]*\"';",
        "start ::= #'[^\"\u{2028}\u{2029}](?s-u:.)*ab' '\"';",
        "start ::= #'([^\"\u{2028}\u{2029}]|(?-u:\\\\xE2)\"|\u{2028}!)*ab' '\"';",
        "start ::= (#'[^\"\u{2028}\u{2029}]*' & #'(?s-u:.){0,9}') '\"';",
        "start ::= '\"' json!(#'.*ab[^\u{2028}\u{2029}]*' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'[^\u{2028}\u{2029}]*ab[^\u{2028}\u{2029}]*' & #'(?s:.){0,30}') '\"';",
        // Few words more, and what stands between them of one and of several bytes.
        "start ::= #'([^\" ]+ +){0,1}[^\" ]+\"';",
        "start ::= #'([^\" ]+ +){0,3}[^\" ]+\"';",
        "start ::= #'([^\" ]+ +){0,3}[^\" ]*\"';",
        "start ::= #'([^\" é]+[ é]+){0,2}[^\" é]+\"';",
        "start ::= #'([^\" ö]+[ ö]+){1,4}[^\" ö]+\"';",
        "start ::= #' *([^\" é]+[ é]+){0,5}[^\" é]+\"';",
        "start ::= #'([!-~]+ +){0,2}[!-~]+é';",
        "start ::= #'([^\"é ]+é? +){0,3}[^\"é ]+\"';",
        "start ::= #'[^\" ]+( [^\" ]+){0,2}( é)?\"';",
        "start ::= #'([^\" À-ÿ]+[ À-ÿ]+){0,2}[^\" À-ÿ]+\"';",
        "start ::= #'([^\" ]+( |(?-u:\\\\xFF))+){0,3}[^\" ]+\"';",
        "start ::= #'(?-u:\\\\xFF)?([^\" ]+ +){0,3}[^\" ]+\"';",
        "start ::= #'é?([#-~]+ +){0,3}[#-~]+\"';",
        "start ::= '\"' json!(#'([^ é]+[ é]+){0,3}[^ é]+' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'([^ ö]+[ ö]+){0,2}[^ ö]+' & #'(?s:.){0,13}') '\"';",
        "start ::= '\"' json!(#'[ é]*([^ é]+[ é]+){0,6}[^ é]+' & #'(?s:.){1,12}') '\"';",
        "start ::= #'([^\" \u{a0}]+[ \u{a0}]+){0,1}[^\" \u{a0}]+\"';",
        "start ::= #'([^\" \u{a0}]+[ \u{a0}]+){0,3}[^\" \u{a0}]+\"';",
        "start ::= #'[ \u{a0}]*([^\" \u{a0}]+[ \u{a0}]+){0,4}[^\" \u{a0}]+\"';",
        "start ::= #'([^\" \u{a0}]+[ \u{a0}]+){0,1}\"';",
        "start ::= #'([^\" \u{a0}]+[ \u{a0}]+){0,2}\"';",
        "start ::= #'[^\"\u{2000}-\u{200a} y]*([\u{2000}-\u{200a} ]+[^\"\u{2000}-\u{200a} y]+){1,5}é\"';",
        "start ::= #'([^\" ]+ +){0,1}\"';",
        "start ::= #'([^\" ]+ +){0,2}\"';",
        "start ::= #'(x[ab]*|([^\"x ]+ +){0,3}[^\"x ]+)\"';",
        "start ::= #'(x|([^\"x ]+ +){1,3}[^\"x ]+)\"';",
        "start ::= #'x?([^\"x ]+ +){0,3}[^\"x ]+\"';",
        "start ::= #'([^\" é]+([ é]|(?-u:\\\\xC3x))+){0,3}[^\" é]+\"';",
        "start ::= #'([^\" ]+ +){0,3}[^\" ]+ (?-u:\\\\xC3)' '\"';",
        "start ::= #'([^\" ]+ +){0,3}[^\" ]+(?-u:\\\\xC3x)' '\"';",
        "start ::= #'([^\" ]+([ ]|(?-u:\\\\xC3))+){0,3}[^\" ]+\"';",
        "start ::= '\"' json!(#'([^ ]+ +){0,3}[^ ]+' & #'(?s:.){1,290}') '\"';",
        // What was begun is remembered, but something goes on anyhow.
        "start ::= #'[^\"]*(aba|bab|xa)[^\"]*\"';",
        "start ::= #'[^\"]*(aba|bab|xa|éa b)[^\"]*' ' '?;",
        "start ::= #'[^\"]*(aba|éb|xa)\"';",
        "start ::= #'[^\"]*aba(éa|xx)*\"|[^\"]*b{3}\"|é[ab]*é\"';",
        "start ::= #'[^\"]*x\"|aba';",
        "start ::= #'[^\"]*x\"|aba|éaé|b{5}' '!'?;",
        "start ::= #'[^\"]*x?|aba|b{5}\"';",
        "start ::= #'([^\"x]*|[^\"]*ab)\"';",
        "start ::= #'[^x\"]([^x\"]*|[^\"]*ab)\"' 'x'?;",
        "start ::= '\"' #'([^\\\\]\\\\\\\\-]|a-[a-z]|b-[b-z]|x-[x-z]|é-[é-ÿ])*\\\\]' ' ';",
        "start ::= #'([^\\\\]\\\\\\\\-]|a-[a-z]|b-[b-z]|x-[x-z]|é-[é-ÿ])*-?\\\\]x?';",
        "start ::= '\"' json!(#'.+(ab|x|é b)[ab]{2,3}x?') '\"';",
        "start ::= '\"' json!(#'([^\\\\]\\\\\\\\-]|a-[a-z]|b-[b-z]|x-[x-z]|é-[é-ÿ])*-?\\\\][ab]*');",
        "start ::= #'[^\"]*(aba|(?-u:\\\\xFF))\"';",
        "start ::= #'[^\"]*(aba|(?-u:\\\\xC3)x)b?\"';",
        "start ::= #'[^\"]*aba\"|[ab]*(?-u:\\\\xFF)\"';",
        "start ::= #'[^\"]*(aba|xx)\"|[ab ]{2,9}(?-u:\\\\xFF)\"';",
        "start ::= #'[^x\"][^\"]*(ab|ba)\"';",
        "start ::= #'[^xé\"][^\"]*(ab|éa)\"|x\"';",
        // What ends where two characters meet, and all of them go on elsewhere.
        "start ::= (#'[^\"]*' & ~#'(?s:.)*(aba|xab|b{3})(?s:.)*') '\"';",
        "start ::= (#'[^\"]*' & ~#'(?s:.)*(aba|éba|x{3}|bébx)(?s:.)*') '\"';",
        "start ::= (#'[^\"]*' & ~#'(?s:.)*(aba|ébaa|aéxb)(?s:.)*' & #'(?s:.)*xa(?s:.)*') '\"';",
        "start ::= (#'[^\"]+' & ~#'b(?s:.)*' & ~#'(?s:.)*(ab|ba|éa)(?s:.)*');",
        "start ::= (#'[^\"\u{2028}\u{2029}]*' & ~#'(?s:.)*(abx|b{3}|éab)(?s:.)*') '\"';",
        "start ::= #'[^\"]{2}([^\"a]|a[^\"b])*\"';",
        "start ::= #'([^\"ab]|a+[^\"ab]|b+[^\"ab]|b+x)*[ab]{3}' '\"';",
        "start ::= '\"' json!(~#'(?s:.)*(aba|bab|xé)(?s:.)*') '\"';",
        "start ::= '\"' json!(~#'(?s:.)*(aba|xab|éab)(?s:.)*' & #'(?s:.){0,12}') '\"';",
        "start ::= '\"' json!(~#'(?s:.)*(aba|bab)(?s:.)*' & #'(?s:.){0,290}') '\"';",
        "start ::= #'([^\"a]|a[^\"ab])*(\"|ab)';",
        "start ::= #'([^\"a]|a[^\"ab])*(\"|ab)' 'b'?;",
        "start ::= #'([^\"xa]|a[^\"xab]){0,9}[^\"]{9}\"';",
        // The same in lines, and some of it beyond them.
        "start ::= #'[^\"\u{2028}\u{2029}]*(ab|xa)[^\"]*\"';",
        "start ::= #'([^\"\u{2028}\u{2029}]*x|[ab]*\u{2028}b|é\u{2028}a*|[ab]*\u{2029})\"';",
        "start ::= #'([^\"\u{2028}\u{2029}]*x|[ab é]*\u{2028}(\u{2028} é)?)\"';",
        "start ::= '\"' json!(#'.*(ab|ba).*|[ab]*\u{2028}b') '\"';",
        // Of bytes, whatever they are.
        "start ::= except!('aa') 'aa';",
        "start ::= except!('aba') 'x';",
        "start ::= except!('  ') ' ' except!(ends) '\"'; ends ::= 'ab' | 'xx' | 'é';",
        "start ::= #'(?s-u:[^x])*ab(?s-u:[^x])*x';",
        "start ::= (#'(?s-u:[^x])*' & ~#'(?s-u:.)*(aba|bb)(?s-u:.)*' & #'(?s-u:.){0,9}') 'x';",
        "start ::= #'[^ab]?' except!('aa') except!('bb') 'b';",
        // Below a blank, and below places of several characters.
        "start ::= ' ' (#'[a-y]*7?' & ~#'.*no.*');",
        "start ::= ' a' #'[^.][^b]{1,9}b';",
        "start ::= ' a' (#'[a-z]{0,12}[0-9]?' & ~#'.*a b.*');",
        "start ::= ' ' #'[^.\n]{0,3}-';",
        "start ::= ' ' #'[^.\n]{0,12}-';",
        "start ::= (' ' | 'a' | '  ') #'[^x]+' 'x';",
        "start ::= ' ' #'[a-z]+' (' ' #'[a-z]+' | '-');",
        "start ::= ' ' #'[^ \"][^\"]*' '\"';",
        "start ::= ' ' #'[^\"\u{2028}\u{2029}]*' '-';",
        "start ::= ' ' #'[a-z ]{0,254}' '-'?;",
        "start ::= '  ' #'[a-z ]{0,253}' '-'?;",
        "start ::= 'aaaaa' #'[a-z ]{0,250}' '-'?;",
        "start ::= 'aaaaa' #'[a-z ]{3,250}' '-'?;",
        "start ::= ' ' #'[a-z]*' '-'?;",
        "start ::= ' a' (#'[a-z.]{0,270}' & #'[^.]*\\\\.');",
        "start ::= ' a' (#'[a-z.]{0,254}' & #'[^.]*\\\\.');",
        "start ::= ' a' (#'[a-z.]{0,255}' & #'[^.]*\\\\.');",
        "start ::= ' a' (#'[a-z.]{0,256}' & #'[^.]*\\\\.');",
        "start ::= 'aaaaa' (#'[a-z.]{0,254}' & #'[^.]*\\\\.');",
        "start ::= 'aaaaa' json!(#'(?s:.)*(aba|b{4}|x{3})(?s:.)*' & #'(?s:.){0,256}') '\"';",
        "start ::= 'aaaaa' json!(#'(?s:.)*(aba|b{4}|x{3})(?s:.)*' & #'(?s:.){0,259}') '\"';",
        "start ::= #'[ab ]' #'[^x]+' 'x';",
        "start ::= #'[ab ]' #'[^x]*' #'(?-u:\\\\xA9)' 'x';",
        "start ::= #'[ab ]' #'[^x]*' 'b';",
        "start ::= #'[ab]+' rest 'x'?; rest ::= '-' rest '.' | '!';",
        // Words: without white space of several bytes.
        "start ::= #'[^\"\\\\s\u{feff}]*' '\"';",
        "start ::= #'[^\"\\\\s\u{feff}]*' '\u{3000}'? '\"';",
        "start ::= #'[^\"\\\\s]*' '\"';",
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]+' '\"';",
        "start ::= #'[^\"\\\\s\u{feff}]{0,7}' '\"';",
        "start ::= #'[^\"\\\\s\u{feff}x]+x[^\"\\\\s\u{feff}x]+(b[^\"\\\\s\u{feff}x]+)+' '\"';",
        "start ::= #'[^\"\\\\s\u{feff}]+x[^\"\\\\s\u{feff}]+' '\"';",
        "start ::= #'[^\"\\\\s\u{feff}]+(x|\u{3000}b|\u{85})[^\"\\\\s\u{feff}]*' '\"'?;",
        "start ::= #'[^\"\\\\s\u{feff}]*(aba|bab|xa)[^\"\\\\s\u{feff}]*\"';",
        "start ::= #'[^\"\\\\s\u{feff}]*(aba|xa|\u{2003}x)[^\"]*\"';",
        "start ::= (#'[^\"\\\\s\u{feff}]*' & ~#'(?s:.)*(aba|éab|xx)(?s:.)*') '\"';",
        "start ::= (#'[^\"\\\\s\u{feff}]*' & #'(?s-u:.){0,9}') '\"';",
        "start ::= (#'[^\"\\\\s\u{feff}]*' & #'[^\"\u{2028}\u{2029}]*') '\"';",
        "start ::= '\"' json!(#'[^\\\\s\u{feff}]+@?[^\\\\s\u{feff}]+') '\"';",
        "start ::= '\"' json!(#'[^\\\\s\u{feff}]+x[^\\\\s\u{feff}]+' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'([^\\\\s\u{feff}]+[\\\\s\u{feff}]+){0,3}[^\\\\s\u{feff}]+') '\"';",
        "start ::= #'([^\"\\\\s\u{feff}]|(?-u:\\\\xE2)\"|\u{3000}!)*ab' '\"';",
        "start ::= #'([^\"\\\\s\u{feff}]|(?-u:\\\\xC2)\"|\u{a0}!)*ab' '\"';",
        "start ::= #'é?[^\"\\\\s\u{feff}]+ [^\"\\\\s\u{feff}]*\"';",
        "start ::= (#'([^\"\\\\s\u{feff}]|\u{3000}x)*' & ~#'(?s:.)*(aba|xab)(?s:.)*') '\"';",
        "start ::= (#'([^\"\u{2028}\u{2029}]|\u{2028} a)*' & ~#'(?s:.)*(bab|xab)(?s:.)*') '\"';",
        // Of so many characters.
        "start ::= '\"' json!(#'(?s:.)*(ab|bab|é)(?s:.)*' & #'(?s:.){0,12}') '\"';",
        "start ::= '\"' json!(#'(?s:.)*(ab|bab|é)[abx]{2}' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'.+(ab|\u{2028}b)x?' & #'(?s:.){0,14}') '\"';",
        "start ::= '\"' json!(#'(?s:.)+(ab|\u{2028}b)x{9}' & #'(?s:.){0,19}') '\"';",
        "start ::= '\"' json!(#'(?s:.)*(aba|b{4}|x{3})(?s:.)*' & #'(?s:.){0,290}') '\"';",
        // Some characters only behind the first, of one and of several bytes.
        "start ::= #'[^\" é]([^\"]*[^\" ])?' '\"';",
        "start ::= #'[^\" é]+([ é]+[^\" é]+){0,2}' '\"';",
        "start ::= #'[^\" é]+([ é]+[^\" é]+){0,9}[é ]' '\"';",
        "start ::= #'[^\"é]([^\"]{2,})?' '\"';",
        "start ::= #'[c-zé]([^\"]*ab)?' '\"';",
        "start ::= #'[^\"é][^\"]+|é' 'x\"';",
        // Words, and one kind of white space with them, as in ECMA 262, counted and not.
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,7}' '\"';",
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{1,9}(x[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{1,4}){1,3}' '\"';",
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,12}[!-/]' '\"'?;",
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{1,5}' #'[!-/]?' '\"'?;",
        "start ::= #'[^\" \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{2,8}' '!'? '\"'?;",
        "start ::= '\"' json!(#'[^.\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{1,9}(\\\\.[^.\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{1,4}){1,3}' & #'(?s:.){1,21}') '\"';",
        "start ::= '\"' json!(#'[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,9}(b[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,4}){0,3}' & #'(?s:.){0,17}') '\"';",
        "start ::= '\"' json!(#'[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{3,19}b[^\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{2}' & #'(?s:.){0,29}') '\"';",
        "start ::= '\"' json!(#'[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,19}' & #'(?s:.){0,29}') 'b';",
        "start ::= '\"' json!(#'([^\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,6}\u{3000}){0,2}[^\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,12}x') '\"';",
        "start ::= #'[^\"\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]*(aba|bab|xa)[^\"\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]*\"';",
        "start ::= #'[^\"\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]+(x|\u{85}b)[^\"\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]*' '\"'?;",
        "start ::= #'([^\"\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]|(?-u:\\\\xC2)\"|\u{a0}!){0,9}ab' '\"';",
        "start ::= '\"' json!(#'[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,19}b[ax]{0,9}!' & #'(?s:.){0,12}') '\"';",
        "start ::= '\"' json!(#'[^b\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]{0,29}(b|!é)?' & #'(?s:.){0,13}') '!\"';",
        // Words and lines, counted; bytes and characters that are cut, and what may not be told from them.
        "start ::= #'[^\"\u{2028}\u{2029}]{0,9}\u{2028}?' '\"';",
        "start ::= #'([^\"\u{2028}\u{2029}]|\u{2028}!){0,9}x?' '\"';",
        "start ::= #'[^\"\u{2028}\u{2029}]{0,9}((?-u:\\\\xE2)|x)' '\"';",
        // Any text without those of a pattern: what has another character is none of these.
        "start ::= '\"' json!(~#'[a-b]+(x[ab]{2,3})*') '\"';",
        "start ::= '\"' json!(~#'ab[a-b]*' & ~#'(?:a|b)[abx]{2,}') '\"' 'x'?;",
        "start ::= '\"' json!(~#'ab[a-zé]*( [a-z]+)?') '\"';",
        "start ::= '\"' json!(~#'ab.*') '\"';",
        "start ::= '\"' json!(~#'[ab]*' & #'(?s:.){0,12}') '\"';",
        "start ::= (#'[a-z ]*' & ~#'[ab]+' & ~#'x[ab ]*') '\"';",
        "start ::= (#'[^\"]*' & ~#'[ab]+' & ~#'x[ab ]*')  '\"';",
        "start ::= (#'([a-y]|é)*' & ~#'[ab]+' & ~#'x[ab]*') ('z' | '\"');",
        "start ::= (#'[a-y]*' & ~#'[ab]{3}');",
        // Some characters multiply states.
        "start ::= (#'([^\"]{1,12}!){1,5}[abx-]+-?' & ~#'(?s:.)*- (?s:.)*') '\"';",
        "start ::= '\"' json!(#'(.{1,13}\\\\.){1,9}[ab]+' & ~#'(?s:.)*:x(?s:.)*' & #'(?s:.){1,40}') '\"';",
        "start ::= '\"' json!(#'(.{1,9}-){1,9}[ab]+' & ~#'(?s:.)*!x(?s:.)*') '\"';",
        // Bounds that are far are taken for none, as long as a text can still be ended before them.
        "start ::= '\"' json!(#'([^ ]+ +){0,17}[^ ]+') '\"';",
        "start ::= '\"' json!(#'([^ ]+ +){0,16}[^ ]+x{6}') '\"';",
        "start ::= '\"' json!(#'([^ ]+ ){3,18}[^ ]{2}') '\"';",
        "start ::= '\"' json!(#'([^ab]*[ab]){0,16}' & ~#'(?s:.)*bx(?s:.)*') '\"';",
        "start ::= '\"' json!(#'([^a]*[ab]){0,18}é?' & ~#'(?s:.)*(bb|xaé)(?s:.)*' & #'(?s:.){1,19}') '\"';",
        "start ::= '\"' json!(#'([^x]{1,16}x){1,20}[ab]+' & ~#'(?s:.)*!b(?s:.)*' & #'(?s:.){1,40}') '\"';",
        "start ::= '\"' json!(#'(.{1,20}x){1,17}[abé]+ ?' & ~#'(?s:.)*b{3}(?s:.)*') '\"';",
        "start ::= '\"' json!(#'((?-u:\\\\xFF)|[^x]){0,18}x') '\"';",
        "start ::= '\"' json!(#'[^x]+x?' & ~#'([^ ]+ ?){16,17}' & #'[^b]*b?(?s:.){0,24}') '\"';",
        "start ::= '\"' json!(#'(a?b?){0,16}([^ab]|é){0,19}x') '\"';",
        "start ::= '\"' json!(#'([^é]{0,3}(é|a)){0,16}') '\"';",
        "start ::= #'([^\" ]+ ){0,17}[^\" ]+\"';",
        // Below many places, some of which much is below of.
        "start ::= #'[ab ]*' #'[!a-z][!-,a-z]*' '\"';",
        "start ::= #'[abx \"]+' #'[a-z]+' (#'[a-z!]*-' | 'é');",
        "start ::= #'[^x]{0,9}' #'[^\"b]+' '\"';",
        // Below all places where names end, names; and what else begins with a character that no name begins with.
        "start ::= #'[a-wyz!][a-z!]*' #'[a-wyz!][a-z!]*' '\"';",
        "start ::= (#'[a-wyz!][a-z!]*|x')+ '\"';",
        "start ::= (#'[a-wyz!][a-z!]*|x\" ?')+ '\"';",
        "start ::= (#'[a-wyz!]([a-z!]*[ac-z!])?|xb?')+ '\"';",
        "start ::= #'[a-z!]+' (#'[ac-z!][a-z!]*|b')+ '\"';",
        // Complete behind some characters of a class only.
        "start ::= #'[0-9a-z-]*[0-9a-z](!([0-9a-z-]*[0-9a-z])?)+' '\"';",
        "start ::= #'([abx-]*[abx])?(é([0-9a-z-]*[0-9a-z])?)*' '\"';",
        "start ::= #'[a-y]*[ab]([xé ]([0-9a-y]*[0-9ab])?)*' '\"';",
        // Some characters of several bytes.
        "start ::= #'[a-zé]+(-[A-Za-zé]+)?( [A-Za-z\u{a0}é]+){0,3}' '\"';",
        "start ::= #'([a-z]|é\u{3000})*(-[A-Zxé])?' '\"'?;",
        "start ::= #'[A-Za-zé]{2,}x?!' '\"'?;",
        "start ::= (#'[a-z\u{2028}é]*' | #'é+') #'(x[a-zé]+)?' '!'?;",
        // Texts that are left out.
        "start ::= '\"' json!(#'[^b]{1,20}' & ~#'aa|é|x') '\"';",
        "start ::= (#'[a-z ]{2,3}(-[a-z]+)?' & ~#'aba|bab') '\"';",
        "start ::= '\"' json!(#'(?s:.){1,40}' & ~#'ab|éa|a{9}') '\"' 'x'?;",
        // Characters that go on behind most, but not for long, and some of several bytes among them.
        "start ::= '\"' json!(#'[^\\\\sx]*(x[^\\\\sx]*)*(?s:.)ab(?s:.)b(?s:.)*') '\"';",
        "start ::= '\"' json!(#'[^\u{2028}x]*(x[^\u{2028}x]*)*(?s:.)ba(?s:.)*') '\"';",
    ];
    // Each as the whole text, where nobody asks where it ends, and then with something behind it that no lexeme is.
    let followed = |grammar: &str| {
        let begun = grammar.replace("start", "begun");
        format!("start ::= begun behind; behind ::= 'a' behind 'x' | 'é' | ''; {begun}")
    };
    let grammars: Vec<String> =
        grammars.iter().flat_map(|grammar| [(*grammar).to_owned(), followed(grammar)]).collect();
    let mut walked = HashSet::new();
    for grammar in &grammars {
        let network = network(grammar);
        let bind = |lexicon: &Arc<Lexicon>, config: &Config| {
            let recognizer = Recognizer::new(Arc::clone(&network), &Default::default());
            Masks::new(recognizer, Arc::clone(lexicon), &Ending::default(), config).unwrap()
        };
        let by_walking =
            bind(&lexicons[lexicons.len() - 1], &Config { keep_parts: false, ..Config::default() });
        let mut scratch = Scratch::new(vocabulary.id_count());
        let all = states(&by_walking, 60);
        assert!(all.len() > 1, "{grammar}");
        for (number, lexicon) in lexicons.iter().enumerate() {
            for light in [0, 2_048] {
                let masks = bind(lexicon, &Config { light, ..Config::default() });
                for (place, (&expected, &state)) in all.iter().zip(&states(&masks, 60)).enumerate() {
                    let expected = by_walking.mask(expected, &mut scratch).unwrap().clone();
                    let found = masks.mask(state, &mut scratch).unwrap();
                    assert_eq!(*found, expected, "{grammar}, lexicon {number}, light {light}, state {place}");
                }
                if masks.stats().parts == 0 || lexicon.stats().parts == 0 {
                    walked.insert(grammar);
                }
            }
        }
    }
    // Nothing but walking has been compared with walking where a grammar is very ambiguous; there must be others.
    assert!(walked.len() <= 1, "{walked:?}");
}
