//! That no fault is forgotten here.

use std::collections::BTreeSet;

use faulty_plugin::FAULTS;

use crate::{answers, connections, many_calls, process, requests, slow};

#[test]
fn each_fault_has_a_test_in_one_place() {
    let in_tables: BTreeSet<_> = answers::TABLES
        .into_iter()
        .flatten()
        .map(|row| row.0)
        .collect();
    let mut tested: Vec<_> = in_tables
        .into_iter()
        .chain(slow::SHOWN.iter().map(|row| row.0))
        .chain(many_calls::FAULTS)
        .chain(connections::FAULTS)
        .chain(requests::FAULTS)
        .chain(process::FAULTS)
        .collect();
    tested.sort_unstable();
    let mut names: Vec<_> = FAULTS.iter().map(|fault| fault.name()).collect();
    names.sort_unstable();
    assert_eq!(tested, names);
}
