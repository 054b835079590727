"""A client of grpcio that dials a Unix socket in one of the ways in use, calls a service, and prints how that went as one
line of JSON. What it calls and prints is described in ../README.md.

Messages are built from the descriptors that csi-proto publishes, so there is no generated code.
"""

import concurrent.futures
import json
import pathlib
import random
import sys

import google.protobuf.descriptor_pb2
import google.protobuf.descriptor_pool
import google.protobuf.message_factory
import grpc

DESCRIPTORS = pathlib.Path(__file__).parents[2] / "crates/csi-proto/src/generated/descriptors.bin"

CALLS_ON_ONE_CONNECTION = 1000
CONNECTIONS_AT_ONCE = 5
CALLS_ON_EACH_CONNECTION = 20
MAX_FIELDS = 6
MAX_FIELD_BYTES = 400
CALL_TIMEOUT_SECONDS = 5
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/%:;,."
SEED = 0x1D3E

# Ways to dial a Unix socket, by the names in the file ways: a target and the channel's options.
WAYS = {
    "unix:///": lambda path: ("unix://" + path, {}),
    "unix:/": lambda path: ("unix:" + path, {}),
    "grpc.default_authority": lambda path: ("unix://" + path, {"grpc.default_authority": "localhost"}),
}


class WrongAnswer(Exception):
    """An answer came, but not the one that every server here has to give."""


class Service:
    """The calls of a service, made in turn."""

    def __init__(self, channel, name):
        self.methods = [self.method(channel, *parts) for parts in SERVICES[name]]

    @staticmethod
    def method(channel, path, request, response, is_right):
        name = path.rpartition("/")[2]
        stub = method_stub(channel, path, response)

        def call(metadata):
            answer = stub(request(), metadata=metadata, timeout=CALL_TIMEOUT_SECONDS)
            if not is_right(answer):
                raise WrongAnswer(f"{name}: wrong answer {answer!r}")

        return call

    def call(self, turn, metadata):
        self.methods[turn % len(self.methods)](metadata)


def method_stub(channel, path, response):
    return channel.unary_unary(
        path,
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=message(response).FromString,
    )


def is_plugin_info(answer):
    return answer.name == "disk.example.org" and answer.vendor_version == "1.2.3"


def is_controller_alone(answer):
    return [capability.service.type for capability in answer.capabilities] == [1]


def is_ready(answer):
    return answer.ready.value


def is_driver(answer):
    return answer.type == "CSIPlugin" and answer.name == "disk.example.org"


def load(target, options, service):
    """Calls on one connection, then on several at once: how many were answered right, and what the first failure was."""
    ok, error = sequence(target, options, service, CALLS_ON_ONE_CONNECTION, 0)
    if error:
        return ok, error
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS_AT_ONCE) as pool:
        parts = [
            pool.submit(sequence, target, options, service, CALLS_ON_EACH_CONNECTION, stream)
            for stream in range(1, CONNECTIONS_AT_ONCE + 1)
        ]
    results = [part.result() for part in parts]
    errors = [error for _, error in results if error]
    return ok + sum(part for part, _ in results), next(iter(errors), None)


def sequence(target, options, service, count, stream):
    # Channels to one target share a connection unless they are told not to.
    options = options | {"grpc.use_local_subchannel_pool": 1}
    source = random.Random(SEED + stream)
    with grpc.insecure_channel(target, options=list(options.items())) as channel:
        methods = Service(channel, service)
        for turn in range(count):
            try:
                methods.call(turn, random_metadata(source))
            except grpc.RpcError as error:
                return turn, f"{error.code().name}: {error.details()}"
            except WrongAnswer as error:
                return turn, str(error)
    return count, None


def random_metadata(source):
    """Enough, and different enough, to make the peers' header tables overflow again and again."""
    return [
        (f"x-interop-{source.randrange(50)}", "".join(source.choices(LETTERS, k=source.randint(1, MAX_FIELD_BYTES))))
        for _ in range(source.randint(0, MAX_FIELDS))
    ]


def message(name):
    return google.protobuf.message_factory.GetMessageClass(POOL.FindMessageTypeByName(name))


def descriptor_pool():
    files = google.protobuf.descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    pool = google.protobuf.descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


POOL = descriptor_pool()


def identity(name, is_right):
    return f"/csi.v1.Identity/{name}", message(f"csi.v1.{name}Request"), f"csi.v1.{name}Response", is_right


def registration(name, request, response, is_right):
    return f"/pluginregistration.Registration/{name}", request, f"pluginregistration.{response}", is_right


def registered():
    return message("pluginregistration.RegistrationStatus")(plugin_registered=True)


# What is called in turn, by the names in the file ways: the path of each method, its request and response and what is right.
SERVICES = {
    "identity": [
        identity("GetPluginInfo", is_plugin_info),
        identity("GetPluginCapabilities", is_controller_alone),
        identity("Probe", is_ready),
    ],
    "registration": [
        registration("GetInfo", message("pluginregistration.InfoRequest"), "PluginInfo", is_driver),
        registration("NotifyRegistrationStatus", registered, "RegistrationStatusResponse", lambda _: True),
    ],
}


def oversized():
    """A request whose only flaw is its size: the field is one that no server knows."""
    return message("csi.v1.ProbeRequest").FromString(b"\x7a\x80\x80\xc0\x02" + bytes(5 * 1024 * 1024))


# The calls in ../errors/cases.
SINGLE = {
    "probe": ("/csi.v1.Identity/Probe", message("csi.v1.ProbeRequest"), "csi.v1.ProbeResponse"),
    "controller": (
        "/csi.v1.Controller/ControllerGetCapabilities",
        message("csi.v1.ControllerGetCapabilitiesRequest"),
        "csi.v1.ControllerGetCapabilitiesResponse",
    ),
    "oversized": ("/csi.v1.Identity/Probe", oversized, "csi.v1.ProbeResponse"),
}


def show(target, options, call):
    """One call: what its caller sees, as code and message."""
    path, request, response = SINGLE[call]
    with grpc.insecure_channel(target, options=list(options.items())) as channel:
        try:
            answer = method_stub(channel, path, response)(request(), timeout=CALL_TIMEOUT_SECONDS)
        except grpc.RpcError as error:
            return error.code().name, error.details()
    if not answer.HasField("ready"):
        return "OK", "ready unset"
    return "OK", f"ready={str(answer.ready.value).lower()}"


def main():
    action, *rest = sys.argv[1:]
    known = {"call": SERVICES, "show": SINGLE}.get(action, {})
    if len(rest) != 3 or rest[0] not in WAYS or rest[1] not in known:
        sys.exit(f"usage: {sys.argv[0]} <call | show> <{' | '.join(WAYS)}> <service or call> <path of the socket>")
    way, what, path = rest
    result = {"client": "grpcio", "version": grpc.__version__, "way": way}
    if action == "call":
        calls_ok, first_error = load(*WAYS[way](path), what)
        result |= {"service": what, "calls_ok": calls_ok, "first_error": first_error}
    else:
        code, text = show(*WAYS[way](path), what)
        result |= {"code": code, "message": text}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
