//! Endpoints that are none, as a flag and from the environment.

use super::{MORE, arguments, assert_refused, settings};
use crate::program::{Ran, Running, csi_identity, temporary_folder};

#[test]
fn an_endpoint_that_is_none_is_told_what_was_meant() {
    let folder = temporary_folder();
    let here = folder.path().display();
    let directory = format!("{here}/");
    let long = format!("{here}/{}.sock", "x".repeat(107));
    let len = long.len();
    let rows = [
        (
            "",
            "endpoint is empty; give a socket, as in unix:///run/csi/csi.sock",
        ),
        (
            "unix://run/csi.sock",
            "endpoint \"unix://run/csi.sock\" has an authority, \"run\", since only two slashes follow unix:; did you mean \
             unix:///run/csi.sock",
        ),
        (
            "run/csi.sock",
            "endpoint \"run/csi.sock\" is a relative path; did you mean unix:///run/csi.sock",
        ),
        (
            "unix:run/csi.sock",
            "endpoint \"unix:run/csi.sock\" is a relative path; did you mean unix:///run/csi.sock",
        ),
        (
            "./csi.sock",
            "endpoint \"./csi.sock\" is relative to a directory that is not known here; give the absolute path, as in \
             unix:///run/csi/csi.sock",
        ),
        (
            "tcp://127.0.0.1:9000",
            "endpoint \"tcp://127.0.0.1:9000\" is a network address; only Unix sockets are possible, as in \
             unix:///run/csi/csi.sock",
        ),
        (
            "UNIX:///run/csi.sock",
            "endpoint \"UNIX:///run/csi.sock\" has a scheme in capitals; did you mean unix:///run/csi.sock",
        ),
        (
            "@csi",
            "endpoint \"@csi\" is an abstract socket, which has no file that permissions could protect or a kubelet could \
             find; give a path, as in unix:///run/csi/csi.sock",
        ),
        (
            "$(CSI_ENDPOINT)",
            "endpoint \"$(CSI_ENDPOINT)\" holds a variable that was not replaced; define it, or give a path, as in \
             unix:///run/csi/csi.sock",
        ),
        (
            &directory,
            &format!(
                "endpoint \"{here}/\" ends in \"/\", so it names a directory; name the socket in it, as in \
                 unix:///run/csi/csi.sock"
            ),
        ),
        (
            &long,
            &format!(
                "socket path {long} is {len} bytes long, the limit is 107; choose a shorter directory or file name"
            ),
        ),
    ];
    for (value, message) in rows {
        let settings = settings(folder.path(), &arguments(&["--endpoint", value]));
        let error = format!("invalid value '{value}' for '--endpoint <ENDPOINT>': {message}{MORE}");
        assert_refused(folder.path(), &settings, &error);
        // The same from the environment, where nobody has given that flag.
        let mut command = csi_identity(["serve", "--name=disk.acme.io", "--vendor-version=1.2.3"]);
        let ran = Running::spawn(command.env("CSI_ENDPOINT", value)).finish();
        let error = format!("error: invalid value '{value}' for 'CSI_ENDPOINT': {message}{MORE}");
        assert_eq!(ran, Ran::error(2, &error));
    }
}
