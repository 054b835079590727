//! The endpoints.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::middleware::map_response_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use csi_registration::Status;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue, StatusCode};
use tokio::sync::watch;

use crate::outcome::Outcome;
use crate::report::Report;
use crate::verdict::{Check, Verdict};
use crate::{Metrics, MetricsPath, Prober, RegistrationCheck};

mod form;

use form::Form;

/// What is served beside metrics, and what it says.
pub(crate) const ENDPOINTS: [(&str, &str); 5] = [
    ("/", "this list"),
    (
        "/healthz",
        "200 while the plugin is ready, else 500; as livenessprobe has it",
    ),
    (
        "/livez",
        "200 unless a restart is needed: the plugin answers, ready or not",
    ),
    ("/readyz", "200 while the plugin is ready, else 503"),
    (
        "/registrationz",
        "200 while the kubelet has the plugin registered",
    ),
];

/// Which plugin answers: two that share a port by mistake can be told apart.
const CSI_DRIVER: HeaderName = HeaderName::from_static("csi-driver");

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The health endpoints of a plugin.
///
/// | path | 200 | otherwise |
/// |---|---|---|
/// | `/healthz` | Probe says ready, or leaves it unset; the body is `ok` | 500 and the reason, as livenessprobe 2.19 has it |
/// | `/livez` | Probe says ready or not ready, or is UNIMPLEMENTED (with a warning) | 503 and the reason |
/// | `/readyz` | Probe says ready, leaves it unset, or is UNIMPLEMENTED (with a warning) | 503 and the reason |
/// | `/registrationz` | the kubelet has registered the plugin | 404 if no socket is shown to it or registration is off, else 503 |
/// | `/metrics` | always | |
/// | `/` | always, with this list | |
///
/// GET and HEAD are answered. With `?verbose` the body lists all parts, with `Accept: application/json` it is JSON; the
/// codes are the same. Each request is answered by a Probe made, or joined, for it (see [`Prober`]).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::future::{pending, ready};
///
/// use csi_health::{Health, HttpListener, HttpOptions, Metrics, Prober, serve};
/// use csi_identity::endpoint::{BindOptions, ConnectOptions, ServeOptions};
/// use csi_identity::{Plugin, PluginClient};
///
/// // The port comes first: a port that is taken is to be heard of before anything else is begun.
/// let listener = HttpListener::bind(&"127.0.0.1:0".parse()?)?;
///
/// let folder = tempfile::tempdir()?;
/// let endpoint = folder.path().join("csi.sock").display().to_string().parse()?;
/// let plugin = Plugin::builder("disk.acme.io".parse()?, "1.0.0".parse()?).build()?;
/// let bound = plugin.bind(&endpoint, &BindOptions::default())?;
/// tokio::spawn(bound.serve(ServeOptions::default(), pending::<()>()));
///
/// let client = PluginClient::connect(&endpoint, &ConnectOptions::default()).await?;
/// let metrics = Metrics::new();
/// metrics.set_driver_name(&client.plugin_info().await?.name);
/// let prober = Prober::new(client, Prober::PROBE_TIMEOUT, metrics);
/// serve(listener, Health::new(prober).router(), HttpOptions::default(), ready(())).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Health {
    prober: Prober,
    registration: Option<watch::Receiver<Status>>,
    metrics_path: Option<MetricsPath>,
    registration_check: Option<RegistrationCheck>,
}

impl Health {
    /// The endpoints of the plugin that `prober` asks, with registration off and metrics under `/metrics`.
    #[must_use]
    pub fn new(prober: Prober) -> Self {
        Self {
            prober,
            registration: None,
            metrics_path: Some(MetricsPath::default()),
            registration_check: None,
        }
    }

    /// The same, with what is to be said of a registration in this process. Its driver name is taken over.
    #[must_use]
    pub fn with_registration(mut self, registration: watch::Receiver<Status>) -> Self {
        self.registration = Some(registration);
        self
    }

    /// The same, with a `/healthz` that is about the registration socket, as node-driver-registrar's is: 200 if it answers
    /// with the plugin's name, 404 if there is none, else 500.
    #[must_use]
    pub fn with_registration_check(mut self, check: RegistrationCheck) -> Self {
        self.registration_check = Some(check);
        self
    }

    /// The same, with metrics under another path, or none.
    #[must_use]
    pub fn with_metrics_path(mut self, path: Option<MetricsPath>) -> Self {
        self.metrics_path = path;
        self
    }

    /// All endpoints.
    pub fn router(self) -> Router {
        let state = Arc::new(self);
        let mut router = Router::new()
            .route("/", get(index))
            .route("/healthz", get(healthz))
            .route("/livez", get(livez))
            .route("/readyz", get(readyz))
            .route("/registrationz", get(registrationz));
        if let Some(path) = &state.metrics_path {
            router = router.route(path.as_str(), get(metrics));
        }
        finish(router, state)
    }

