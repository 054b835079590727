use std::io::{self, Write};

use csi_kubelet::Event;

use crate::output::{Format, printable, write_json_line};

/// Writes an event on a line of its own, at once: whoever reads waits for it.
pub(super) fn event(out: &mut impl Write, format: Format, event: &Event) -> io::Result<()> {
    match format {
        Format::Text => writeln!(out, "{}", printable(&event.to_string()))?,
        Format::Json => write_json_line(out, &event.to_json())?,
    }
    out.flush()
}
