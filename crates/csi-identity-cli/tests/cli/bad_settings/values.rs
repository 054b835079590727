//! Values of single settings that break a rule.

use super::{MORE, arguments, assert_refused, settings};
use crate::program::{Ran, Running, csi_identity, temporary_folder};

#[test]
fn a_value_that_breaks_a_rule_is_told_the_rule() {
    const CAPABILITIES: &str = "known are CONTROLLER_SERVICE, NODE_SERVICE, GROUP_CONTROLLER_SERVICE, \
                                SNAPSHOT_METADATA_SERVICE and VOLUME_ACCESSIBILITY_CONSTRAINTS";
    let long = "x".repeat(129);
    let long_name = &long[..64];
    let rows: [(&str, &str, &str); 45] = [
        (
            "--name <NAME>",
            "",
            "plugin name is empty; take one under a domain you own, such as disk.example.org",
        ),
        (
            "--name <NAME>",
            "a_b",
            "plugin name has '_' at byte 1; allowed are ASCII letters, digits, '-' and '.'; write '-' in its place",
        ),
        (
            "--name <NAME>",
            "a/b",
            "plugin name has '/' at byte 1; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            "--name <NAME>",
            "disk\n",
            "plugin name has '\\n' at byte 4; allowed are ASCII letters, digits, '-' and '.'; remove it",
        ),
        (
            "--name <NAME>",
            "a..b",
            "plugin name has an empty label at byte 2; remove the extra '.'",
        ),
        (
            "--name <NAME>",
            ".a",
            "plugin name has an empty label at byte 0; remove the extra '.'",
        ),
        (
            "--name <NAME>",
            "a-.b",
            "plugin name has the label \"a-\", which ends with '-' at byte 1; end it with a letter or digit",
        ),
        (
            "--name <NAME>",
            long_name,
            "plugin name is 64 bytes long, the limit is 63",
        ),
        (
            "--vendor-version <VERSION>",
            "",
            "vendor version is empty; give one such as 1.0.0",
        ),
        (
            "--vendor-version <VERSION>",
            &long,
            "vendor version is 129 bytes long, the limit is 128",
        ),
        (
            "--manifest <KEY=VALUE>",
            "url",
            "\"url\" has no '='; write it as key=value",
        ),
        (
            "--manifest <KEY=VALUE>",
            "",
            "\"\" has no '='; write it as key=value",
        ),
        (
            "--manifest <KEY=VALUE>",
            "=x",
            "\"=x\" has nothing before the '='; write it as key=value",
        ),
        (
            "--capability <NAME>",
            "RAID",
            &format!("\"RAID\" is no service; {CAPABILITIES}"),
        ),
        (
            "--capability <NAME>",
            "",
            &format!("\"\" is no service; {CAPABILITIES}"),
        ),
        (
            "--capability <NAME>",
            "CONTROLER_SERVICE",
            "\"CONTROLER_SERVICE\" is no service; did you mean CONTROLLER_SERVICE?",
        ),
        (
            "--capability <NAME>",
            "controller_service",
            "\"controller_service\" is no service; did you mean CONTROLLER_SERVICE?",
        ),
        (
            "--capability <NAME>",
            "Node",
            "\"Node\" is no service; did you mean NODE_SERVICE?",
        ),
        (
            "--capability <NAME>",
            "UNKNOWN",
            "service UNKNOWN carries no meaning and is never sent; leave it out",
        ),
        (
            "--capability <NAME>",
            "ONLINE",
            "\"ONLINE\" is no service but a volume expansion; name it there",
        ),
        (
            "--expansion <MODE>",
            "yes",
            "\"yes\" is no volume expansion; it is online or offline",
        ),
        (
            "--expansion <MODE>",
            "",
            "\"\" is no volume expansion; it is online or offline",
        ),
        (
            "--expansion <MODE>",
            "Online",
            "\"Online\" is no volume expansion; did you mean ONLINE?",
        ),
        (
            "--expansion <MODE>",
            "UNKNOWN",
            "volume expansion UNKNOWN carries no meaning and is never sent; leave it out",
        ),
        (
            "--node-id <ID>",
            "",
            "node id is empty; give the name under which the storage system knows this node",
        ),
        (
            "--topology <KEY=VALUE>",
            "zone",
            "\"zone\" has no '='; write it as key=value",
        ),
        (
            "--max-volumes <N>",
            "-1",
            "max volumes per node is -1; it must be 0 or more, and 0 leaves it to the orchestrator",
        ),
        (
            "--max-volumes <N>",
            "NaN",
            "max volumes per node is \"NaN\", which is not a whole number of at most 64 bits",
        ),
        (
            "--max-volumes <N>",
            "1.5",
            "max volumes per node is \"1.5\", which is not a whole number of at most 64 bits",
        ),
        (
            "--max-volumes <N>",
            "",
            "max volumes per node is \"\", which is not a whole number of at most 64 bits",
        ),
        (
            "--max-volumes <N>",
            "9223372036854775808",
            "max volumes per node is \"9223372036854775808\", which is not a whole number of at most 64 bits",
        ),
        (
            "--allow-uid <UID>",
            "root",
            "\"root\" is no user id; give its number, as id -u NAME prints it",
        ),
        (
            "--allow-uid <UID>",
            "-1",
            "\"-1\" is no user id; give its number, as id -u NAME prints it",
        ),
        (
            "--allow-uid <UID>",
            "4294967295",
            "\"4294967295\" is no user id; give its number, as id -u NAME prints it",
        ),
        (
            "--socket-group <GID>",
            "disk",
            "\"disk\" is no group id; give its number, as getent group NAME prints it",
        ),
        (
            "--socket-group <GID>",
            "4294967295",
            "\"4294967295\" is no group id; give its number, as getent group NAME prints it",
        ),
        (
            "--socket-mode <MODE>",
            "999",
            "socket mode \"999\" is not octal; write three or four digits from 0 to 7, as in 0660",
        ),
        (
            "--socket-mode <MODE>",
            "rw-rw----",
            "socket mode \"rw-rw----\" is not octal; write three or four digits from 0 to 7, as in 0660",
        ),
        (
            "--socket-mode <MODE>",
            "438",
            "socket mode \"438\" is not octal; write three or four digits from 0 to 7, as in 0660",
        ),
        (
            "--socket-mode <MODE>",
            "",
            "socket mode \"\" is not octal; write three or four digits from 0 to 7, as in 0660",
        ),
        (
            "--socket-mode <MODE>",
            "66",
            "socket mode \"66\" has 2 digits; write three, or four of which the first is 0, as in 0660",
        ),
        (
            "--socket-mode <MODE>",
            "1777",
            "socket mode \"1777\" has bits above 0777, which mean nothing on a socket; the first of four digits is 0, \
                     as in 0660",
        ),
        (
            "--grace <DURATION>",
            "5",
            "\"5\" is no duration; write it as 500ms, 5s, 2m or 1h",
        ),
        (
            "--grace <DURATION>",
            "",
            "\"\" is no duration; write it as 500ms, 5s, 2m or 1h",
        ),
        (
            "--grace <DURATION>",
            "soon",
            "\"soon\" is no duration; write it as 500ms, 5s, 2m or 1h",
        ),
    ];
    let folder = temporary_folder();
    for (setting, value, message) in rows {
        let flag = setting.split(' ').next().unwrap();
        let settings = settings(folder.path(), &arguments(&[flag, value]));
        let error = format!("invalid value '{value}' for '{setting}': {message}{MORE}");
        assert_refused(folder.path(), &settings, &error);
    }
}

#[test]
fn a_timeout_of_nothing_is_refused() {
    for (value, message) in [
        ("0s", "\"0s\" leaves no time at all; give some, as in 5s"),
        ("5", "\"5\" is no duration; write it as 500ms, 5s, 2m or 1h"),
    ] {
        for subcommand in ["info", "capabilities", "probe"] {
            let mut command = csi_identity([subcommand, "-e/run/csi.sock", "--timeout", value]);
            let error = format!(
                "error: invalid value '{value}' for '--timeout <DURATION>': {message}{MORE}"
            );
            assert_eq!(Running::spawn(&mut command).finish(), Ran::error(2, &error));
        }
    }
}
