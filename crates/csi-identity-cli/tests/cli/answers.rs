//! `serve` on one side, `info`, `capabilities` and `probe` on the other.

use std::path::Path;

use csi_identity::endpoint::{ConnectOptions, Endpoint, connect};
use csi_identity::proto::csi::v1::node_client::NodeClient;
use csi_identity::proto::csi::v1::{NodeGetInfoRequest, NodeGetInfoResponse, Topology};

use crate::program::{Ran, Running, csi_identity, run, temporary_folder};
use crate::served::{IDENTITY, Served, await_answer, in_runtime};

/// Asks about a socket.
fn ask(subcommand: &str, socket: &Path, more: &[&str]) -> Ran {
    let mut command = csi_identity([subcommand, "-e"]);
    Running::spawn(command.arg(socket).args(more)).finish()
}

fn full() -> Served {
    Served::start(&[
        "--manifest=url=https://disk.acme.io/?a=b",
        "--manifest=commit=0f09aec",
        "--manifest=empty=",
        "--capability=SNAPSHOT_METADATA_SERVICE",
        "--capability=NODE_SERVICE",
        "--capability=CONTROLLER_SERVICE",
        "--capability=GROUP_CONTROLLER_SERVICE",
        "--capability=CONTROLLER_SERVICE",
        "--capability=VOLUME_ACCESSIBILITY_CONSTRAINTS",
        "--expansion=offline",
        "--expansion=ONLINE",
    ])
}

#[test]
fn text_is_for_people() {
    let served = full();
    let info = "\
name:           disk.acme.io
vendor_version: 1.2.3
manifest:
  commit: 0f09aec
  empty: \n  url: https://disk.acme.io/?a=b
";
    let capabilities = "\
CONTROLLER_SERVICE               service
VOLUME_ACCESSIBILITY_CONSTRAINTS service
GROUP_CONTROLLER_SERVICE         service
SNAPSHOT_METADATA_SERVICE        service
ONLINE                           volume_expansion
OFFLINE                          volume_expansion
";
    for (subcommand, expected) in [
        ("info", info),
        ("capabilities", capabilities),
        ("probe", "ready\n"),
    ] {
        let expected = Ran::quiet(0, expected);
        assert_eq!(ask(subcommand, served.socket(), &[]), expected);
        assert_eq!(ask(subcommand, served.socket(), &["-o", "text"]), expected);
    }
}

#[test]
fn json_has_the_names_of_the_wire() {
    let served = full();
    let info = r#"{
  "name": "disk.acme.io",
  "vendor_version": "1.2.3",
  "manifest": {
    "commit": "0f09aec",
    "empty": "",
    "url": "https://disk.acme.io/?a=b"
  }
}
"#;
    let capabilities = r#"{
  "capabilities": [
    {
      "service": {
        "type": "CONTROLLER_SERVICE"
      }
    },
    {
      "service": {
        "type": "VOLUME_ACCESSIBILITY_CONSTRAINTS"
      }
    },
    {
      "service": {
        "type": "GROUP_CONTROLLER_SERVICE"
      }
    },
    {
      "service": {
        "type": "SNAPSHOT_METADATA_SERVICE"
      }
    },
    {
      "volume_expansion": {
        "type": "ONLINE"
      }
    },
    {
      "volume_expansion": {
        "type": "OFFLINE"
      }
    }
  ]
}
"#;
    let probe = "{\n  \"ready\": true\n}\n";
    for (subcommand, expected) in [
        ("info", info),
        ("capabilities", capabilities),
        ("probe", probe),
    ] {
        let expected = Ran::quiet(0, expected);
        assert_eq!(ask(subcommand, served.socket(), &["-o", "json"]), expected);
        let long = ask(subcommand, served.socket(), &["--output=json"]);
        assert_eq!(long, expected);
    }
}

#[test]
fn a_plugin_that_says_little_is_shown_as_it_is() {
    let served = Served::start(&["--capability=NODE_SERVICE"]);
    let json = ["-o", "json"];
    for (subcommand, text, expected) in [
        (
            "info",
            "name:           disk.acme.io\nvendor_version: 1.2.3\n",
            "{\n  \"name\": \"disk.acme.io\",\n  \"vendor_version\": \"1.2.3\",\n  \"manifest\": {}\n}\n",
        ),
        // NODE_SERVICE is for configurations alone: the wire has no such value.
        ("capabilities", "none\n", "{\n  \"capabilities\": []\n}\n"),
    ] {
        assert_eq!(ask(subcommand, served.socket(), &[]), Ran::quiet(0, text));
        assert_eq!(
            ask(subcommand, served.socket(), &json),
            Ran::quiet(0, expected)
        );
    }
}