    /// Metrics alone, for an address of their own. The path is the one set, `/metrics` if there is none.
    pub fn metrics_router(self) -> Router {
        let path = self.metrics_path.clone().unwrap_or_default();
        let router = Router::new().route(path.as_str(), get(metrics));
        finish(router, Arc::new(self))
    }

    fn metrics(&self) -> &Metrics {
        self.prober.metrics()
    }

    /// The registration as it is now. The guard must not be held while something is waited for.
    fn status(&self) -> Option<watch::Ref<'_, Status>> {
        self.registration.as_ref().map(watch::Receiver::borrow)
    }

    async fn check(&self, check: Check, form: Form) -> Response {
        if check == Check::Registrationz && form == Form::Plain {
            return plain(Verdict::registrationz(self.status().as_deref()));
        }
        if let (Check::Healthz, Some(registration)) = (check, &self.registration_check) {
            return plain(Verdict::registration_socket(registration.run().await));
        }
        let outcome = self.prober.probe().await;
        let status = self.status();
        let status = status.as_deref();
        let verdict = match check {
            Check::Healthz => Verdict::healthz(&outcome),
            Check::Livez => Verdict::livez(&outcome, status),
            Check::Readyz => Verdict::readyz(&outcome),
            Check::Registrationz => Verdict::registrationz(status),
        };
        match form {
            Form::Plain => plain(verdict),
            Form::Verbose | Form::Json => self.full(form, check, &verdict, &outcome, status),
        }
    }

    fn full(
        &self,
        form: Form,
        check: Check,
        verdict: &Verdict,
        outcome: &Outcome,
        status: Option<&Status>,
    ) -> Response {
        let known = self.metrics().driver().name();
        let driver = status
            .and_then(|status| status.driver.as_deref())
            .or(known.as_deref());
        let since = self.prober.since();
        let report = Report::new(check, verdict, outcome, since, driver, status);
        if form == Form::Verbose {
            return answer(verdict.code, TEXT, report.text());
        }
        match serde_json::to_vec(&report) {
            Ok(json) => answer(verdict.code, JSON, json),
            // Paths that are not UTF-8 cannot be said in JSON.
            Err(error) => answer(StatusCode::INTERNAL_SERVER_ERROR, TEXT, error.to_string()),
        }
    }
}

fn finish(router: Router<Arc<Health>>, state: Arc<Health>) -> Router {
    router
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(map_response_with_state(Arc::clone(&state), with_headers))
        .with_state(state)
}

async fn healthz(State(health): State<Arc<Health>>, form: Form) -> Response {
    health.check(Check::Healthz, form).await
}

async fn livez(State(health): State<Arc<Health>>, form: Form) -> Response {
    health.check(Check::Livez, form).await
}

async fn readyz(State(health): State<Arc<Health>>, form: Form) -> Response {
    health.check(Check::Readyz, form).await
}

async fn registrationz(State(health): State<Arc<Health>>, form: Form) -> Response {
    health.check(Check::Registrationz, form).await
}

async fn metrics(State(health): State<Arc<Health>>) -> Response {
    const FORMAT: HeaderValue = HeaderValue::from_static(Metrics::CONTENT_TYPE);
    let text = health.metrics().text(health.status().as_deref());
    answer(StatusCode::OK, FORMAT, text)
}

async fn index(State(health): State<Arc<Health>>) -> Response {
    let mut text = String::new();
    let mut line = |path: &str, what: &str| {
        let written = writeln!(text, "{path:<16} {what}");
        debug_assert!(written.is_ok(), "a string takes every text");
    };
    for (path, what) in ENDPOINTS {
        line(path, what);
    }
    if let Some(path) = &health.metrics_path {
        line(path.as_str(), "numbers for Prometheus");
    }
    text.push_str("\nwith ?verbose or Accept: application/json all parts are listed\n");
    answer(StatusCode::OK, TEXT, text)
}

async fn not_found() -> Response {
    let text = "nothing is served under this path; / lists what is";
    answer(StatusCode::NOT_FOUND, TEXT, text)
}

async fn method_not_allowed() -> Response {
    answer(StatusCode::METHOD_NOT_ALLOWED, TEXT, "use GET or HEAD")
}

async fn with_headers(State(health): State<Arc<Health>>, mut response: Response) -> Response {
    let driver = health.metrics().driver();
    if let Some(name) = health
        .status()
        .as_ref()
        .and_then(|status| status.driver.as_deref())
    {
        driver.set(name);
    }
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(name) = driver.header() {
        headers.insert(CSI_DRIVER, name);
    }
    response
}

fn plain(verdict: Verdict) -> Response {
    let Verdict {
        code,
        line,
        warning,
    } = verdict;
    match warning {
        None => answer(code, TEXT, line),
        Some(warning) => answer(code, TEXT, format!("{line}\nwarning: {warning}\n")),
    }
}

fn answer(code: StatusCode, kind: HeaderValue, body: impl Into<axum::body::Body>) -> Response {
    (code, [(CONTENT_TYPE, kind)], body.into()).into_response()
}
