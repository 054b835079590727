//! What is logged.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use csi_identity::{CheckTarget, ExecCommand, Readiness};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::set_global_default;
use tracing::{Event, Level, Metadata, Subscriber};

use crate::watched::{STEADY, Watched, check};

/// Keeps what this project logs, from INFO on, as lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            write!(self.0, " {value:?}").unwrap();
        } else {
            write!(self.0, " {field}={value:?}").unwrap();
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("csi_") && *metadata.level() <= Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_change_is_logged_once_with_its_reason_and_single_results_are_not() {
    const NAME: &str = "logged";
    // For all threads: tracing asks whichever thread logs something first whether anybody wants to hear it.
    let lines = Lines::default();
    set_global_default(lines.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk");
    let counter = folder.path().join("runs");
    let (shown, count) = (path.display(), counter.display());
    // Fails with another reason each time, and counts.
    let script = format!("[ -e {shown} ] && exit; echo x >> {count}; wc -l < {count} >&2; exit 1");
    let command = ExecCommand::new(["/bin/sh", "-c", &script]).unwrap();
    let mut watched = Watched::start(vec![check(NAME, CheckTarget::Exec { command }, STEADY)]);
    watched
        .until_reason("logged: /bin/sh ended with status 1: 2")
        .await;
    std::fs::File::create(&path).unwrap();
    watched.until(Readiness::is_ready).await;
    drop(watched);
    let mut lines = lines.0.lock().unwrap().clone();
    // Other tests log too.
    lines.retain(|line| line.contains(NAME));
    assert_eq!(
        lines,
        [
            "WARN check fails check=logged (exec /bin/sh) reason=/bin/sh ended with status 1: 1",
            "INFO check passes check=logged (exec /bin/sh)",
            "INFO readiness changed from=starting: logged: /bin/sh ended with status 1: 2 to=ready",
        ]
    );
}
