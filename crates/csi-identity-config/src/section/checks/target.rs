//! What a check looks at. Where one text says it all, that text may stand for the mapping.

use std::str::FromStr;

use csi_endpoint::Endpoint;
use csi_identity::{CheckTarget, ExecCommand, GrpcProbe, HttpStatus};

use crate::error::{Flaws, quoted};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::tree::{Content, Meaning, Scalar};
use crate::value::Value;

/// The kinds of targets, of which a check has one.
pub(super) const KINDS: &[&Key] = &[&TCP, &HTTP, &EXEC, &PATH, &MOUNT, &GRPC];

pub(super) const TCP: Key = Key::optional(
    "tcp",
    Shape::Either(&[Shape::Text, Shape::Section(&TCP_SECTION)]),
    r#""array.example.org:3260""#,
    "A TCP connection can be made.",
);

const TCP_SECTION: Section = Section::new("tcp", &[&ADDRESS]);

const ADDRESS: Key = Key::required(
    "address",
    Shape::Text,
    r#""array.example.org:3260""#,
    "Where to: host:port, an IPv6 address in brackets.",
);

pub(super) const HTTP: Key = Key::optional(
    "http",
    Shape::Either(&[Shape::Text, Shape::Section(&HTTP_SECTION)]),
    r#""http://array.example.org/health""#,
    "A GET request has the right answer.",
);

const HTTP_SECTION: Section = Section::new("http", &[&URL, &STATUS, &BODY]);

const URL: Key = Key::required(
    "url",
    Shape::Text,
    r#""http://array.example.org/health""#,
    "What is asked for; it begins with http://.",
);

const STATUS: Key = Key::optional(
    "status",
    Shape::Whole(LEAST_STATUS, MOST_STATUS),
    "200",
    "The status that is right; any from 200 to 299 by default.",
);

const LEAST_STATUS: i64 = 200;
const MOST_STATUS: i64 = 599;

const BODY: Key = Key::optional(
    "body",
    Shape::Text,
    r#""ok""#,
    "Text that must occur in the first 64 KiB of the body.",
);

pub(super) const EXEC: Key = Key::optional(
    "exec",
    Shape::List(&Shape::Text, 1),
    r#"[pg_isready, "-q"]"#,
    "A program, run with these arguments and without a shell, ends with status 0.",
);

pub(super) const PATH: Key = Key::optional(
    "path",
    Shape::Text,
    "/dev/fuse",
    "A file, directory or anything else is at this path.",
);

pub(super) const MOUNT: Key = Key::optional(
    "mount",
    Shape::Either(&[Shape::Text, Shape::Section(&MOUNT_SECTION)]),
    "/var/lib/pool",
    "A path is a mount point.",
);

const MOUNT_SECTION: Section = Section::new("mount", &[&MOUNT_PATH, &FS_TYPE]);

const MOUNT_PATH: Key = Key::required("path", Shape::Text, "/var/lib/pool", "The mount point.");

const FS_TYPE: Key = Key::optional(
    "fs_type",
    Shape::Text,
    "nfs4",
    "The type of file system that must be mounted there, as in /proc/self/mountinfo; any by default.",
);

pub(super) const GRPC: Key = Key::optional(
    "grpc",
    Shape::Either(&[Shape::Text, Shape::Section(&GRPC_SECTION)]),
    "unix:///run/backend/csi.sock",
    "A gRPC server on a Unix socket says that it is well.",
);

const GRPC_SECTION: Section =
    Section::new("grpc", &[&GRPC_ENDPOINT, &GRPC_SERVICE, &HEALTH_SERVICE]);

const GRPC_ENDPOINT: Key = Key::required(
    "endpoint",
    Shape::TextLike("^(unix:(//)?)?/"),
    "unix:///run/backend/csi.sock",
    "The socket: unix:///abs, unix:/abs or /abs.",
);

const GRPC_SERVICE: Key = Key::optional(
    "service",
    Shape::Word(&["csi", "health"]),
    "csi",
    "What is asked: Probe of csi.v1.Identity (csi, the default) or Check of grpc.health.v1.Health (health).",
);

const HEALTH_SERVICE: Key = Key::optional(
    "health_service",
    Shape::Text,
    "csi.v1.Controller",
    "The service that grpc.health.v1 is asked about; the server as a whole by default.",
);

