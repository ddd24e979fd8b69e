//! Trees, configurations and diagnostics as data of other programs.
#![cfg(feature = "serde")]

use grammask_syntax::{Ast, Config, Limits, parse};

const TEXT: &str =
    "%start a; a ::= ('x' | ~#'y'){2,3} & b | except!(b, 3) <|s|> <[3]>; b ::= #e'z' #ex'z' #substrs'z';";

#[test]
fn tree_round_trips_through_json() {
    let ast = parse(TEXT, &Config::default()).unwrap();
    let json = serde_json::to_string(&ast).unwrap();
    assert_eq!(serde_json::from_str::<Ast>(&json).unwrap(), ast);
}

#[test]
fn invalid_trees_are_refused() {
    let ast = parse("a ::= 'x' 'y';", &Config::default()).unwrap();
    let json = serde_json::to_string(&ast).unwrap();
    for (right, wrong) in
        [("[0,1]", "[0,2]"), ("[0,1]", "[0,0]"), ("[0,1]", "[0]"), ("\"body\":2", "\"body\":3")]
    {
        let changed = json.replace(right, wrong);
        assert_ne!(changed, json);
        assert!(serde_json::from_str::<Ast>(&changed).is_err(), "{changed}");
    }
}

#[test]
fn configuration_may_be_partial() {
    let config: Config = serde_json::from_str(r#"{"limits": {"max_nesting": 7}}"#).unwrap();
    assert_eq!(config, Config::from(Limits { max_nesting: 7, ..Limits::default() }));
    assert!(serde_json::from_str::<Config>(r#"{"limits": {"max_nestin": 7}}"#).is_err());
}

#[test]
fn diagnostics_are_data() {
    let errors = parse("a ::= ('x'];", &Config::default()).unwrap_err();
    let json = serde_json::to_value(errors.diagnostics()).unwrap();
    assert_eq!(json[0]["span"], serde_json::json!({"start": 10, "end": 11}));
    assert_eq!(json[0]["note"]["span"]["start"], 6);
}
