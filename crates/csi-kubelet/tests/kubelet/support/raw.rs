//! A server that reads what a kubelet sends byte by byte, before anybody repairs or refuses it.

use std::path::Path;

use httlib_hpack::Decoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const HEADERS: u8 = 1;

/// What it does when a request has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    /// It resets the stream, with this code.
    Resets(u32),
    /// It closes the connection.
    Closes,
    /// It has nothing to say from the start.
    Mute,
    /// It is no gRPC server.
    Garbles,
}

/// It runs until it is dropped.
#[derive(Debug)]
pub(crate) struct RawServer {
    authorities: watch::Receiver<Vec<String>>,
    server: JoinHandle<()>,
}

impl RawServer {
    pub(crate) fn start(path: &Path, manner: Manner) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let (sender, authorities) = watch::channel(Vec::new());
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, manner, sender.clone()));
            }
        });
        Self {
            authorities,
            server,
        }
    }

    /// The `:authority` of each request so far.
    pub(crate) fn authorities(&self) -> Vec<String> {
        self.authorities.borrow().clone()
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(mut stream: UnixStream, manner: Manner, authorities: watch::Sender<Vec<String>>) {
    match manner {
        Manner::Mute => return std::future::pending().await,
        Manner::Garbles => {
            let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.9\r\n").await;
            return;
        }
        Manner::Resets(_) | Manner::Closes => {}
    }
    stream.write_all(&EMPTY_SETTINGS).await.unwrap();
    let mut preface = [0; PREFACE.len()];
    stream.read_exact(&mut preface).await.unwrap();
    assert_eq!(preface, PREFACE);
    let mut decoder = Decoder::default();
    // Until the kubelet hangs up.
    while let Ok(length) = read_length(&mut stream).await {
        let mut rest = vec![0; 6 + length];
        stream.read_exact(&mut rest).await.unwrap();
        let (head, block) = rest.split_at(6);
        if head[0] != HEADERS {
            continue;
        }
        // Neither padding nor priority comes from this client, and the block is a small one.
        let mut block = block.to_vec();
        let mut fields = Vec::new();
        decoder.decode(&mut block, &mut fields).unwrap();
        let authority = fields.into_iter().find(|field| field.0 == b":authority");
        let authority = String::from_utf8(authority.unwrap().1).unwrap();
        authorities.send_modify(|seen| seen.push(authority));
        let Manner::Resets(code) = manner else {
            return;
        };
        let stream_id = &head[2..6];
        let reset = [&[0, 0, 4, 3, 0], stream_id, &code.to_be_bytes()].concat();
        stream.write_all(&reset).await.unwrap();
    }
}

async fn read_length(stream: &mut UnixStream) -> std::io::Result<usize> {
    let mut length = [0; 4];
    stream.read_exact(&mut length[1..]).await?;
    Ok(u32::from_be_bytes(length) as usize)
}