pub(super) fn read(fields: &Fields<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    // If there are several, that is a flaw already, and each is read for its own.
    let targets = [
        fields.optional(&TCP, flaws, tcp),
        fields.optional(&HTTP, flaws, http),
        fields.optional(&EXEC, flaws, exec),
        fields.optional(&PATH, flaws, path),
        fields.optional(&MOUNT, flaws, mount),
        fields.optional(&GRPC, flaws, grpc),
    ];
    targets.into_iter().flatten().next()
}

fn tcp(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    let address = if value.is_mapping() {
        Fields::of(&TCP_SECTION, value, flaws)?.required(&ADDRESS, flaws, Value::parse)?
    } else {
        value.parse(flaws)?
    };
    Some(CheckTarget::Tcp { address })
}

fn http(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    if !value.is_mapping() {
        return Some(CheckTarget::Http {
            url: value.parse(flaws)?,
            status: None,
            body: None,
        });
    }
    let fields = Fields::of(&HTTP_SECTION, value, flaws)?;
    let url = fields.required(&URL, flaws, Value::parse);
    let status = fields.optional(&STATUS, flaws, |value, flaws| {
        let number: u16 = value.whole(LEAST_STATUS, MOST_STATUS, flaws)?;
        value.accept(HttpStatus::try_from(number), flaws)
    });
    let body = fields.optional(&BODY, flaws, Value::parse);
    Some(CheckTarget::Http {
        url: url?,
        status,
        body,
    })
}

fn exec(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    if let Content::Scalar(Scalar {
        text,
        meaning: Meaning::Text,
    }) = &value.node.content
    {
        return value.is_wrong(
            format!("no shell is involved, so write {}", as_list(text)),
            flaws,
        );
    }
    let parts: Vec<_> = value.items(flaws)?.map(|item| item.text(flaws)).collect();
    let parts: Option<Vec<&str>> = parts.into_iter().collect();
    let command = value.accept(ExecCommand::new(parts?), flaws)?;
    Some(CheckTarget::Exec { command })
}

/// The command line as a list, for a message.
fn as_list(line: &str) -> String {
    const MOST: usize = 8;
    let mut words: Vec<_> = line.split_whitespace().take(MOST + 1).map(quoted).collect();
    if words.len() > MOST {
        words.pop();
        words.push("...".to_owned());
    }
    format!("a list: [{}]", words.join(", "))
}

fn path(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    let path = value.parse(flaws)?;
    Some(CheckTarget::Path { path })
}

fn mount(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    if !value.is_mapping() {
        return Some(CheckTarget::Mount {
            path: value.parse(flaws)?,
            fs_type: None,
        });
    }
    let fields = Fields::of(&MOUNT_SECTION, value, flaws)?;
    let path = fields.required(&MOUNT_PATH, flaws, Value::parse);
    let fs_type = fields.optional(&FS_TYPE, flaws, Value::parse);
    Some(CheckTarget::Mount {
        path: path?,
        fs_type,
    })
}

fn grpc(value: Value<'_>, flaws: &mut Flaws) -> Option<CheckTarget> {
    if !value.is_mapping() {
        let endpoint: Endpoint = value.parse(flaws)?;
        return Some(CheckTarget::Grpc {
            endpoint: endpoint.to_string(),
            probe: GrpcProbe::default(),
        });
    }
    let fields = Fields::of(&GRPC_SECTION, value, flaws)?;
    let endpoint: Option<Endpoint> = fields.required(&GRPC_ENDPOINT, flaws, Value::parse);
    let service = fields.optional(&GRPC_SERVICE, flaws, Value::word);
    let health_service = fields.optional(&HEALTH_SERVICE, flaws, |value, flaws| {
        let text = value.text(flaws)?;
        let asked = match service {
            Some(Service::Health) => Ok(text.to_owned()),
            _ => Err("only grpc.health.v1 is asked about it; add service: health or leave it out"),
        };
        value.accept(asked, flaws)
    });
    let probe = match service {
        Some(Service::Health) => GrpcProbe::Health {
            service: health_service.unwrap_or_default(),
        },
        Some(Service::Csi) | None => GrpcProbe::CsiProbe,
    };
    Some(CheckTarget::Grpc {
        endpoint: endpoint?.to_string(),
        probe,
    })
}

/// What a gRPC server is asked, as the configuration says it.
#[derive(Clone, Copy)]
enum Service {
    Csi,
    Health,
}

impl FromStr for Service {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "csi" => Ok(Self::Csi),
            "health" => Ok(Self::Health),
            _ => Err(format!("{} is none; write csi or health", quoted(text))),
        }
    }
}
