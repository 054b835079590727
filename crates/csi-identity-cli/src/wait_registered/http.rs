use std::time::Duration;

use anyhow::Context as _;
use csi_health::HttpEndpoint;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::Found;

/// How long one question may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// As much of an answer as is read.
const MAX_BODY: usize = 64 * 1024;

/// What is asked when the time is up has this long nevertheless; an agent answers at once.
const LAST_MOMENT: Duration = Duration::from_millis(100);

/// What an agent's answer begins with that is a yes; not every server that says 200 to everything is one.
const REGISTERED: &str = "registered: ";

/// Asks an agent whether its plugin is registered.
pub(super) async fn ask(endpoint: &HttpEndpoint, deadline: Option<Instant>) -> Found {
    let now = Instant::now();
    let until = deadline.map_or(now + TIMEOUT, |deadline| {
        deadline.clamp(now + LAST_MOMENT, now + TIMEOUT)
    });
    match get(endpoint, until).await {
        Ok((StatusCode::OK, body)) if body.starts_with(REGISTERED) => Found::Registered(body),
        Ok((StatusCode::SERVICE_UNAVAILABLE | StatusCode::NOT_FOUND, body)) => Found::NotYet(body),
        Ok((code, body)) => Found::NoAnswer(anyhow::anyhow!(
            "{endpoint} answers {code} and {body:?}, as no agent does"
        )),
        Err(error) => Found::NoAnswer(error),
    }
}

async fn get(endpoint: &HttpEndpoint, until: Instant) -> anyhow::Result<(StatusCode, String)> {
    let (host, port) = endpoint.destination();
    let stream = timeout_at(until, TcpStream::connect((&*host, port)))
        .await
        .map_err(anyhow::Error::from)
        .and_then(|connected| connected.map_err(anyhow::Error::from))
        .with_context(|| format!("cannot connect to {endpoint}"))?;
    timeout_at(until, ask_on(stream, &host))
        .await
        .with_context(|| format!("{endpoint} takes connections and does not answer"))
        .flatten()
}

async fn ask_on(stream: TcpStream, host: &str) -> anyhow::Result<(StatusCode, String)> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::get("/registrationz")
        .header(header::HOST, host)
        .body(Empty::<Bytes>::new())?;
    let asking = async {
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = Limited::new(body, MAX_BODY).collect().await;
        let body = body.map_err(anyhow::Error::from_boxed)?.to_bytes();
        let text = String::from_utf8_lossy(&body).trim().to_owned();
        anyhow::Ok((head.status, text))
    };
    tokio::pin!(asking, connection);
    tokio::select! {
        answer = &mut asking => answer,
        ended = &mut connection => {
            ended?;
            asking.await
        }
    }
}
