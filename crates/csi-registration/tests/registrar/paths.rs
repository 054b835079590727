//! Right software, wrong path: reports 1 to 7.

use std::os::unix::fs::symlink;
use std::time::Duration;

use csi_registration::{HostPath, RegistrarOptions, State};

use crate::support::{Answers, Kubelet, KubeletOptions, Rig, Running, refusal};

#[tokio::test]
async fn kubelets_of_old_and_new_versions_register_a_plugin_after_it_was_asked_in_order() {
    // What they send as :authority on this socket changes between the two in the middle.
    for version in ["1.20", "1.28", "1.29", "1.36"] {
        let mut rig = Rig::new();
        let plugin = rig.plugin(Answers::default());
        rig.start(rig.options());
        let options = rig.kubelet_options().version(version);
        let mut kubelet = Kubelet::start(&options);
        let info = kubelet.registers().await;
        assert_eq!(info.r#type, "CSIPlugin");
        assert_eq!(info.name, "disk.example.org");
        assert_eq!(info.endpoint, rig.plugin_socket().to_str().unwrap());
        assert_eq!(info.supported_versions, ["1.0.0"]);
        let status = rig.state(State::Registered).await;
        assert_eq!(status.reason, "the kubelet has registered the plugin");
        assert_eq!(
            status.last_kubelet_call.unwrap().method,
            "NotifyRegistrationStatus"
        );
        assert_eq!(
            plugin.calls()[..4],
            [
                "GetPluginInfo",
                "GetPluginCapabilities",
                "Probe",
                "NodeGetInfo"
            ]
        );
    }
}

fn impatient(rig: &Rig) -> RegistrarOptions {
    RegistrarOptions {
        expect_kubelet_within: Duration::from_millis(200),
        ..rig.options()
    }
}

#[tokio::test]
async fn r01_a_directory_that_nobody_watches_is_a_problem_that_names_it_until_a_kubelet_comes() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    let elsewhere = rig.root().join("elsewhere");
    let mut blind = Kubelet::start(&KubeletOptions::new(&elsewhere));
    blind.comes_to("started").await;
    rig.start(impatient(&rig));
    let status = rig.status_when("a problem", |status| status.problem).await;
    assert_eq!(status.state, State::WaitingForKubelet);
    let (registry, root) = (rig.registry(), rig.root().display());
    assert_eq!(
        status.reason,
        format!(
            "no kubelet has called within 200ms of the socket's being shown in {}; the kubelet has to watch \
             {root}/plugins_registry, so see whether its --root-dir is {root}",
            registry.display()
        )
    );
    assert_eq!(status.last_kubelet_call, None);

    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    assert!(!rig.state(State::Registered).await.problem);
}

#[tokio::test]
async fn r01_where_the_root_of_the_kubelet_is_not_known_the_problem_names_the_directory_alone() {
    let mut rig = Rig::new();
    let plugin = rig.root().join("csi.sock");
    let _plugin = Running::start(&plugin, Answers::default());
    rig.start(RegistrarOptions {
        plugin: plugin.to_str().unwrap().parse().unwrap(),
        host_path: plugin.to_str().unwrap().parse().unwrap(),
        ..impatient(&rig)
    });
    let status = rig.status_when("a problem", |status| status.problem).await;
    assert_eq!(
        status.reason,
        format!(
            "no kubelet has called within 200ms of the socket's being shown in {}; see whether that is the \
             plugins_registry of the kubelet's --root-dir",
            rig.registry().display()
        )
    );
}

#[tokio::test]
async fn r01_nobody_comes_is_a_problem_again_after_the_plugin_was_away() {
    let mut rig = Rig::new();
    let plugin = rig.plugin(Answers::default());
    rig.start(impatient(&rig));
    let first = rig.status_when("a problem", |status| status.problem).await;
    plugin.kill().await;
    let away = rig.state(State::WaitingForPlugin).await;
    assert!(!away.problem);
    let _plugin = rig.plugin(Answers::default());
    let again = rig
        .status_when("a problem again", |status| status.problem)
        .await;
    assert_eq!((again.state, again.reason), (first.state, first.reason));
}

#[tokio::test]
async fn r03_an_endpoint_that_the_kubelet_cannot_open_is_refused_with_the_kubelets_reason() {
    let mut rig = Rig::new();
    let _plugin = rig.plugin(Answers::default());
    rig.start(RegistrarOptions {
        host_path: "/nope/plugins/disk.example.org/csi.sock".parse().unwrap(),
        ..rig.options()
    });
    let mut kubelet = rig.kubelet();
    let message = kubelet.refuses().await;
    assert_eq!(
        message,
        refusal(
            "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix \
             /nope/plugins/disk.example.org/csi.sock: connect: no such file or directory\""
        )
    );
    let status = rig.state(State::Refused).await;
    assert!(status.problem);
    assert_eq!(status.reason, message);
    assert_eq!(status.endpoint, "/nope/plugins/disk.example.org/csi.sock");
}

