use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::PathBuf};

use super::Endpoint;

#[test]
fn the_three_forms_give_the_path() {
    let cases = [
        ("unix:///run/csi/csi.sock", "/run/csi/csi.sock"),
        ("unix:/run/csi/csi.sock", "/run/csi/csi.sock"),
        ("/run/csi/csi.sock", "/run/csi/csi.sock"),
        ("/a", "/a"),
        ("unix:////run//csi///csi.sock", "/run/csi/csi.sock"),
        ("/run/../var/./x.sock", "/run/../var/./x.sock"),
        ("/run/..x", "/run/..x"),
        ("/run/my plugin/ü%20.sock", "/run/my plugin/ü%20.sock"),
        ("/run/a:b/unix:c.sock", "/run/a:b/unix:c.sock"),
    ];
    for (text, path) in cases {
        let endpoint: Endpoint = text.parse().unwrap();
        assert_eq!(endpoint.path_text(), path, "{text}");
        assert_eq!(endpoint.path(), PathBuf::from(path), "{text}");
        assert_eq!(endpoint.to_string(), format!("unix://{path}"));
        assert_eq!(endpoint.to_string().parse(), Ok(endpoint));
    }
}

#[test]
fn everything_else_is_refused_with_what_was_meant() {
    const EMPTY: &str = "endpoint is empty; give a socket, as in unix:///run/csi/csi.sock";
    let cases = [
        ("", EMPTY),
        (" \n", EMPTY),
        (
            " unix:///a.sock",
            r#"endpoint " unix:///a.sock" has white space around it; did you mean unix:///a.sock"#,
        ),
        (
            "/a.sock\n",
            r#"endpoint "/a.sock\n" has white space around it; did you mean /a.sock"#,
        ),
        (
            "/a\0b",
            r#"endpoint "/a\0b" has the control character '\0' at byte 2; a socket path must not have one"#,
        ),
        (
            "/ü\nb",
            r#"endpoint "/ü\nb" has the control character '\n' at byte 3; a socket path must not have one"#,
        ),
        (
            " /a\nb ",
            r#"endpoint " /a\nb " has the control character '\n' at byte 3; a socket path must not have one"#,
        ),
        (
            "unix:",
            r#"endpoint "unix:" has no path; give a socket, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "unix://",
            r#"endpoint "unix://" has no path; give a socket, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "UNIX://",
            r#"endpoint "UNIX://" has no path; give a socket, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "unix://relative/x.sock",
            r#"endpoint "unix://relative/x.sock" has an authority, "relative", since only two slashes follow unix:; did you mean unix:///relative/x.sock"#,
        ),
        (
            "unix://x.sock",
            r#"endpoint "unix://x.sock" has an authority, "x.sock", since only two slashes follow unix:; did you mean unix:///x.sock"#,
        ),
        (
            "unix://localhost/run/x.sock",
            r#"endpoint "unix://localhost/run/x.sock" has an authority, "localhost", since only two slashes follow unix:; did you mean unix:///run/x.sock"#,
        ),
        (
            "unix:rel/x.sock",
            r#"endpoint "unix:rel/x.sock" is a relative path; did you mean unix:///rel/x.sock"#,
        ),
        (
            "rel.sock",
            r#"endpoint "rel.sock" is a relative path; did you mean unix:///rel.sock"#,
        ),
        (
            "unix/run/x.sock",
            r#"endpoint "unix/run/x.sock" is a relative path; did you mean unix:///run/x.sock"#,
        ),
        (
            "unix://./x.sock",
            r#"endpoint "unix://./x.sock" is relative to a directory that is not known here; give the absolute path, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "../x.sock",
            r#"endpoint "../x.sock" is relative to a directory that is not known here; give the absolute path, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "unix:~/x.sock",
            r#"endpoint "unix:~/x.sock" is relative to a directory that is not known here; give the absolute path, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "$(CSI_ENDPOINT)",
            r#"endpoint "$(CSI_ENDPOINT)" holds a variable that was not replaced; define it, or give a path, as in unix:///run/csi/csi.sock"#,
        ),
        (
            "unix://${DIR}/x.sock",
            r#"endpoint "unix://${DIR}/x.sock" holds a variable that was not replaced; define it, or give a path, as in unix:///run/csi/csi.sock"#,
        ),
        ("tcp://127.0.0.1:9000", &network("tcp://127.0.0.1:9000")),
        ("http://localhost/x", &network("http://localhost/x")),
        ("https://localhost", &network("https://localhost")),
        ("dns:///host:1", &network("dns:///host:1")),
        ("TCP://host:1", &network("TCP://host:1")),
        ("localhost:9000", &network("localhost:9000")),
        ("127.0.0.1:9000", &network("127.0.0.1:9000")),
        ("unix-abstract:csi", &abstract_socket("unix-abstract:csi")),
        ("@csi", &abstract_socket("@csi")),
        (
            "UNIX:///run/x.sock",
            r#"endpoint "UNIX:///run/x.sock" has a scheme in capitals; did you mean unix:///run/x.sock"#,
        ),
        (
            "Unix:run/x.sock",
            r#"endpoint "Unix:run/x.sock" has a scheme in capitals; did you mean unix:///run/x.sock"#,
        ),
        (
            "passthrough:///run/x.sock",
            r#"endpoint "passthrough:///run/x.sock" has the scheme "passthrough" before the path; did you mean unix:///run/x.sock"#,
        ),
        (
            "passthrough:///unix:///run/x.sock",
            r#"endpoint "passthrough:///unix:///run/x.sock" has the scheme "passthrough" before the path; did you mean unix:///run/x.sock"#,
        ),
        (
            "file:///run/x.sock",
            r#"endpoint "file:///run/x.sock" has the scheme "file" before the path; did you mean unix:///run/x.sock"#,
        ),
        (
            "npipe:////./pipe/csi",
            r#"endpoint "npipe:////./pipe/csi" has the unknown scheme "npipe"; give a Unix socket, as in unix:///run/csi/csi.sock"#,
        ),
        ("/", &directory("/", "/")),
        ("unix:///", &directory("unix:///", "/")),
        ("/run/csi/", &directory("/run/csi/", "/")),
        ("unix:///run/.", &directory("unix:///run/.", ".")),
        ("/run/..", &directory("/run/..", "..")),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<Endpoint>().unwrap_err().to_string(), message);
    }
}

