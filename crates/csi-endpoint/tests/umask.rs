//! The mode of a socket is exact under any umask.
//!
//! One test in a process of its own, because the umask belongs to the whole process.

use std::{fs, os::unix::fs::MetadataExt};

use csi_endpoint::{BindOptions, Endpoint, Listener, SocketMode};
use rustix::{fs::Mode, process::umask};

#[tokio::test]
async fn the_mode_is_exact_under_any_umask() {
    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    for mask in [0o000, 0o022, 0o077, 0o777] {
        umask(Mode::from_raw_mode(mask));
        for text in ["0600", "0660", "0666", "0777", "0200", "0000"] {
            let mode: SocketMode = text.parse().unwrap();
            let _listener = Listener::bind(&endpoint, &BindOptions { mode, group: None }).unwrap();
            let bits = fs::metadata(endpoint.path()).unwrap().mode() & 0o7777;
            assert_eq!(bits, mode.bits(), "umask {mask:03o}");
        }
    }
}