#[test]
fn r04_a_plugin_socket_inside_the_registry_is_no_endpoint() {
    let inside = "/var/lib/kubelet/plugins_registry/disk.acme.io/csi.sock";
    assert_eq!(
        inside.parse::<HostPath>().unwrap_err().to_string(),
        format!(
            "{inside} is inside plugins_registry, where a kubelet takes every socket for a registration socket; put the \
             plugin's own socket under plugins/<name of the plugin>"
        )
    );
    let beside = "/var/lib/kubelet/plugins/disk.acme.io/csi.sock";
    assert_eq!(beside.parse::<HostPath>().unwrap().as_str(), beside);
}

#[tokio::test]
async fn r05_a_registry_that_is_not_there_is_lost_with_the_reason_and_used_once_the_kubelet_makes_it()
 {
    let rigs = ["missing", "file", "dangling"].map(|kind| (kind, Rig::new()));
    for (kind, mut rig) in rigs {
        let registry = rig.registry();
        let shown = registry.display();
        std::fs::remove_dir(&registry).unwrap();
        let reason = match kind {
            "missing" => format!(
                "no socket can be made in {shown}, because {shown} does not exist; make the directory, or mount it here; \
                 a kubelet makes its plugins_registry when it starts, so the path is wrong, or no kubelet has run here"
            ),
            "file" => {
                std::fs::write(&registry, "").unwrap();
                format!(
                    "no socket can be made in {shown}, because {shown} is a regular file; it has to be a directory"
                )
            }
            _ => {
                let nowhere = rig.root().join("nowhere");
                symlink(&nowhere, &registry).unwrap();
                format!(
                    "no socket can be made in {shown}, because {} does not exist; make the directory, or mount it here; \
                     a kubelet makes its plugins_registry when it starts, so the path is wrong, or no kubelet has run here",
                    nowhere.display()
                )
            }
        };
        let _plugin = rig.plugin(Answers::default());
        rig.start(rig.options());
        let status = rig.state(State::Lost).await;
        assert_eq!(status.reason, reason, "{kind}");
        assert!(status.problem && !status.socket_is_shown && !status.restart_needed);

        if kind != "missing" {
            std::fs::remove_file(&registry).unwrap();
        }
        rig.kubelet().registers().await;
        rig.state(State::Registered).await;
    }
}

#[tokio::test]
async fn r05_a_registry_that_leads_to_plugins_by_a_link_is_a_problem_since_no_kubelet_comes_there()
{
    let mut rig = Rig::new();
    std::fs::remove_dir(rig.registry()).unwrap();
    symlink(rig.root().join("plugins"), rig.registry()).unwrap();
    let _plugin = rig.plugin(Answers::default());
    rig.start(impatient(&rig));
    let status = rig.status_when("a problem", |status| status.problem).await;
    assert_eq!(status.state, State::WaitingForKubelet);
    let named = format!("shown in {};", rig.registry().display());
    assert!(status.reason.contains(&named), "{}", status.reason);
}

#[test]
fn r06_addresses_are_read_strictly_and_a_slip_is_named() {
    for (text, path) in [
        ("/p/q.sock", "/p/q.sock"),
        ("unix:/p/q.sock", "/p/q.sock"),
        ("unix:///p/q.sock", "/p/q.sock"),
    ] {
        assert_eq!(text.parse::<HostPath>().unwrap().as_str(), path);
    }
    for (text, message) in [
        (
            "unix://p/q.sock",
            "endpoint \"unix://p/q.sock\" has an authority, \"p\", since only two slashes follow unix:; did you mean \
             unix:///p/q.sock",
        ),
        (
            "unix:p",
            "endpoint \"unix:p\" is a relative path; did you mean unix:///p",
        ),
        (
            "tcp://127.0.0.1:1",
            "endpoint \"tcp://127.0.0.1:1\" is a network address; only Unix sockets are possible, as in \
             unix:///run/csi/csi.sock",
        ),
        (
            "",
            "endpoint is empty; give a socket, as in unix:///run/csi/csi.sock",
        ),
        (
            "/p/",
            "endpoint \"/p/\" ends in \"/\", so it names a directory; name the socket in it, as in \
             unix:///run/csi/csi.sock",
        ),
    ] {
        assert_eq!(text.parse::<HostPath>().unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn r07_whatever_form_is_typed_the_kubelet_is_told_a_bare_path() {
    for scheme in ["", "unix:", "unix://"] {
        let mut rig = Rig::new();
        let _plugin = rig.plugin(Answers::default());
        let bare = rig.plugin_socket().to_str().unwrap().to_owned();
        rig.start(RegistrarOptions {
            host_path: format!("{scheme}{bare}").parse().unwrap(),
            ..rig.options()
        });
        assert_eq!(rig.kubelet().registers().await.endpoint, bare);
    }
}
