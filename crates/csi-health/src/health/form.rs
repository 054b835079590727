use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::header::ACCEPT;
use http::request::Parts;

/// In which form a check is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The verdict alone.
    Plain,
    /// All parts as text.
    Verbose,
    /// All parts as JSON.
    Json,
}

impl Form {
    /// What a request asks for: `?verbose`, or `Accept: application/json`, which wins.
    pub(super) fn of(query: Option<&str>, headers: &HeaderMap) -> Self {
        if headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(is_json)
        {
            return Self::Json;
        }
        let is_verbose = |pair: &str| pair.split('=').next() == Some("verbose");
        if query.is_some_and(|query| query.split('&').any(is_verbose)) {
            return Self::Verbose;
        }
        Self::Plain
    }
}

impl<S: Sync> FromRequestParts<S> for Form {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.query(), &parts.headers))
    }
}

/// Whether one element of an Accept header is JSON that is not excluded by a weight of nothing.
fn is_json(element: &str) -> bool {
    let mut parts = element.split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|media| media.eq_ignore_ascii_case("application/json"));
    let is_refused = |part: &str| {
        let weight = part.strip_prefix("q=").or(part.strip_prefix("Q="));
        weight.and_then(|weight| weight.parse().ok()) == Some(0.0_f32)
    };
    is_json && !parts.any(is_refused)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_form_is_what_was_asked_for() {
        for (query, accept, form) in [
            (None, None, Form::Plain),
            (Some("verbose"), None, Form::Verbose),
            (Some("verbose=1"), Some("*/*"), Form::Verbose),
            (Some("a=b&verbose"), Some("text/plain"), Form::Verbose),
            (Some("verbosely"), None, Form::Plain),
            (None, Some("application/json"), Form::Json),
            (
                Some("verbose"),
                Some("text/html, Application/JSON;q=0.9"),
                Form::Json,
            ),
            (None, Some("application/json; q=0, */*"), Form::Plain),
            (None, Some("application/json-seq"), Form::Plain),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(Form::of(query, &headers), form, "{query:?} {accept:?}");
        }
    }
}
