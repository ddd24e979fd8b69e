//! The grammars of valid schemas, and the errors of invalid ones: a snapshot for each fixture.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use grammask_json_schema::{
    AdditionalProperties, Config, Profile, PropertyOrder, Translation, Unsupported, Whitespace, translate,
};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Returns the name and the schema of each fixture in a folder, sorted by name.
fn fixtures(name: &str) -> Vec<(String, Value)> {
    let paths =
        fs::read_dir(folder(name)).expect("the fixtures are there").map(|entry| entry.unwrap().path());
    let mut fixtures: Vec<(String, Value)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap())
        })
        .collect();
    fixtures.sort_by(|(a, _), (b, _)| a.cmp(b));
    fixtures
}

/// Returns the options of a fixture. Without white space, grammars are readable.
fn config(name: &str) -> Config {
    let profile = if name.starts_with("generation_") { Profile::Generation } else { Profile::Standard };
    let all = Config::new(profile);
    let mut config = Config { whitespace: Whitespace::Compact, ..all.clone() };
    match name {
        "object_required_and_optional" | "generation_white_space" => config.whitespace = all.whitespace,
        "whitespace_separators" => {
            config.whitespace = Whitespace::Separators { item: ", ".into(), key: ": ".into() };
        }
        "order_as_written" | "generation_order_as_written" | "order_as_written_with_patterns" => {
            config.property_order = PropertyOrder::AsWritten;
        }
        "closed_by_default" => config.additional_properties = AdditionalProperties::Closed,
        "relaxed" => config.unsupported = Unsupported::Relax,
        "limit_depth" => config.limits.max_depth = 4,
        "limit_alternatives" => config.limits.max_alternatives = 16,
        "limit_key_classes" => config.limits.max_key_classes = 4,
        "limit_work" => config.limits.max_work = 5,
        _ => {}
    }
    config
}

fn show(translation: &Translation) -> String {
    let mut text = translation.ast.to_string();
    for relaxation in &translation.relaxations {
        let (pointer, keyword, reason) = (&relaxation.pointer, &relaxation.keyword, &relaxation.reason);
        write!(text, "\nnot asserted at '{pointer}', {keyword}: {reason}").unwrap();
    }
    for note in &translation.notes {
        write!(text, "\nnote {note}").unwrap();
    }
    text
}

/// Checks each fixture of a folder against its snapshot, and that each snapshot has a fixture.
fn check(name: &str, least: usize, show: impl Fn(&str, &Value) -> String) {
    let fixtures = fixtures(name);
    assert!(fixtures.len() >= least, "only {} fixtures", fixtures.len());
    let snapshots = format!("snapshots/{name}");
    for (fixture, schema) in &fixtures {
        let shown = show(fixture, schema);
        assert!(shown.lines().count() <= 200, "{fixture} is too long to read");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => snapshots.as_str() }, {
            insta::assert_snapshot!(fixture.as_str(), shown);
        });
    }
    let names: BTreeSet<String> = fixtures.into_iter().map(|(name, _)| format!("{name}.snap")).collect();
    let kept = fs::read_dir(folder(&snapshots))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let stale: Vec<String> = kept.filter(|name| name.ends_with(".snap") && !names.contains(name)).collect();
    assert!(stale.is_empty(), "snapshots without a fixture: {stale:?}");
}

#[test]
fn grammars_of_schemas() {
    check("schemas", 25, |name, schema| {
        let translation = translate(schema, &config(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        translation.ast.check().unwrap();
        let again = grammask_syntax::parse(&translation.ast.to_string(), &grammask_syntax::Config::default());
        assert!(again.unwrap().same_as(&translation.ast), "{name} prints as something else");
        show(&translation)
    });
}

#[test]
fn invalid_schemas_are_explained() {
    check("invalid", 20, |name, schema| match translate(schema, &config(name)) {
        Ok(translation) => panic!("{name} is taken for right:\n{}", show(&translation)),
        Err(error) => error.to_string(),
    });
}
