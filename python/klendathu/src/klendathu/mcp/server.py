"""MCP over streamable HTTP with the standard library, on 127.0.0.1."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ..inspect import console
from .target import Target
from .tools import ToolFailed, Tools

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MAX_BODY = 4_000_000
_PARSE, _REQUEST, _METHOD, _PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603
_LOCAL = ("127.0.0.1", "localhost")


class DebugServer:
    """Started by the constructor. `url` and `token` are for the CLI. `close` never raises."""

    def __init__(self, target: Target, tools: Tools) -> None:
        self.token = secrets.token_urlsafe(32)
        self._target = target
        handler = type("Handler", (_Handler,), {"tools": tools, "token": self.token})
        self._http = _Http(("127.0.0.1", 0), handler)
        self.port: int = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        console.subscribe(target.console)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True, name="klendathu-mcp")
        self._thread.start()
        self._closed = False

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        console.unsubscribe(self._target.console)
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that disconnects is not the business of the program.
        pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120
    tools: Tools
    token: str

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def version_string(self) -> str:
        return "klendathu"

    def do_POST(self) -> None:
        length = self._check()
        if length is None:
            return
        try:
            message = json.loads(self.rfile.read(length))
        except (ValueError, RecursionError):
            self._send(400, _failure(None, _PARSE, "the body is not JSON"))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._send(400, _failure(None, _REQUEST, "one JSON-RPC 2.0 message is expected"))
        elif "id" not in message or "method" not in message:
            # A notification, or an answer to nothing.
            self._send(202, None)
        else:
            self._send(200, self._answer(message))

    def do_GET(self) -> None:
        # There are no messages from the server to the client, so no stream for them.
        if self._check(body=False) is not None:
            self._send(405, None)

    def do_DELETE(self) -> None:
        if self._check(body=False) is not None:
            self._send(405, None)

    do_PUT = do_PATCH = do_OPTIONS = do_HEAD = do_GET

    def _check(self, *, body: bool = True) -> int | None:
        """The length of the body; None after an answer that refuses the request."""
        host = urlsplit(f"//{self.headers.get('Host', '')}")
        origin = self.headers.get("Origin")
        given = self.headers.get("Authorization", "")
        expected = f"Bearer {self.token}"
        refused: int | None = None
        if host.hostname not in _LOCAL or (origin is not None and urlsplit(origin).hostname not in _LOCAL):
            refused = 403
        elif not hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()):
            refused = 401
        elif self.path.split("?")[0] != "/mcp":
            refused = 404
        length = self.headers.get("Content-Length", "0" if not body else "")
        if refused is None and not length.isdigit():
            refused = 411
        elif refused is None and int(length) > MAX_BODY:
            refused = 413
        if refused is None:
            return int(length)
        self.close_connection = True
        self._send(refused, None)
        return None

    def _send(self, status: int, message: dict[str, Any] | None) -> None:
        data = b"" if message is None else json.dumps(message).encode("utf-8", "replace")
        self.send_response(status)
        if message is not None:
            self.send_header("Content-Type", "application/json")
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        if status == 405:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        params = message.get("params") or {}
        method = message["method"]
        identifier = message["id"]
        if not isinstance(params, dict):
            return _failure(identifier, _PARAMS, "`params` is not an object")
        if method == "initialize":
            asked = params.get("protocolVersion")
            result: dict[str, Any] = {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "klendathu-python", "version": "0.1.0"},
            }
        elif method == "ping":
            result = {}
        elif method == "tools/list":
            result = {"tools": self.tools.listed}
        elif method == "tools/call":
            return self._call(identifier, params)
        else:
            return _failure(identifier, _METHOD, f"unknown method {str(method)[:100]}")
        return {"jsonrpc": "2.0", "id": identifier, "result": result}

    def _call(self, identifier: Any, params: dict[str, Any]) -> dict[str, Any]:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return _failure(identifier, _PARAMS, "`name` and `arguments` are expected")
        try:
            output = self.tools.call(name, arguments)
            text = json.dumps(output, ensure_ascii=False)
            result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "structuredContent": output}
        except KeyError:
            return _failure(identifier, _PARAMS, f"unknown tool {name[:100]}")
        except ToolFailed as error:
            result = {"content": [{"type": "text", "text": str(error)}], "isError": True}
        except Exception as error:  # A bug here must reach the agent, not end the connection.
            return _failure(identifier, _INTERNAL, type(error).__name__)
        return {"jsonrpc": "2.0", "id": identifier, "result": result}


def _failure(identifier: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": text}}
