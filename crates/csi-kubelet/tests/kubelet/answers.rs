//! What a registrar may answer to GetInfo, and what becomes of it.

use std::fs;

use csi_identity::proto::pluginregistration::v1::PluginInfo;
use tonic::Status;

use crate::support::{Manner, Node, Plugin, RawServer, Registrar, Reply, Told, csi_plugin};

const GET_INFO: &str = "RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket \
                        ~/plugins_registry/a.sock, err: rpc error: code = ";

#[tokio::test]
async fn a_get_info_that_fails_is_tried_again_until_it_succeeds() {
    for version in ["1.20", "1.35", "1.36"] {
        let node = Node::new();
        let plugin = node.plugin("disk.acme.io");
        let kubelet = node.kubelet_of(version);
        let status = Status::unimplemented("unknown service pluginregistration.Registration");
        let registrar =
            Registrar::start_with(&node.socket("a.sock"), Reply::Error(status), Reply::Ok(()));
        assert_eq!(
            kubelet.says("refused").await,
            format!(
                "refused      a.sock: {GET_INFO}Unimplemented desc = unknown service pluginregistration.Registration"
            )
        );
        kubelet
            .says("next_retry   a.sock: in 500ms at the earliest")
            .await;
        kubelet
            .says("next_retry   a.sock: in 1s at the earliest")
            .await;
        kubelet
            .says("next_retry   a.sock: in 2s at the earliest")
            .await;
        // No verdict without a plugin that one could be told.
        assert!(registrar.told().iter().all(|told| *told == Told::GetInfo));
        let info = csi_plugin("disk.acme.io", plugin.path());
        registrar.change(|script| script.info = Reply::Ok(info));
        kubelet.says("registered").await;
    }
}

#[tokio::test]
async fn a_plugins_own_socket_in_the_directory_is_asked_in_vain() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let plugin = Plugin::start(&node.socket("a.sock"), Reply::Never);
    let refused = kubelet.says("refused").await;
    assert_eq!(
        refused,
        format!("refused      a.sock: {GET_INFO}Unimplemented desc = ")
    );
    kubelet.says_times("next_retry", 3).await;
    assert_eq!(plugin.calls(), 0);
}

