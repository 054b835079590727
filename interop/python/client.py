"""A client of grpcio that dials a Unix socket in one of the ways in use, calls the Identity service often, and prints how
that went as one line of JSON. What it calls and prints is described in ../README.md.

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


class Identity:
    """The calls of `csi.v1.Identity`, made in turn."""

    def __init__(self, channel):
        self.methods = [
            self.method(channel, "GetPluginInfo", is_plugin_info),
            self.method(channel, "GetPluginCapabilities", is_controller_alone),
            self.method(channel, "Probe", is_ready),
        ]

    @staticmethod
    def method(channel, name, is_right):
        request, response = message(f"csi.v1.{name}Request"), message(f"csi.v1.{name}Response")
        stub = channel.unary_unary(
            f"/csi.v1.Identity/{name}",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )

        def call(metadata):
            answer = stub(request(), metadata=metadata, timeout=CALL_TIMEOUT_SECONDS)
            if not is_right(answer):
                raise WrongAnswer(f"{name}: wrong answer {answer!r}")

        return call

    def call(self, turn, metadata):
        self.methods[turn % len(self.methods)](metadata)


def is_plugin_info(answer):
    return answer.name == "disk.example.org" and answer.vendor_version == "1.2.3"


def is_controller_alone(answer):
    return [capability.service.type for capability in answer.capabilities] == [1]


def is_ready(answer):
    return answer.ready.value


def load(target, options):
    """Calls on one connection, then on several at once: how many were answered right, and what the first failure was."""
    ok, error = sequence(target, options, CALLS_ON_ONE_CONNECTION, 0)
    if error:
        return ok, error
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS_AT_ONCE) as pool:
        parts = [
            pool.submit(sequence, target, options, CALLS_ON_EACH_CONNECTION, stream)
            for stream in range(1, CONNECTIONS_AT_ONCE + 1)
        ]
    results = [part.result() for part in parts]
    errors = [error for _, error in results if error]
    return ok + sum(part for part, _ in results), next(iter(errors), None)


def sequence(target, options, count, stream):
    # Channels to one target share a connection unless they are told not to.
    options = options | {"grpc.use_local_subchannel_pool": 1}
    source = random.Random(SEED + stream)
    with grpc.insecure_channel(target, options=list(options.items())) as channel:
        identity = Identity(channel)
        for turn in range(count):
            try:
                identity.call(turn, random_metadata(source))
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


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in WAYS or sys.argv[2] != "identity":
        sys.exit(f"usage: {sys.argv[0]} <{' | '.join(WAYS)}> identity <path of the socket>")
    way, service, path = sys.argv[1:]
    calls_ok, first_error = load(*WAYS[way](path))
    result = {
        "client": "grpcio",
        "version": grpc.__version__,
        "way": way,
        "service": service,
        "calls_ok": calls_ok,
        "first_error": first_error,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
