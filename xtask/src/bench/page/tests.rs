use super::*;
use crate::bench::latency::Round;

fn page(micros: [u64; 3], probe: u64, megabytes: f64) -> Page {
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
    let [stock, passed_through, repaired] = micros.map(rounds);
    Page {
        plan: Plan::FULL,
        latency: Latency {
            stock,
            passed_through,
            repaired,
        },
        probes: Probes {
            unchecked: rounds(20),
            hanging: rounds(probe),
        },
        memory: [memory(4_000_000), memory(bytes)],
        sizes: [1_400_000, 2_800_000],
        switches: [1, 0],
        starts: [Duration::from_millis(2), Duration::from_micros(2_500)],
        agent: Agent::sample(),
        passthrough: None,
        machine: "Fast One".to_owned(),
        tonic: "0.14.9".to_owned(),
    }
}

#[test]
fn every_row_shows_its_bound_and_whether_it_is_met() {
    let good = page([40, 46, 60], 23, 5.0);
    assert!(good.meets_every_bound());
    assert_eq!(
        format!("{}\n{}", good.server_table(), good.probe_table()),
        "\
| what                                                  | tonic 0.14.9           | csi-identity              | ratio | must be            |     |
| ---                                                   | ---                    | ---                       | ---   | ---                | --- |
| GetPluginInfo, authority `localhost`, p50             | 40.0 µs (40.0 to 40.0) | 46.0 µs (46.0 to 46.0)    | 1.150 | ratio at most 1.15 | met |
| GetPluginInfo, authority `localhost`, p99             | 80.0 µs (80.0 to 80.0) | 92.0 µs (92.0 to 92.0)    | 1.150 |                    |     |
| GetPluginInfo, authority is the socket's path, p50    | refused                | 60.0 µs (60.0 to 60.0)    | 1.500 |                    |     |
| GetPluginInfo, authority is the socket's path, p99    | refused                | 120.0 µs (120.0 to 120.0) | 1.500 |                    |     |
| resident memory after the first call                  | 4.00 MB                | 5.00 MB                   | 1.250 | at most 5 MB       | met |
| of which its own, after the first call                | 1.00 MB                | 1.25 MB                   | 1.250 |                    |     |
| resident memory after 100,000 calls                   | 4.00 MB                | 5.00 MB                   | 1.250 | at most 5 MB       | met |
| of which its own, after 100,000 calls                 | 1.00 MB                | 1.25 MB                   | 1.250 |                    |     |
| resident memory with 1,000 open connections           | 16.00 MB               | 20.00 MB                  | 1.250 |                    |     |
| of which its own, with 1,000 open connections         | 12.00 MB               | 15.00 MB                  | 1.250 |                    |     |
| binary, stripped                                      | 1.40 MB                | 2.80 MB                   | 2.000 | at most 5 MB       | met |
| voluntary context switches in 20 s, one silent client | 1                      | 0                         |       |                    |     |
| start of the process to first answer                  | 2.0 ms                 | 2.5 ms                    | 1.250 |                    |     |

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
        ([40, 46, 90], 23, 5.0, vec![]),
        (
            [40, 47, 47],
            20,
            5.0,
            vec!["GetPluginInfo, authority `localhost`, p50"],
        ),
        (
            [40, 40, 40],
            24,
            5.0,
            vec!["10,000 Probes while a check hangs, p50"],
        ),
        (
            [40, 40, 40],
            20,
            5.000_001,
            vec![
                "resident memory after the first call",
                "resident memory after 100,000 calls",
            ],
        ),
    ] {
        let page = page(micros, probe, megabytes);
        let rows = page.rows().into_iter().chain(page.probe_rows());
        let missed = rows.filter(|row| row.bound.as_ref().is_some_and(|bound| !bound.met));
        let missed: Vec<String> = missed.map(|row| row.what).collect();
        assert_eq!(missed, expected);
        assert_eq!(page.meets_every_bound(), expected.is_empty());
        assert_eq!(page.tables().matches("**not met**").count(), expected.len());
    }
}