fn network(text: &str) -> String {
    format!(
        "endpoint {text:?} is a network address; only Unix sockets are possible, as in unix:///run/csi/csi.sock"
    )
}

fn abstract_socket(text: &str) -> String {
    format!(
        "endpoint {text:?} is an abstract socket, which has no file that permissions could protect or a kubelet could \
         find; give a path, as in unix:///run/csi/csi.sock"
    )
}

fn directory(text: &str, end: &str) -> String {
    format!(
        "endpoint {text:?} ends in {end:?}, so it names a directory; name the socket in it, as in \
         unix:///run/csi/csi.sock"
    )
}

#[test]
fn a_path_of_107_bytes_is_the_longest() {
    let longest = format!("/{}", "x".repeat(106));
    assert_eq!(longest.parse::<Endpoint>().unwrap().path_text().len(), 107);
    assert_eq!(
        format!("unix://{longest}")
            .parse::<Endpoint>()
            .unwrap()
            .path_text(),
        longest
    );

    let too_long = format!("{longest}y");
    assert_eq!(
        too_long.parse::<Endpoint>().unwrap_err().to_string(),
        format!(
            "socket path {too_long} is 108 bytes long, the limit is 107; choose a shorter directory or file name"
        )
    );
}

#[test]
fn a_path_is_taken_as_it_is() {
    assert_eq!(
        Endpoint::from_path("/run/x.sock").unwrap().path_text(),
        "/run/x.sock"
    );
    let cases = [
        (
            PathBuf::from("x.sock"),
            r#"endpoint "x.sock" is a relative path; did you mean unix:///x.sock"#,
        ),
        (
            PathBuf::from("unix:///x.sock"),
            r#"endpoint "unix:///x.sock" is a relative path; did you mean unix:///x.sock"#,
        ),
        (
            PathBuf::from(""),
            "endpoint is empty; give a socket, as in unix:///run/csi/csi.sock",
        ),
        (
            PathBuf::from(OsStr::from_bytes(b"/run/\xff.sock")),
            r#"socket path "/run/\xFF.sock" is not UTF-8, so it can be in no manifest and no protobuf string; choose another name"#,
        ),
    ];
    for (path, message) in cases {
        assert_eq!(Endpoint::try_from(path).unwrap_err().to_string(), message);
    }
}

#[test]
fn directory_and_file_name_are_the_two_halves() {
    for (text, directory, file_name) in [
        ("/a/b/c.sock", "/a/b", "c.sock"),
        ("/c.sock", "/", "c.sock"),
    ] {
        let endpoint: Endpoint = text.parse().unwrap();
        assert_eq!(endpoint.directory(), PathBuf::from(directory));
        assert_eq!(endpoint.file_name(), file_name);
    }
}
