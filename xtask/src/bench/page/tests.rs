use super::*;
use crate::bench::{
    cost::Cost,
    latency::{Round, Rounds},
    memory::Resident,
    processor_time::ProcessorTime,
};

/// `micros` are those of tonic, of ours passed through and repaired, and of Go.
fn page(micros: [u64; 4], probe: u64, megabytes: f64) -> Page {
    let rounds = |p50| {
        let p50 = Duration::from_micros(p50);
        Rounds::from_iter([Round { p50, p99: 2 * p50 }])
    };
    let bytes = (megabytes * 1e6) as u64;
    let memory = |bytes| {
        let resident = Resident {
            all: bytes,
            own: bytes / 4,
        };
        Memory {
            after_first_call: resident,
            after_many_calls: resident,
            with_open_connections: Resident {
                all: 4 * bytes,
                own: 3 * bytes,
            },
        }
    };
    let latency = |factor| {
        let [stock, passed_through, repaired, go] = micros.map(|micros| rounds(factor * micros));
        Latency {
            stock,
            go: Some(go),
            passed_through,
            repaired,
        }
    };
    let cost = |whole, own| Cost {
        calls: 1_000,
        whole: Duration::from_millis(whole),
        called: ProcessorTime {
            kernel: Duration::from_millis(6),
            own: Duration::from_millis(own),
        },
        caller: ProcessorTime {
            kernel: Duration::from_millis(5),
            own: Duration::from_millis(1),
        },
        sleeps: 900,
        ..Cost::default()
    };
    let calls = |factor| Calls {
        latency: latency(factor),
        costs: Costs {
            go: Some(cost(24 * factor, 12)),
            stock: cost(15 * factor, 3),
            ours: cost(16 * factor, 4),
        },
    };
    Page {
        plan: Plan::FULL,
        together: calls(1),
        apart: Some(calls(2)),
        probes: Probes {
            unchecked: rounds(20),
            hanging: rounds(probe),
        },
        memory: [memory(4_000_000), memory(bytes)],
        sizes: [1_400_000, 2_800_000],
        switches: [1, 0],
        starts: [Duration::from_millis(2), Duration::from_micros(2_500)],
        instructions: Some(Instructions {
            stock: vec![40_000.4, 39_000.0, 41_000.0],
            ours: vec![50_000.5, 48_750.0, 51_250.0],
        }),
        agent: Agent::sample(),
        passthrough: None,
        machine: "Fast One".to_owned(),
        tonic: "0.14.9".to_owned(),
        go: Some("go1.26.8, grpc-go 1.85.0".to_owned()),
    }
}

