use super::*;
use crate::bench::agent::rates::{MANY, Rate, Setup, TOGETHER};

#[test]
fn every_row_shows_its_bound_and_whether_it_is_met() {
    assert_eq!(
        Agent::sample().table(),
        "\
| what                                                                       | sidecars in Go               | csi-identity agent        | ratio  | must be           |     |
| ---                                                                        | ---                          | ---                       | ---    | ---               | --- |
| plugin appears to GetInfo answered                                         | 600.0 ms (500.0 to 1000.0)   | 20.0 ms (10.0 to 30.0)    | 0.033  | at most 20 ms     | met |
| start of the process to GetInfo answered                                   | 20.0 ms (20.0 to 20.0)       | 10.0 ms (10.0 to 50.0)    | 0.500  | at most 10 ms     | met |
| registration socket deleted to GetInfo answered                            | not within 10 s              | 3.0 ms (1.0 to 2000.0)    |        | none over 2 s     | met |
| resident memory after the start                                            | 40.00 MB                     | 6.00 MB                   | 0.150  | at most 6.7 MB    | met |
| resident memory after 1,000 requests                                       | 44.00 MB                     | 6.37 MB                   | 0.145  | at most 6.7 MB    | met |
| resident memory after 1,000,000 requests (Go: 20,000)                      | 50.00 MB                     | 6.70 MB                   | 0.134  | at most 6.7 MB    | met |
| of which since the first of these two                                      | 6.00 MB                      | 0.34 MB                   |        | at most 0.335 MB  | met |
| file descriptors and threads at these two                                  | 20 and 14, then 21 and 15    | 17 and 1, then 17 and 1   |        | the same          | met |
| resident memory under the sidecars' names, after the start                 | 40.00 MB (40.00 to 80.00)    | 10.00 MB (10.00 to 20.00) | 0.250  | ratio at most 1/4 | met |
| resident memory under the sidecars' names, after 1,000 requests            | 44.00 MB (44.00 to 88.00)    | 11.00 MB (11.00 to 22.00) | 0.250  | ratio at most 1/4 | met |
| /healthz a second, 1 connection, all on one processor                      | 1,000 (500 to 1,000)         | 10,000 (5,000 to 10,000)  | 10.000 | ratio at least 10 | met |
| the load on a server that does nothing, 1 connection, all on one processor |                              | 20,000 (10,000 to 20,000) | 2.000  | ratio at least 2  | met |
| /healthz a second, 16 connections                                          | 2,000 (1,000 to 2,000)       | 30,000 (15,000 to 30,000) | 15.000 | ratio at least 10 | met |
| the load on a server that does nothing, 16 connections                     |                              | 60,000 (30,000 to 60,000) | 2.000  |                   |     |
| plugin killed to /healthz 500                                              | 3000.0 ms (3000.0 to 3000.0) | 2.0 ms (1.0 to 50.0)      | 0.001  | none over 50 ms   | met |
| next plugin takes connections to /healthz 200                              | 4.0 ms (4.0 to 4.0)          | 1.0 ms (1.0 to 50.0)      | 0.250  | none over 50 ms   | met |
| voluntary context switches in 20 s, registered and idle                    | 40                           | 20                        | 0.500  | ratio at most 0.5 | met |
| binaries, stripped                                                         | 40.00 MB                     | 8.00 MB                   | 0.200  | ratio at most 0.2 | met |
"
    );
}

#[test]
fn without_go_ours_is_measured_alone() {
    let mut agent = Agent::sample();
    agent.without_go();
    let rows = agent.rows();
    let with_go = Agent::sample().rows();
    for (row, with_go) in rows.iter().zip(&with_go) {
        assert_eq!(row.ours, with_go.ours, "{}", row.what);
        if !with_go.base.is_empty() {
            assert_eq!(row.base, "Go is not installed", "{}", row.what);
            assert_eq!(row.ratio, None, "{}", row.what);
        }
        // What is no ratio to Go is bound all the same.
        let bound = row.bound.as_ref().map(|bound| (bound.text, bound.met));
        let expected = with_go.bound.as_ref().map(|bound| (bound.text, bound.met));
        let is_ratio_to_go = with_go.ratio.is_some()
            && !with_go.base.is_empty()
            && expected.is_some_and(|(text, _)| text.starts_with("ratio"));
        assert_eq!(bound, expected.filter(|_| !is_ratio_to_go), "{}", row.what);
    }
}

