use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::hpack::Rule;
use super::machine::Machine;

/// Limit on a request's header list, in bytes. The requests are our own client's.
const MAX_HEADER_LIST: usize = 1024 * 1024;

/// A client's connection on which every request carries one given `:authority`, be it valid or not.
///
/// HTTP/2 clients in Rust cannot send a socket path. With this they can be what other clients are: a kubelet, gRPC for
/// Python. Reading is passed through untouched.
#[derive(Debug)]
pub(crate) struct ImposedAuthority<IO> {
    io: IO,
    machine: Machine,
    written: usize,
}

impl<IO> ImposedAuthority<IO> {
    pub(crate) fn new(io: IO, authority: &str) -> Self {
        let rule = Rule::Impose(authority.as_bytes().into());
        Self {
            io,
            machine: Machine::new(rule, MAX_HEADER_LIST),
            written: 0,
        }
    }
}

impl<IO: AsyncWrite + Unpin> ImposedAuthority<IO> {
    /// Writes all that is ready.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.machine.out.len() {
            let rest = &self.machine.out[self.written..];
            match ready!(Pin::new(&mut self.io).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        self.machine.out.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for ImposedAuthority<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for ImposedAuthority<IO> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_drain(cx))?;
        let mut taken = 0;
        while taken < buf.len() {
            let step = self.machine.step(&buf[taken..]);
            taken += step.map_err(|flood| io::Error::new(io::ErrorKind::InvalidInput, flood))?;
        }
        // What cannot be written now is written before the next bytes, or by the flush that follows.
        match self.poll_drain(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(taken)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.machine.end();
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::DuplexStream;

    use super::*;
    use crate::AuthorityRepair;

    /// Serves until the client leaves; the authority of each request, repaired or not.
    async fn authorities(
        io: impl AsyncRead + AsyncWrite + Unpin,
    ) -> Result<Vec<String>, h2::Error> {
        let mut connection = h2::server::handshake(io).await?;
        let mut authorities = Vec::new();
        while let Some(request) = connection.accept().await {
            let (request, mut respond) = request?;
            let authority = request.uri().authority().map(ToString::to_string);
            authorities.push(authority.unwrap_or_default());
            respond.send_response(http::Response::new(()), true)?;
        }
        Ok(authorities)
    }

    /// Makes three requests as an ordinary client and says whether all were answered.
    async fn three_requests(io: DuplexStream, imposed: &str) -> Result<(), h2::Error> {
        let io = ImposedAuthority::new(io, imposed);
        let (mut client, connection) = h2::client::handshake(io).await?;
        let connection = tokio::spawn(connection);
        for _ in 0..3 {
            let request = http::Request::post("http://localhost/csi.v1.Identity/Probe");
            let request = request.header("x-trace", "0123456789").body(()).unwrap();
            client = client.ready().await?;
            client.send_request(request, true)?.0.await?;
        }
        drop(client);
        connection.await.unwrap()
    }

    #[tokio::test]
    async fn each_request_carries_the_imposed_authority() {
        let (client, server) = tokio::io::duplex(64);
        let server = tokio::spawn(authorities(server));
        three_requests(client, "disk.acme.io").await.unwrap();
        assert_eq!(server.await.unwrap().unwrap(), ["disk.acme.io"; 3]);
    }

    #[tokio::test]
    async fn a_socket_path_is_refused_by_h2_and_answered_behind_the_repair() {
        for path in ["/run/csi/csi.sock", "%2Frun%2Fcsi%2Fcsi.sock"] {
            let (client, server) = tokio::io::duplex(64);
            let stock = tokio::spawn(authorities(server));
            let error = three_requests(client, path).await.unwrap_err();
            assert_eq!(error.reason(), Some(h2::Reason::PROTOCOL_ERROR));
            stock.abort();

            let (client, server) = tokio::io::duplex(64);
            let repaired = tokio::spawn(authorities(AuthorityRepair::new(server, 16 * 1024)));
            three_requests(client, path).await.unwrap();
            assert_eq!(repaired.await.unwrap().unwrap(), ["localhost"; 3]);
        }
    }
}