#[tokio::test]
async fn a_stream_that_is_reset_is_told_in_the_words_of_grpc_go() {
    for (reset, text) in [
        (
            0,
            "Internal desc = stream terminated by RST_STREAM with error code: NO_ERROR",
        ),
        // What HTTP/2 servers in Rust say to a path as authority.
        (
            1,
            "Internal desc = stream terminated by RST_STREAM with error code: PROTOCOL_ERROR - servers that take no socket path for an authority answer \
so, among them those in Rust on h2 alone",
        ),
        (
            2,
            "Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR",
        ),
        (
            3,
            "ResourceExhausted desc = stream terminated by RST_STREAM with error code: FLOW_CONTROL_ERROR",
        ),
        (
            8,
            "Canceled desc = stream terminated by RST_STREAM with error code: CANCEL",
        ),
        (
            11,
            "ResourceExhausted desc = stream terminated by RST_STREAM with error code: ENHANCE_YOUR_CALM",
        ),
        (
            12,
            "PermissionDenied desc = stream terminated by RST_STREAM with error code: INADEQUATE_SECURITY",
        ),
    ] {
        let node = Node::new();
        let kubelet = node.kubelet();
        let _server = RawServer::start(&node.socket("a.sock"), Manner::Resets(reset));
        let refused = kubelet.says("refused").await;
        assert_eq!(refused, format!("refused      a.sock: {GET_INFO}{text}"));
        kubelet.says_times("next_retry", 2).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_closed_before_the_answer_is_told_and_explained() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let _server = RawServer::start(&node.socket("a.sock"), Manner::Closes);
    let refused = kubelet.says("refused").await;
    let start = format!(
        "refused      a.sock: {GET_INFO}Unavailable desc = error reading from server: EOF - the connection was lost before the \
         answer came: "
    );
    assert!(refused.starts_with(&start), "{refused}");
    kubelet.says_times("next_retry", 2).await;
}

#[tokio::test]
async fn a_type_nobody_handles_is_refused_and_tried_again() {
    for (version, kind) in [("1.20", ""), ("1.35", "csiplugin"), ("1.36", "NoPlugin")] {
        let node = Node::new();
        let plugin = node.plugin("disk.acme.io");
        let kubelet = node.kubelet_of(version);
        let info = PluginInfo {
            r#type: kind.to_owned(),
            ..csi_plugin("disk.acme.io", plugin.path())
        };
        let registrar = Registrar::start(&node.socket("a.sock"), info);
        let socket = registrar.path().display();
        let message = format!(
            "RegisterPlugin error -- no handler registered for plugin type: {kind} at socket {socket}"
        );
        registrar.hears(&Told::Refused(message.clone()), 2).await;
        // The log says that it could not be told, even where it could.
        let logged = message.replace(node.folder().to_str().unwrap(), "~");
        assert_eq!(
            kubelet.says("refused").await,
            format!(
                "refused      disk.acme.io: RegisterPlugin error -- failed to send error at socket ~/plugins_registry/a.sock, err: \
                 {logged} - the type of a CSI plugin is CSIPlugin"
            )
        );
        assert_eq!(plugin.calls(), 0);
        registrar.says(|info| info.r#type = "CSIPlugin".to_owned());
        kubelet.says("registered").await;
    }
}

#[tokio::test]
async fn plugins_of_other_types_are_left_to_others() {
    for (kind, reason) in [
        (
            "DevicePlugin",
            "a DevicePlugin; only CSI plugins are registered here",
        ),
        (
            "DRAPlugin",
            "a DRAPlugin; only CSI plugins are registered here",
        ),
    ] {
        let node = Node::new();
        let disk = node.driver("disk.acme.io");
        let kubelet = node.kubelet();
        kubelet.says("registered").await;
        let info = PluginInfo {
            r#type: kind.to_owned(),
            ..csi_plugin("disk.acme.io", disk.plugin.path())
        };
        let other = Registrar::start(&node.socket("other.sock"), info);
        let ignored = kubelet.says("ignored").await;
        assert_eq!(ignored, format!("ignored      disk.acme.io: {reason}"));
        // A driver of that name is another matter, and stays when the other one goes.
        other.remove();
        kubelet.says("removed      other.sock").await;
        let _next = node.driver("next.io");
        kubelet.says("registered   next.io").await;
        assert_eq!(kubelet.drivers(), ["disk.acme.io", "next.io"]);
        assert_eq!(kubelet.count("deregistered"), 0);
        // And its path is free for another plugin.
        let again = csi_plugin("again.io", disk.plugin.path());
        let _again = Registrar::start(&node.socket("other.sock"), again);
        kubelet.says("registered   again.io").await;
    }
}

#[tokio::test]
async fn without_an_endpoint_the_plugin_is_asked_at_the_registration_socket() {
    let node = Node::new();
    let kubelet = node.kubelet();
    let mut info = csi_plugin("disk.acme.io", "".as_ref());
    info.endpoint.clear();
    let registrar = Registrar::start(&node.socket("a.sock"), info);
    // Where nobody serves it here.
    let message = "RegisterPlugin error -- plugin registration failed with err: rpc error: code = Unimplemented desc = ";
    registrar.hears(&Told::Refused(message.to_owned()), 1).await;
    kubelet
        .says("NodeGetInfo  disk.acme.io UNIMPLEMENTED: rpc error: code = Unimplemented desc = ")
        .await;
    let endpoint = kubelet.json("NodeGetInfo")["endpoint"].take();
    assert_eq!(endpoint, registrar.path().to_str().unwrap());
}

#[tokio::test]
async fn an_endpoint_is_a_path_as_it_stands() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    let path = plugin.path().to_str().unwrap().to_owned();
    let file = node.folder().join("file");
    fs::write(&file, "").unwrap();
    let long = format!("/{}.sock", "long".repeat(30));
    let hidden = "a kubelet takes \"{}\" for a path as it stands; GetInfo has to give the absolute path alone";
    for (endpoint, refused, cause) in [
        (
            format!("unix://{path}"),
            "connect: no such file or directory",
            hidden.replace("{}", "unix://~/disk.acme.io.sock"),
        ),
        (
            format!("unix:{path}"),
            "connect: no such file or directory",
            hidden.replace("{}", "unix:~/disk.acme.io.sock"),
        ),
        (
            "csi.sock".to_owned(),
            "connect: no such file or directory",
            hidden.replace("{}", "csi.sock"),
        ),
        (
            node.folder().join("none.sock").to_str().unwrap().to_owned(),
            "connect: no such file or directory",
            "nothing is at ~/none.sock, though its directory exists; its server has not bound it yet, or binds another path"
                .to_owned(),
        ),
        (
            file.join("csi.sock").to_str().unwrap().to_owned(),
            "connect: not a directory",
            "nothing is at ~/file/csi.sock, because ~/file is a regular file; it has to be a directory".to_owned(),
        ),
        (
            file.to_str().unwrap().to_owned(),
            "connect: connection refused",
            "~/file is a regular file, not a socket; give the path of the server's socket".to_owned(),
        ),
        (
            long.clone(),
            "connect: invalid argument",
            format!("socket path {long} is 126 bytes long, the limit is 107; choose a shorter directory or file name"),
        ),
    ] {
        let kubelet = node.kubelet_of("1.35");
        let mut info = csi_plugin("disk.acme.io", plugin.path());
        info.endpoint.clone_from(&endpoint);
        let registrar = Registrar::start(&node.socket("a.sock"), info);
        let message = format!(
            "RegisterPlugin error -- plugin registration failed with err: rpc error: code = Unavailable desc = connection error: \
             desc = \"transport: Error while dialing: dial unix {endpoint}: {refused}\""
        );
        kubelet.says("no_retry").await;
        assert_eq!(registrar.told(), [Told::GetInfo, Told::Refused(message.clone())]);
        let logged = message.replace(node.folder().to_str().unwrap(), "~");
        assert_eq!(
            kubelet.says("refused").await,
            format!("refused      disk.acme.io: {logged} - {cause}")
        );
        registrar.remove();
        kubelet.stop().await;
    }
    assert_eq!(plugin.calls(), 0);
}

#[tokio::test]
async fn the_versions_have_to_have_a_readable_1_x_among_them() {
    let node = Node::new();
    let plugin = node.plugin("disk.acme.io");
    for (versions, taken) in [
        (&["1.0.0"][..], "1.0.0"),
        (&["1.0"], "1.0"),
        (&["v1.2.3"], "1.2.3"),
        (&["1.0.0foo"], "1.0.0"),
        (&["1.0.0-alpha"], "1.0.0"),
        (&["boo", "1.0.0"], "1.0.0"),
        (&["1.0.0", "2.0.0"], "1.0.0"),
        (&["1.1.0", "1.10.0"], "1.10.0"),
        (&["0.3.0", "1.0.0"], "1.0.0"),
    ] {
        let kubelet = node.kubelet();
        let mut info = csi_plugin("disk.acme.io", plugin.path());
        info.supported_versions = versions.iter().map(|&text| text.to_owned()).collect();
        let registrar = Registrar::start(&node.socket("a.sock"), info);
        kubelet.says("registered").await;
        assert_eq!(
            kubelet.says("validated").await,
            format!("validated    disk.acme.io: fit to be registered, version {taken}")
        );
        registrar.remove();
    }

    let calls = plugin.calls();
    let unsupported = |list: &str, reason: &str| {
        format!("None of the versions specified [{list}] are supported. err={reason}")
    };
    let none = |version: &str, reason: &str| {
        let list = format!("\"{version}\"");
        let reason = format!(
            "could not find a highest supported version from versions ([{version}]) reported: {reason}"
        );
        unsupported(&list, &reason)
    };
    for (versions, reason) in [
        (
            &[][..],
            "Plugin returned an empty list for supported versions".to_owned(),
        ),
        (&["1"], none("1", "illegal version string \"1\"")),
        (
            &["01.0"],
            none(
                "01.0",
                "illegal zero-prefixed version component \"01\" in \"01.0\"",
            ),
        ),
        (&["2.0.0"], none("2.0.0", "<nil>")),
        (&["boo"], none("boo", "could not parse \"boo\" as version")),
        (
            &["boo", "0.3.0"],
            unsupported(
                "\"boo\" \"0.3.0\"",
                "highest supported version reported is 0.3.0, must be v1.x",
            ),
        ),
    ] {
        let kubelet = node.kubelet_of("1.20");
        let mut info = csi_plugin("disk.acme.io", plugin.path());
        info.supported_versions = versions.iter().map(|&text| text.to_owned()).collect();
        let registrar = Registrar::start(&node.socket("a.sock"), info);
        let message = format!(
            "RegisterPlugin error -- plugin validation failed with err: validation failed for CSI Driver disk.acme.io at endpoint \
             {endpoint}: kubernetes.io/csi: ValidatePlugin for CSI driver \"disk.acme.io\" failed. {reason}",
            endpoint = plugin.path().display()
        );
        // Every version tries again.
        registrar.hears(&Told::Refused(message.clone()), 2).await;
        let logged = message.replace(node.folder().to_str().unwrap(), "~");
        assert_eq!(
            kubelet.says("refused").await,
            format!(
                "refused      disk.acme.io: RegisterPlugin error -- failed to send error at socket ~/plugins_registry/a.sock, err: \
                 {logged}"
            )
        );
        registrar.says(|info| info.supported_versions = vec!["1.0.0".to_owned()]);
        kubelet.says("registered").await;
        registrar.remove();
    }
    assert_eq!(plugin.calls(), calls + 6);
}
