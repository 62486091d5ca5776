"""A server in this process to fetch files from."""

import http.server
import threading

import pytest


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `server.files`; notes the ranges asked for; breaks off where the server says so."""

    def do_GET(self):
        content = self.server.files.get(self.path)
        asked = self.headers.get("Range")
        self.server.requests.append((self.path, asked))
        if content is None:
            self.send_error(404)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if start >= len(content):
            self.send_error(416)
            return
        if not self.server.ranges:
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.breaks_at])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.requests, server.ranges, server.breaks_at = {}, [], True, None
        server.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
