//! Small writes that follow one another, made one.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How many bytes are gathered at most. An RPC of the Identity service has less than a hundred.
const LIMIT: usize = 4096;

/// A stream that is flushed one turn of the runtime later than it is told to be.
///
/// The head of a request and its message come from two tasks, and an HTTP/2 client flushes after each. That is two system
/// calls, and it wakes the server for a head with which it can do nothing yet. In the turn between, the message comes.
#[derive(Debug)]
pub(super) struct Gathered<S> {
    inner: S,
    bytes: Vec<u8>,
    /// How many of them are written.
    written: usize,
    /// Whether a flush has waited for its turn.
    waited: bool,
}

impl<S> Gathered<S> {
    pub(super) fn new(inner: S) -> Self {
        Self {
            inner,
            bytes: Vec::new(),
            written: 0,
            waited: false,
        }
    }
}

impl<S: AsyncWrite + Unpin> Gathered<S> {
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            let rest = &self.bytes[self.written..];
            match ready!(Pin::new(&mut self.inner).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        self.bytes.clear();
        self.written = 0;
        self.waited = false;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gathered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.bytes.len() + bytes.len() > LIMIT {
            ready!(self.poll_drain(context))?;
            if bytes.len() > LIMIT {
                return Pin::new(&mut self.inner).poll_write(context, bytes);
            }
        }
        self.bytes.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.bytes.is_empty() && !self.waited {
            self.waited = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.poll_drain(context))?;
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(context))?;
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        task::{Poll, Waker},
    };

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::UnixStream,
    };

    use super::*;

    /// Writes that are noted one by one, and of which each takes at most so many bytes.
    #[derive(Debug)]
    struct Noted {
        writes: Vec<Vec<u8>>,
        room: usize,
    }

    impl AsyncWrite for Noted {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let count = bytes.len().min(self.room);
            self.writes.push(bytes[..count].to_vec());
            Poll::Ready(Ok(count))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn gathered(room: usize) -> Gathered<Noted> {
        Gathered::new(Noted {
            writes: Vec::new(),
            room,
        })
    }

    #[tokio::test]
    async fn what_is_written_before_the_turn_of_a_flush_is_one_write() {
        let mut stream = gathered(100);
        stream.write_all(b"head").await.unwrap();
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut stream).poll_flush(&mut context).is_pending());
        assert!(stream.inner.writes.is_empty());
        stream.write_all(b"message").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.inner.writes, [b"headmessage"]);

        // A flush of nothing waits for nothing.
        assert!(Pin::new(&mut stream).poll_flush(&mut context).is_ready());
        stream.write_all(b"next").await.unwrap();
        assert!(Pin::new(&mut stream).poll_flush(&mut context).is_pending());
    }

    #[tokio::test]
    async fn a_flush_wakes_its_task_up_again() {
        let mut stream = gathered(3);
        stream.write_all(b"0123456").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.inner.writes, [&b"012"[..], b"345", b"6"]);
    }

    #[tokio::test]
    async fn what_is_too_much_to_be_gathered_keeps_its_order() {
        let mut stream = gathered(usize::MAX);
        let long = vec![b'x'; LIMIT + 1];
        stream.write_all(b"before").await.unwrap();
        stream.write_all(&long).await.unwrap();
        stream.write_all(&long[..LIMIT]).await.unwrap();
        stream.write_all(b"after").await.unwrap();
        stream.shutdown().await.unwrap();
        let lengths: Vec<_> = stream.inner.writes.iter().map(Vec::len).collect();
        assert_eq!(lengths, [6, LIMIT + 1, LIMIT, 5]);
        assert_eq!(
            stream.inner.writes.concat(),
            [b"before", &*long, &long[..LIMIT], b"after"].concat()
        );
    }

    #[tokio::test]
    async fn a_write_that_fails_is_told_by_the_flush() {
        let mut stream = gathered(0);
        stream.write_all(b"lost").await.unwrap();
        let error = stream.flush().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[tokio::test]
    async fn reading_goes_on_while_a_flush_waits() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut stream = Gathered::new(ours);
        stream.write_all(b"ping").await.unwrap();
        let waits = poll_fn(|context| Poll::Ready(Pin::new(&mut stream).poll_flush(context)));
        assert!(waits.await.is_pending());
        theirs.write_all(b"pong").await.unwrap();
        let mut read = [0; 4];
        stream.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"pong");
        stream.flush().await.unwrap();
        theirs.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"ping");
    }
}
