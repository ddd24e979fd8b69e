//! Normal forms and configurations through serde.
#![cfg(feature = "serde")]

use grammask_normal::{Config, NormalForm, normalize};

#[test]
fn a_normal_form_survives_serialization() {
    let text = "start ::= x{2,5} #'a' & ~'b' | except!(y, 7) #e'c' #ex'd' #substrs'e' <|f|> <[3]> ('g' | #'h'){2,}; x ::= 'x' x | 'z'; y ::= 'y' | 'w';";
    let ast = grammask_syntax::parse(text, &grammask_syntax::Config::default()).expect("valid");
    let normal = normalize(&ast, &Config::default()).expect("valid");
    let json = serde_json::to_string(&normal).expect("plain data");
    let back: NormalForm = serde_json::from_str(&json).expect("what was written");
    assert_eq!(back, normal);
}

#[test]
fn a_configuration_may_omit_fields() {
    let config: Config =
        serde_json::from_str(r#"{"start": "top", "limits": {"max_symbols": 7}}"#).expect("fields of Config");
    assert_eq!((config.start.as_deref(), config.limits.max_symbols), (Some("top"), 7));
    assert_eq!(config.limits.max_productions, Config::default().limits.max_productions);
    let json = serde_json::to_string(&config).expect("plain data");
    let back: Config = serde_json::from_str(&json).expect("what was written");
    assert_eq!(format!("{back:?}"), format!("{config:?}"));
}
