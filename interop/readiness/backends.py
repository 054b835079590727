"""What a plugin can depend on, here: things that can be brought up and taken down. All begin as down."""

import http.server
import pathlib
import socket
import socketserver
import threading


class File:
    name = "path"

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.target = {"path": str(path)}

    def up(self):
        self.path.touch()

    def down(self):
        self.path.unlink()


class Listener:
    """Something that listens on a port of the loopback; down means that connections are refused."""

    def __init__(self):
        # Bound, but never listening, so that the port stays ours while the backend is down.
        self.holder = socket.socket()
        self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.holder.bind(("127.0.0.1", 0))
        self.address = self.holder.getsockname()

    def up(self):
        self.server = Server(self.address, self.Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def down(self):
        self.server.shutdown()
        self.server.server_close()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class TcpListener(Listener):
    name = "tcp"
    Handler = socketserver.BaseRequestHandler

    def __init__(self):
        super().__init__()
        self.target = {"tcp": "{}:{}".format(*self.address)}


class HttpServer(Listener):
    name = "http"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__()
        self.target = {"http": {"url": "http://{}:{}/".format(*self.address)}}
