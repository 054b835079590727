//! The same calls as other clients make them: other authorities, fields and metadata that nobody knows, reflection.

use csi_endpoint::{Authority, Channel, ConnectOptions, Endpoint};

use super::Visit;
use super::call::Call;
use crate::wire::{Value, fields};
use crate::{AuthorityTry, End, Exchange, Method, Socket, frames};

/// Field 2000 with a number, and field 2001 with a text.
const UNKNOWN_FIELDS: [u8; 8] = [0x80, 0x7d, 0x01, 0x8a, 0x7d, 0x02, b'h', b'i'];

pub(super) async fn authorities(visit: &mut Visit<'_>, endpoint: &Endpoint, seen: &mut Socket) {
    (visit.progress)("other authorities");
    if !is_answered(seen, Method::GET_PLUGIN_INFO) {
        return;
    }
    for authority in [
        Authority::RawPath,
        Authority::EncodedPath,
        Authority::Custom(String::new()),
    ] {
        if !visit.budget.allows("other authorities") {
            return;
        }
        let options = ConnectOptions {
            authority: authority.clone(),
            ..visit.connect_options()
        };
        let channel = Channel::new(endpoint.clone(), &options);
        let call = visit.call(Method::GET_PLUGIN_INFO);
        let exchange = call.make(&channel, &visit.tally).await;
        seen.authorities.push(AuthorityTry {
            authority,
            exchange,
        });
    }
}

pub(super) async fn strange_requests(visit: &mut Visit<'_>, channel: &Channel, seen: &mut Socket) {
    (visit.progress)("requests with what nobody knows");
    for method in Method::IDENTITY {
        if is_answered(seen, method) && visit.budget.allows("unknown fields") {
            let call = visit.call(method).message(UNKNOWN_FIELDS);
            seen.unknown_fields
                .push(call.make(channel, &visit.tally).await);
        }
    }
    let method = Method::GET_PLUGIN_INFO;
    if is_answered(seen, method) && visit.budget.allows("unknown metadata") {
        let call = visit
            .call(method)
            .metadata(
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            )
            .metadata("x-csi-identity-verify", "v".repeat(2000));
        seen.metadata = Some(call.make(channel, &visit.tally).await);
    }
    if is_answered(seen, method) && visit.budget.allows("another content type") {
        let call = visit
            .call(method)
            .metadata("content-type", "application/grpc+proto");
        seen.grpc_proto = Some(call.make(channel, &visit.tally).await);
    }
}

/// Asks for the list of services, in the two versions there are.
pub(super) async fn reflection(visit: &mut Visit<'_>, channel: &Channel, seen: &mut Socket) {
    const ALPHA: Method = Method::new(
        "grpc.reflection.v1alpha.ServerReflection",
        Method::REFLECTION.name(),
    );
    /// `list_services`, field 7, with an empty text.
    const LIST_SERVICES: [u8; 2] = [0x3a, 0x00];
    (visit.progress)("reflection");
    for method in [Method::REFLECTION, ALPHA] {
        if seen.reflected.is_none() && visit.budget.allows("reflection") {
            let call = Call::new(method, visit.budget.call_limit()).message(LIST_SERVICES);
            let exchange = call.make(channel, &visit.tally).await;
            seen.reflected = services(&exchange);
        }
    }
}

/// `list_services_response` (6), of which each `service` (1) has a `name` (1).
fn services(exchange: &Exchange) -> Option<Vec<String>> {
    let End::Answered(reply) = &exchange.end else {
        return None;
    };
    let (messages, _) = frames(&reply.body);
    let inner = |bytes, number| {
        let all = fields(bytes).unwrap_or_default().into_iter();
        all.filter_map(move |field| match field.value {
            Value::Bytes(bytes) if field.number == number => Some(bytes),
            _ => None,
        })
    };
    let list = inner(messages.first()?.message, 6).next()?;
    let names = inner(list, 1).flat_map(|service| inner(service, 1));
    Some(
        names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect(),
    )
}

pub(super) fn is_answered(seen: &Socket, method: Method) -> bool {
    seen.call(method)
        .is_some_and(|call| call.message().is_some())
}
