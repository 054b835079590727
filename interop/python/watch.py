"""Asks a plugin all the time whether it is ready, and prints a line that says what this is, then one whenever the answer
is another. Ends when nobody reads any more.
"""

import signal
import sys
import time

import grpc

from client import message

PAUSE_SECONDS = 0.005
CALL_TIMEOUT_SECONDS = 5


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} <path of the socket>")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print(f"grpcio {grpc.__version__}", flush=True)
    request, response = message("csi.v1.ProbeRequest"), message("csi.v1.ProbeResponse")
    last = None
    # With default options, and so with the socket's path as authority.
    with grpc.insecure_channel("unix://" + sys.argv[1]) as channel:
        probe = channel.unary_unary(
            "/csi.v1.Identity/Probe",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )
        while True:
            try:
                answer = "ready=true" if probe(request(), timeout=CALL_TIMEOUT_SECONDS).ready.value else "ready=false"
            except grpc.RpcError as error:
                answer = f"{error.code().name}: {error.details()}"
            if answer != last:
                print(answer, flush=True)
                last = answer
            time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
