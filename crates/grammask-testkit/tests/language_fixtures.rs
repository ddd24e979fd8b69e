//! The cases of the fixtures hold for the oracle.

use grammask_testkit::fixtures::{fixtures_root, for_each_case};

#[test]
fn every_case_holds() {
    let mut differences = Vec::new();
    for_each_case(&fixtures_root(), |case| differences.extend(case.check_oracle().err()));
    assert!(differences.is_empty(), "{} cases differ\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn there_are_enough_cases() {
    let (mut cases, mut inputs) = (0, 0);
    for_each_case(&fixtures_root(), |case| {
        cases += 1;
        inputs += case.inputs.len() + case.eager.len() + case.masks.len();
    });
    assert!(cases >= 300 && inputs >= 1000, "{cases} cases with {inputs} inputs");
}