#[test]
fn every_row_shows_its_bound_and_whether_it_is_met() {
    let good = page([40, 42, 60, 60], 23, 5.0);
    assert!(good.meets_every_bound());
    assert_eq!(
        format!(
            "{}\n{}\n{}",
            good.server_table(),
            good.go_table(),
            good.probe_table()
        ),
        "\
| what                                                         | tonic 0.14.9              | csi-identity              | ratio | must be            |     |
| ---                                                          | ---                       | ---                       | ---   | ---                | --- |
| GetPluginInfo, authority `localhost`, p50                    | 40.0 µs (40.0 to 40.0)    | 42.0 µs (42.0 to 42.0)    | 1.050 | ratio at most 1.15 | met |
| GetPluginInfo, authority `localhost`, p99                    | 80.0 µs (80.0 to 80.0)    | 84.0 µs (84.0 to 84.0)    | 1.050 | ratio at most 1.15 | met |
| GetPluginInfo, authority is the socket's path, p50           | refused                   | 60.0 µs (60.0 to 60.0)    | 1.500 |                    |     |
| GetPluginInfo, authority is the socket's path, p99           | refused                   | 120.0 µs (120.0 to 120.0) | 1.500 |                    |     |
| GetPluginInfo, authority `localhost`, on two processors, p50 | 80.0 µs (80.0 to 80.0)    | 84.0 µs (84.0 to 84.0)    | 1.050 |                    |     |
| GetPluginInfo, authority `localhost`, on two processors, p99 | 160.0 µs (160.0 to 160.0) | 168.0 µs (168.0 to 168.0) | 1.050 |                    |     |
| resident memory after the first call                         | 4.00 MB                   | 5.00 MB                   | 1.250 | at most 5 MB       | met |
| of which its own, after the first call                       | 1.00 MB                   | 1.25 MB                   | 1.250 |                    |     |
| resident memory after 100,000 calls                          | 4.00 MB                   | 5.00 MB                   | 1.250 | at most 5 MB       | met |
| of which its own, after 100,000 calls                        | 1.00 MB                   | 1.25 MB                   | 1.250 |                    |     |
| resident memory with 1,000 open connections                  | 16.00 MB                  | 20.00 MB                  | 1.250 |                    |     |
| of which its own, with 1,000 open connections                | 12.00 MB                  | 15.00 MB                  | 1.250 |                    |     |
| binary, stripped                                             | 1.40 MB                   | 2.80 MB                   | 2.000 | at most 5 MB       | met |
| voluntary context switches in 20 s, one silent client        | 1                         | 0                         |       |                    |     |
| start of the process to first answer                         | 2.0 ms                    | 2.5 ms                    | 1.250 |                    |     |
| instructions of a GetPluginInfo, outside of the kernel       | 40,000 (39,000 to 41,000) | 50,001 (48,750 to 51,250) | 1.250 |                    |     |

| what                                                               | plugin in Go               | csi-identity              | ratio | must be           |     |
| ---                                                                | ---                        | ---                       | ---   | ---               | --- |
| GetPluginInfo, on one processor, p50                               | 60.0 µs (60.0 to 60.0)     | 42.0 µs (42.0 to 42.0)    | 0.700 | ratio at most 0.7 | met |
| GetPluginInfo, on one processor, p99                               | 120.0 µs (120.0 to 120.0)  | 84.0 µs (84.0 to 84.0)    | 0.700 | ratio at most 0.7 | met |
| GetPluginInfo, on two processors, p50                              | 120.0 µs (120.0 to 120.0)  | 84.0 µs (84.0 to 84.0)    | 0.700 | ratio at most 0.7 | met |
| GetPluginInfo, on two processors, p99                              | 240.0 µs (240.0 to 240.0)  | 168.0 µs (168.0 to 168.0) | 0.700 | ratio at most 0.7 | met |
| resident memory with registration and health, after the start      | 56.00 MB (56.00 to 112.00) | 8.00 MB (8.00 to 16.00)   | 0.143 | ratio at most 1/7 | met |
| resident memory with registration and health, after 1,000 requests | 63.00 MB (63.00 to 126.00) | 9.00 MB (9.00 to 18.00)   | 0.143 | ratio at most 1/7 | met |

| what                                   | without checks         | while it hangs         | ratio | must be            |     |
| ---                                    | ---                    | ---                    | ---   | ---                | --- |
| 10,000 Probes while a check hangs, p50 | 20.0 µs (20.0 to 20.0) | 23.0 µs (23.0 to 23.0) | 1.150 | ratio at most 1.15 | met |
| 10,000 Probes while a check hangs, p99 | 40.0 µs (40.0 to 40.0) | 46.0 µs (46.0 to 46.0) | 1.150 |                    |     |
"
    );
}

#[test]
fn a_bound_is_met_up_to_its_value_and_not_beyond() {
    for (micros, probe, megabytes, expected) in [
        ([40, 46, 90, 66], 23, 5.0, vec![]),
        (
            [40, 47, 47, 70],
            20,
            5.0,
            vec![
                "GetPluginInfo, authority `localhost`, p50",
                "GetPluginInfo, authority `localhost`, p99",
            ],
        ),
        (
            // Beside Go alone.
            [40, 42, 42, 59],
            20,
            5.0,
            vec![
                "GetPluginInfo, on one processor, p50",
                "GetPluginInfo, on one processor, p99",
                "GetPluginInfo, on two processors, p50",
                "GetPluginInfo, on two processors, p99",
            ],
        ),
        (
            [40, 40, 40, 60],
            24,
            5.0,
            vec!["10,000 Probes while a check hangs, p50"],
        ),
        (
            [40, 40, 40, 60],
            20,
            5.000_001,
            vec![
                "resident memory after the first call",
                "resident memory after 100,000 calls",
            ],
        ),
    ] {
        let page = page(micros, probe, megabytes);
        let rows = page.rows().into_iter().chain(page.go_rows());
        let rows = rows.chain(page.probe_rows());
        let missed = rows.filter(|row| row.bound.as_ref().is_some_and(|bound| !bound.met));
        let missed: Vec<String> = missed.map(|row| row.what).collect();
        assert_eq!(missed, expected);
        assert_eq!(page.meets_every_bound(), expected.is_empty());
        assert_eq!(page.tables().matches("**not met**").count(), expected.len());
    }
}

