//! Requests for `/healthz` over connections that stay, as cheap as they can be.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use rustix::event::{PollFd, PollFlags, poll};

/// Bytes of the longest answer, which is that of `/metrics`.
const LONGEST: usize = 65_536;

/// A server that stays silent for so long has failed.
const SILENCE: Duration = Duration::from_secs(10);

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// What the answers of [`Trivial`] are.
const TRIVIAL_ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 2\r\n\r\nok";

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: String,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Result<Self> {
        let stream =
            TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        Ok(Self {
            stream,
            buffer: vec![0; LONGEST],
            filled: 0,
        })
    }

    /// Asks once for something else than `/healthz`.
    pub(crate) fn get_from(&mut self, path: &str) -> Result<Answer> {
        self.filled = 0;
        write!(
            self.stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        .context("cannot write")?;
        self.await_answer()
    }

    /// Asks once.
    pub(crate) fn get(&mut self) -> Result<Answer> {
        self.ask()?;
        self.await_answer()
    }

    fn await_answer(&mut self) -> Result<Answer> {
        while !self.read()? {}
        let (head, body) = self
            .answer()
            .split_once("\r\n\r\n")
            .context("an answer without an end of its head")?;
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok(Answer {
            code: code.with_context(|| format!("no HTTP status: {head}"))?,
            body: body.to_owned(),
        })
    }

    fn ask(&mut self) -> Result<()> {
        self.filled = 0;
        self.stream.write_all(REQUEST).context("cannot write")
    }

    /// Reads what is there, or waits for it; tells whether the answer is whole.
    fn read(&mut self) -> Result<bool> {
        let room = &mut self.buffer[self.filled..];
        ensure!(!room.is_empty(), "an answer of more than {LONGEST} bytes");
        let count = self.stream.read(room).context("no answer")?;
        ensure!(count > 0, "the server closed the connection");
        self.filled += count;
        Ok(is_whole(&self.buffer[..self.filled]))
    }

    fn answer(&self) -> &str {
        str::from_utf8(&self.buffer[..self.filled]).unwrap_or_default()
    }

    fn require_ok(&self) -> Result<()> {
        ensure!(
            self.buffer.starts_with(b"HTTP/1.1 200 "),
            "wrong answer: {}",
            self.answer()
        );
        Ok(())
    }
}

fn is_whole(answer: &[u8]) -> bool {
    const END: &[u8] = b"\r\n\r\n";
    const LENGTH: &[u8] = b"content-length: ";
    let Some(head) = answer.windows(END.len()).position(|part| part == END) else {
        return false;
    };
    let at = answer[..head]
        .windows(LENGTH.len())
        .position(|part| part.eq_ignore_ascii_case(LENGTH));
    let digits = at.map_or(&[][..], |at| &answer[at + LENGTH.len()..head]);
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |length, digit| 10 * length + usize::from(digit - b'0'));
    answer.len() >= head + END.len() + length
}

/// When a load ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    Answers(usize),
    Elapsed(Duration),
}

/// Asks over so many connections, with one request under way on each, and returns how many were answered in a second.
///
/// # Errors
///
/// Where an answer is not 200.
pub(super) fn load(address: SocketAddr, connections: usize, until: Until) -> Result<f64> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push(Client::connect(address)?);
    }
    let start = Instant::now();
    for client in &mut clients {
        client.ask()?;
    }
    let mut answers = 0_usize;
    loop {
        for at in ready(&clients)? {
            let client = &mut clients[at];
            if client.read()? {
                client.require_ok()?;
                answers += 1;
                client.ask()?;
            }
        }
        let elapsed = start.elapsed();
        let is_over = match until {
            Until::Answers(count) => answers >= count,
            Until::Elapsed(time) => elapsed >= time,
        };
        if is_over {
            return Ok(answers as f64 / elapsed.as_secs_f64());
        }
    }
}

/// Which of them can be read; the only one is read without asking.
fn ready(clients: &[Client]) -> Result<Vec<usize>> {
    if clients.len() == 1 {
        return Ok(vec![0]);
    }
    let polled = clients
        .iter()
        .map(|client| PollFd::new(&client.stream, PollFlags::IN));
    let mut polled: Vec<_> = polled.collect();
    let timeout = SILENCE.try_into()?;
    ensure!(poll(&mut polled, Some(&timeout))? > 0, "no answer in 10 s");
    let ready = polled
        .iter()
        .enumerate()
        .filter(|(_, polled)| !polled.revents().is_empty());
    Ok(ready.map(|(at, _)| at).collect())
}

/// A server that does nothing for its answers, to see what the load itself costs.
#[derive(Debug)]
pub(super) struct Trivial {
    pub(super) address: SocketAddr,
    server: JoinHandle<io::Result<()>>,
}

impl Trivial {
    /// Serves so many loads of so many connections, on a thread.
    pub(super) fn start(loads: usize, connections: usize) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen")?;
        let address = listener.local_addr()?;
        let server = thread::spawn(move || {
            (0..loads).try_for_each(|_| serve_trivially(&listener, connections))
        });
        Ok(Self { address, server })
    }

    /// Waits for its end, which is that of its last load.
    pub(super) fn join(self) -> Result<()> {
        match self.server.join() {
            Ok(served) => served.context("the trivial server failed"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn serve_trivially(listener: &TcpListener, connections: usize) -> io::Result<()> {
    let mut streams = Vec::new();
    while streams.len() < connections {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let mut buffer = [0; 4096];
    while !streams.is_empty() {
        let polled = streams
            .iter()
            .map(|stream| PollFd::new(stream, PollFlags::IN));
        let mut polled: Vec<_> = polled.collect();
        poll(&mut polled, None)?;
        let ready: Vec<bool> = polled
            .iter()
            .map(|polled| !polled.revents().is_empty())
            .collect();
        let mut ended = Vec::new();
        for (at, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            let stream = &mut streams[at];
            // What is left of a load that is over is cut off.
            let goes_on = matches!(stream.read(&mut buffer), Ok(count) if count > 0)
                && stream.write_all(TRIVIAL_ANSWER).is_ok();
            if !goes_on {
                ended.push(at);
            }
        }
        for at in ended.into_iter().rev() {
            streams.swap_remove(at);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_with_the_last_byte_of_its_body() {
        for (answer, whole) in [
            ("", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nb: 12\r\n\r\nok",
                true,
            ),
            ("HTTP/1.1 200 OK\r\n\r\n", true),
        ] {
            assert_eq!(is_whole(answer.as_bytes()), whole, "{answer:?}");
        }
    }

    #[test]
    fn a_trivial_server_answers_every_connection() {
        for connections in [1, 3] {
            let server = Trivial::start(2, connections).unwrap();
            for _ in 0..2 {
                let until = Until::Elapsed(Duration::from_millis(20));
                assert!(load(server.address, connections, until).unwrap() > 0.0);
            }
            server.join().unwrap();
        }
    }

    #[test]
    fn an_answer_that_is_not_200_ends_a_load() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = vec![0; REQUEST.len()];
            stream.read_exact(&mut request).unwrap();
            assert_eq!(request, REQUEST);
            stream.write_all(b"HTTP/1.1 500 No\r\n\r\n").unwrap();
        });
        let error = load(address, 1, Until::Answers(1)).unwrap_err();
        assert_eq!(error.to_string(), "wrong answer: HTTP/1.1 500 No\r\n\r\n");
        server.join().unwrap();
    }
}