#[test]
fn an_endpoint_has_three_forms_on_either_side() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let path = socket.to_str().unwrap();
    let forms = [
        format!("unix://{path}"),
        format!("unix:{path}"),
        path.to_owned(),
    ];
    for form in &forms {
        let _served =
            Running::spawn(csi_identity(["serve", "--endpoint", form.as_str()]).args(IDENTITY));
        await_answer(&socket);
        for form in &forms {
            assert_eq!(
                run(["probe", "--endpoint", form.as_str()]),
                Ran::quiet(0, "ready\n")
            );
        }
    }
}

#[test]
fn the_environment_names_the_endpoint_where_no_flag_does() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let _served = Running::spawn(
        csi_identity(["serve"])
            .args(IDENTITY)
            .env("CSI_ENDPOINT", &socket),
    );
    await_answer(&socket);
    for subcommand in ["info", "capabilities", "probe"] {
        let mut command = csi_identity([subcommand]);
        let ran = Running::spawn(command.env("CSI_ENDPOINT", &socket)).finish();
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn a_flag_beats_the_environment_even_where_that_is_no_endpoint() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi.sock");
    let other = folder.path().join("other.sock");
    let _served = Running::spawn(
        csi_identity(["serve", "-e"])
            .arg(&socket)
            .args(IDENTITY)
            .env("CSI_ENDPOINT", &other),
    );
    await_answer(&socket);
    for environment in [other.to_str().unwrap(), "unix://two/slashes", ""] {
        let mut command = csi_identity(["probe", "-e"]);
        command.arg(&socket).env("CSI_ENDPOINT", environment);
        assert_eq!(
            Running::spawn(&mut command).finish(),
            Ran::quiet(0, "ready\n")
        );
    }
}

#[test]
fn settings_of_the_node_reach_the_wire() {
    let served = Served::start(&[
        "--node-id=node-1",
        "--topology=disk.acme.io/zone=z1",
        "--topology=disk.acme.io/rack=r7",
        "--max-volumes=24",
    ]);
    let endpoint = Endpoint::from_path(served.socket()).unwrap();
    let answer = in_runtime(async {
        let channel = connect(&endpoint, &ConnectOptions::default())
            .await
            .unwrap();
        let mut node = NodeClient::new(channel);
        let answer = node.node_get_info(NodeGetInfoRequest {}).await;
        answer.unwrap().into_inner()
    });
    let segments = [("disk.acme.io/rack", "r7"), ("disk.acme.io/zone", "z1")];
    let expected = NodeGetInfoResponse {
        node_id: "node-1".to_owned(),
        max_volumes_per_node: 24,
        accessible_topology: Some(Topology {
            segments: segments
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        }),
    };
    assert_eq!(answer, expected);
    // A topology implies the constraints.
    assert_eq!(
        ask("capabilities", served.socket(), &[]),
        Ran::quiet(0, "VOLUME_ACCESSIBILITY_CONSTRAINTS service\n")
    );
}

#[test]
fn a_doubtful_identity_is_served_and_shown_with_warnings() {
    let folder = temporary_folder();
    let socket = folder.path().join("csi");
    let mut command = csi_identity(["serve", "--name=Disk.acme.io", "--vendor-version=1.2", "-e"]);
    let served = Running::spawn(command.arg(&socket));
    await_answer(&socket);
    let ran = ask("info", &socket, &[]);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (0, "name:           Disk.acme.io\nvendor_version: 1.2\n")
    );
    const NAME: &str = "the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names \
                        made from it are invalid; use disk.acme.io";
    const VERSION: &str = "the version is no semantic version; write 1.2.0";
    const GOCSI: &str = "gocsi's validator refuses the version: it takes three numbers, with or without v before and -text \
                         after";
    let warnings = |of: &str| [NAME, VERSION, GOCSI].map(|text| format!("WARN {of}: {text}"));
    assert_eq!(ran.log(), warnings("csi_identity::info"));

    served.signal(rustix::process::Signal::TERM);
    let ran = served.finish();
    assert_eq!(ran.log()[..3], warnings("csi_identity::serve"));
    let path = socket.display();
    assert_eq!(
        ran.log()[3],
        format!(
            "WARN csi_identity::serve: {path} does not end in .sock, as the CSI specification wants it; {path}.sock would"
        )
    );
}