#[test]
fn a_bound_is_met_up_to_its_value_and_not_beyond() {
    let late = Duration::from_micros(20_001);
    let early = Duration::from_micros(10_001);
    let outage = Duration::from_micros(50_001);
    type Worsen<'a> = &'a dyn Fn(&mut Agent);
    let deleted = Some(Duration::from_millis(2_001));
    let cases: [(Worsen<'_>, &str); 18] = [
        (
            &|agent| agent.late.ours.0 = vec![late],
            "plugin appears to GetInfo answered",
        ),
        (
            &|agent| agent.early.ours.0 = vec![early],
            "start of the process to GetInfo answered",
        ),
        (
            &|agent| agent.deleted.ours.0.push(deleted),
            "registration socket deleted to GetInfo answered",
        ),
        (
            &|agent| agent.deleted.ours.0.push(None),
            "registration socket deleted to GetInfo answered",
        ),
        (
            &|agent| agent.by_name.ours.at_start = vec![10_000_001; 3],
            "resident memory under the sidecars' names, after the start",
        ),
        (
            &|agent| agent.by_name.ours.after_few = vec![11_000_001; 3],
            "resident memory under the sidecars' names, after 1,000 requests",
        ),
        (
            &|agent| agent.held.ours.at_start.memory = 6_700_001,
            "resident memory after the start",
        ),
        (
            &|agent| agent.held.ours.after_few.memory = 6_700_001,
            "resident memory after 1,000 requests",
        ),
        (
            &|agent| agent.held.ours.after_few.memory -= 1,
            "of which since the first of these two",
        ),
        (
            &|agent| agent.held.ours.after_many.descriptors += 1,
            "file descriptors and threads at these two",
        ),
        (
            &|agent| agent.held.ours.after_many.threads += 1,
            "file descriptors and threads at these two",
        ),
        (
            &|agent| each_rate(agent, TOGETHER, |rate| rate.answered.ours -= 1.0),
            "/healthz a second, 1 connection, all on one processor",
        ),
        (
            &|agent| each_rate(agent, MANY, |rate| rate.answered.go = Some(4_000.0)),
            "/healthz a second, 16 connections",
        ),
        (
            &|agent| each_rate(agent, TOGETHER, |rate| rate.nothing -= 1.0),
            "the load on a server that does nothing, 1 connection, all on one processor",
        ),
        (
            &|agent| agent.outages.ours.begun.push(outage),
            "plugin killed to /healthz 500",
        ),
        (
            &|agent| agent.outages.ours.over.push(outage),
            "next plugin takes connections to /healthz 200",
        ),
        (
            &|agent| agent.switches.ours += 1,
            "voluntary context switches in 20 s, registered and idle",
        ),
        (&|agent| agent.sizes.ours += 1, "binaries, stripped"),
    ];
    assert!(Agent::sample().rows().iter().all(is_met));
    for (worsen, expected) in cases {
        let mut agent = Agent::sample();
        worsen(&mut agent);
        let rows = agent.rows();
        let missed = rows.iter().filter(|row| !is_met(row));
        let missed: Vec<&str> = missed.map(|row| &*row.what).collect();
        assert_eq!(missed, [expected]);
    }
}

fn each_rate(agent: &mut Agent, setup: Setup, change: impl Fn(&mut Rate)) {
    let rates = agent.rates.iter_mut();
    for rates in rates.filter(|rates| rates.setup == setup) {
        rates.rounds.iter_mut().for_each(&change);
    }
}

fn is_met(row: &Row) -> bool {
    row.bound.as_ref().is_none_or(|bound| bound.met)
}

#[test]
fn with_a_plugin_a_seventh_of_the_memory_in_go_is_the_bound() {
    let met = |agent: &Agent| agent.with_plugin_rows().map(|row| is_met(&row));
    let mut agent = Agent::sample();
    assert_eq!(met(&agent), [true, true]);
    agent.with_plugin.ours.at_start = vec![8_000_001; 3];
    assert_eq!(met(&agent), [false, true]);
    agent.with_plugin.ours.after_few = vec![9_000_001; 3];
    assert_eq!(met(&agent), [false, false]);
}

#[test]
fn a_socket_that_did_not_come_back_is_said_to_be_gone_as_long_as_it_was_looked_for() {
    let mut agent = Agent::sample();
    agent.deleted.ours = Deleted(vec![Some(Duration::from_millis(1)), None]);
    assert_eq!(agent.deleted_row().ours, "not within 10 s");
    let seconds = [1, 3, 2].map(|seconds| Some(Duration::from_secs(seconds)));
    agent.deleted.go = Some(Deleted(seconds.to_vec()));
    assert_eq!(agent.deleted_row().base, "2000.0 ms (1000.0 to 3000.0)");
}

#[test]
fn rates_are_shown_place_by_place() {
    let table = Agent::sample().rate_table();
    let first: Vec<&str> = table
        .lines()
        .skip(2)
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .collect();
    assert_eq!(
        first,
        [
            "1, all on one processor",
            "1, the plugin on a processor of its own",
            "1, the load on a processor of its own",
            "1, wherever the kernel puts it",
            "16, wherever the kernel puts it",
        ]
    );
    let last = table.lines().last().unwrap();
    let cells: Vec<&str> = last.split('|').skip(2).map(str::trim).collect();
    assert_eq!(
        cells,
        [
            "2,000 (1,000 to 2,000)",
            "20,000 (10,000 to 20,000)",
            "30,000 (15,000 to 30,000)",
            "15.00",
            "10.00",
            "60,000 (30,000 to 60,000)",
            "",
        ]
    );
}

#[test]
fn the_time_of_a_request_is_shown_in_its_parts() {
    let agent = Agent::sample();
    assert_eq!(
        agent.cost_table(),
        "\
| µs a request                                    | sidecar in Go | axum + tonic | csi-identity agent |
| ---                                             | ---           | ---          | ---                |
| from one answer to the next                     | 1000.0        | 125.0        | 100.0              |
| of which whoever answers, outside of the kernel | 700.0         | 62.0         | 37.0               |
| whoever answers, in the kernel                  | 200.0         | 40.0         | 40.0               |
| the plugin                                      | 15.0          | 15.0         | 15.0               |
| the load                                        | 8.0           | 8.0          | 8.0                |
| times that whoever answers goes to sleep        | 1.5           | 1.5          | 1.5                |
"
    );
    // 1,000 µs in Go, and 63 of ours in the kernel and elsewhere.
    let ratio = agent.ratio_of_the_kernel_alone().unwrap();
    assert_eq!(format!("{ratio:.2}"), "15.87");
}