#[test]
fn without_go_and_valgrind_it_is_said_what_is_missing() {
    let mut page = page([40, 46, 60, 60], 23, 5.0);
    assert!(!page.meets_every_bound());
    for calls in [&mut page.together].into_iter().chain(&mut page.apart) {
        calls.latency.go = None;
        calls.costs.go = None;
    }
    page.instructions = None;
    page.agent.without_go();
    page.go = None;
    assert!(page.meets_every_bound());
    for row in page.go_rows() {
        assert_eq!(row.base, "Go is not installed", "{}", row.what);
        assert!(row.ratio.is_none() && row.bound.is_none(), "{}", row.what);
    }
    let counted = page.instructions_row();
    assert_eq!(
        (&*counted.base, &*counted.ours, counted.ratio),
        ("valgrind is not installed", "", None)
    );
    assert!(
        page.to_string()
            .contains("Machine: Fast One, Go is not installed.\n")
    );
    assert!(!page.picture().to_string().contains("Go"));
}

#[test]
fn the_picture_has_the_figures_of_the_tables() {
    let page = page([40, 42, 60, 61], 23, 5.0);
    let picture = page.picture().to_string();
    let description = picture
        .lines()
        .find_map(|line| line.strip_prefix("<desc id=\"desc\">"));
    assert_eq!(
        description,
        Some(
            "GetPluginInfo, one caller: median, and a thin line to the 99th percentile. \
             plugin in Go (grpc-go): 61.0 µs, p99 122.0 µs; plugin in Rust (tonic): 40.0 µs, p99 80.0 µs; \
             csi-identity serve: 42.0 µs, p99 84.0 µs; \
             the same, called as a kubelet calls: 60.0 µs, p99 120.0 µs. \
             Resident memory, registered, after 1,000 health requests. \
             plugin and sidecars in Go, 3 processes: 63.0 MB; csi-identity serve --register, 1 process: 9.0 MB; \
             sidecars in Go, 2 processes: 44.0 MB; csi-identity by their names, 2 processes: 11.0 MB; \
             csi-identity agent, 1 process: 6.4 MB.</desc>"
        )
    );
    // What a script could be in, or what is drawn another time, has no place in it.
    assert!(!picture.contains("script"));
    assert_eq!(picture, page.picture().to_string());
}

#[test]
fn with_one_processor_there_are_no_rows_for_two() {
    let mut page = page([40, 42, 60, 60], 23, 5.0);
    page.apart = None;
    assert!(page.meets_every_bound());
    assert!(!page.tables().contains("two processors"));
}

#[test]
fn the_time_of_a_call_is_shown_in_its_parts() {
    let mut page = page([40, 42, 60, 60], 23, 5.0);
    page.apart = None;
    assert_eq!(
        page.cost_table(),
        "\
| µs a call                                          | plugin in Go | tonic 0.14.9 | csi-identity |
| ---                                                | ---          | ---          | ---          |
| one processor: from one answer to the next         | 24.0         | 15.0         | 16.0         |
| one processor: the server, outside of the kernel   | 12.0         | 3.0          | 4.0          |
| one processor: the server, in the kernel           | 6.0          | 6.0          | 6.0          |
| one processor: the caller                          | 6.0          | 6.0          | 6.0          |
| one processor: times that the server goes to sleep | 0.9          | 0.9          | 0.9          |
"
    );
}
