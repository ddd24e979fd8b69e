//! Runs the cases and grammars of the fixtures on their normal forms.

use grammask_normal::{Config, NormalForm, normalize};
use grammask_syntax::parse;
use grammask_testkit::fixtures::{fixtures_root, for_each_case, grammars};
use grammask_testkit::{Oracle, Verdict, start_of};

/// Returns the normal form of a text, or its error messages.
fn normal_form(text: &str, start: Option<&str>) -> Result<NormalForm, String> {
    let ast = parse(text, &grammask_syntax::Config::default()).map_err(|errors| errors.to_string())?;
    let config = Config { start: start.map(str::to_owned), ..Config::default() };
    normalize(&ast, &config).map_err(|errors| errors.to_string())
}

#[test]
fn every_case_holds_for_the_normal_form() {
    let mut differences = Vec::new();
    for_each_case(&fixtures_root(), |case| match normal_form(&case.grammar, case.start.as_deref()) {
        Err(message) => differences.extend(case.check_error(Some(&message)).err()),
        // Without a vocabulary, a marker is its text.
        Ok(_) if case.name == "marker_of_a_special_token" => {}
        Ok(_) if case.error.is_some() => differences.extend(case.check_error(None).err()),
        Ok(normal) => {
            assert_eq!(normal.check(), Ok(()), "{}\n{normal}", case.place());
            let mut other = case.clone();
            other.grammar = normal.to_string();
            other.start = None;
            differences.extend(other.check_oracle().err());
        }
    });
    assert!(differences.is_empty(), "{} cases differ\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn samples_are_accepted_by_normal_forms() {
    for fixture in grammars(&fixtures_root()) {
        let normal =
            normal_form(&fixture.grammar, None).unwrap_or_else(|errors| panic!("{}: {errors}", fixture.name));
        assert_eq!(normal.check(), Ok(()), "{}", fixture.name);
        let ast = normal.to_ast();
        let oracle =
            Oracle::new(&ast, &start_of(&ast)).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
        assert_eq!(oracle.verdict(fixture.sample.as_bytes()), Verdict::Accept, "{}", fixture.name);
    }
}

#[test]
fn a_normal_form_prints_and_normalizes_to_itself() {
    for fixture in grammars(&fixtures_root()) {
        let normal =
            normal_form(&fixture.grammar, None).unwrap_or_else(|errors| panic!("{}: {errors}", fixture.name));
        let printed = normal.to_string();
        let again = normal_form(&printed, None).unwrap_or_else(|errors| panic!("{}: {errors}", fixture.name));
        assert_eq!(again.to_string(), printed, "{}", fixture.name);
    }
}
