//! The reasons that are more than a word.

use std::error::Error as _;
use std::path::Path;

use csi_endpoint::BindError;

use crate::State;
use crate::registrar::RegistrarOptions;

/// What keeps the socket from being shown.
pub(super) fn obstacle(error: &BindError, directory: &Path, unlinked: bool) -> (State, String) {
    let directory = directory.display();
    match error {
        BindError::InUse { .. } => (
            State::Superseded,
            format!("another registrar lives: {error}; it is taken up when that one ends"),
        ),
        _ if unlinked => (
            State::Lost,
            format!(
                "directory {directory} was removed from the disk while it was mounted here (its link count is 0); restart \
                 the container, nothing else brings it back"
            ),
        ),
        BindError::MissingDirectory { .. } => (
            State::Lost,
            format!(
                "{error}; a kubelet makes its plugins_registry when it starts, so the path is wrong, or no kubelet has run \
                 here"
            ),
        ),
        _ => match error.source() {
            Some(cause) => (State::Lost, format!("{error}: {cause}")),
            None => (State::Lost, error.to_string()),
        },
    }
}

/// That no kubelet has called although one should have.
pub(super) fn nobody_came(options: &RegistrarOptions) -> String {
    let within = humantime::format_duration(options.expect_kubelet_within);
    let directory = options.directory.display();
    let host = match options.kubelet_root() {
        Some(root) => {
            let root = root.display();
            format!(
                "; the kubelet has to watch {root}/plugins_registry, so see whether its --root-dir is {root}"
            )
        }
        None => "; see whether that is the plugins_registry of the kubelet's --root-dir".to_owned(),
    };
    format!(
        "no kubelet has called within {within} of the socket's being shown in {directory}{host}"
    )
}
