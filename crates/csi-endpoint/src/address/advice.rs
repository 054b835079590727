//! What is legal in an endpoint, but may trouble somebody else.

use super::Endpoint;

/// A remark on an [`Endpoint`] that works here and may not work elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Advice {
    /// The path does not end in `.sock`.
    ///
    /// The CSI specification (`spec.md`, *Configuration and Operation*) says that the address of a Unix endpoint ends
    /// so. Nothing known here enforces it.
    #[error("{path} does not end in .sock, as the CSI specification wants it; {path}.sock would")]
    NotDotSock {
        /// The path of the socket.
        path: String,
    },
    /// The file name begins with a dot.
    ///
    /// A kubelet (`plugin_watcher.go`, 1.20 to 1.36) skips such names in its registry directory.
    #[error("{path} has a file name that begins with a dot; kubelets do not see such sockets")]
    Hidden {
        /// The path of the socket.
        path: String,
    },
}

pub(super) fn of(endpoint: &Endpoint) -> Vec<Advice> {
    let path = || endpoint.path_text().to_owned();
    let mut advice = Vec::new();
    if !endpoint.file_name().ends_with(".sock") {
        advice.push(Advice::NotDotSock { path: path() });
    }
    if endpoint.file_name().starts_with('.') {
        advice.push(Advice::Hidden { path: path() });
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_says_who_will_be_troubled() {
        let cases: [(&str, &[&str]); 4] = [
            ("/run/csi/csi.sock", &[]),
            (
                "/a",
                &["/a does not end in .sock, as the CSI specification wants it; /a.sock would"],
            ),
            (
                "/run/.csi.sock",
                &[
                    "/run/.csi.sock has a file name that begins with a dot; kubelets do not see such sockets",
                ],
            ),
            (
                "/run/.socket",
                &[
                    "/run/.socket does not end in .sock, as the CSI specification wants it; /run/.socket.sock would",
                    "/run/.socket has a file name that begins with a dot; kubelets do not see such sockets",
                ],
            ),
        ];
        for (text, expected) in cases {
            let endpoint: Endpoint = text.parse().unwrap();
            let advice: Vec<String> = endpoint.advice().iter().map(ToString::to_string).collect();
            assert_eq!(advice, expected, "{text}");
        }
    }
}
