import http.client
import json
import socket

import pytest

from klendathu.mcp.server import MAX_BODY, DebugServer
from klendathu.mcp.target import Target
from klendathu.mcp.tools import Tools


@pytest.fixture
def server():
    target = Target(None, {"value": 7}, {})
    found = DebugServer(target, Tools(target))
    yield found
    found.close()


def send(server, body, *, method="POST", path="/mcp", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    given = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json", **headers}
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    connection.request(method, path, data, {k: v for k, v in given.items() if v is not None})
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, json.loads(text) if text else None


def call(server, method, params=None):
    return send(server, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})[1]


def test_protocol(server):
    assert call(server, "initialize", {"protocolVersion": "2025-11-25"})["result"]["protocolVersion"] == "2025-11-25"
    assert call(server, "initialize", {"protocolVersion": "2099-01-01"})["result"]["protocolVersion"] == "2025-11-25"
    assert call(server, "ping")["result"] == {}
    names = [tool["name"] for tool in call(server, "tools/list")["result"]["tools"]]
    assert names == ["eval", "frames", "locals", "source", "console", "report"]
    assert send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, None)
    assert call(server, "nothing")["error"]["code"] == -32601
    assert call(server, "tools/call", {"name": "nothing", "arguments": {}})["error"]["code"] == -32602
    result = call(server, "tools/call", {"name": "eval", "arguments": {"code": "value + 1"}})["result"]
    assert result["structuredContent"]["result"] == "8"
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_failures_are_results(server):
    for arguments in ({"code": "1/0"}, {"code": 5}, {"code": "1", "frame": 99}, {}, {"code": "("}, {"code": "x\0y"}):
        assert call(server, "tools/call", {"name": "eval", "arguments": arguments})["result"]["isError"] is True
    for name, arguments in (("locals", {"frame": 500}), ("source", {"file": "/etc/passwd", "line": 1})):
        assert call(server, "tools/call", {"name": name, "arguments": arguments})["result"]["isError"] is True


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (401, {"Authorization": None}),
        (401, {"Authorization": "Bearer x"}),
        (401, {"Authorization": "Bearer é".encode().decode("latin-1")}),
        (403, {"Host": "example.com"}),
        (403, {"Origin": "https://example.com"}),
        (403, {"Origin": "null"}),
    ],
)
def test_strangers_are_refused(server, status, headers):
    assert send(server, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **headers)[0] == status


def test_bad_requests(server):
    assert send(server, "{")[0] == 400
    assert send(server, "[" * 100_000)[0] == 400
    assert send(server, [])[0] == 400
    assert send(server, {"id": 1})[0] == 400
    assert send(server, {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})[0] == 200
    assert send(server, "", method="GET")[0] == 405
    assert send(server, "", method="DELETE")[0] == 405
    assert send(server, {}, path="/other")[0] == 404
    assert send(server, "x", **{"Content-Length": str(MAX_BODY + 1)})[0] == 413
    assert call(server, "ping")["result"] == {}


def test_half_a_request_does_not_block(server):
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
        assert call(server, "ping")["result"] == {}


def test_close_is_final():
    target = Target(None, {}, {})
    server = DebugServer(target, Tools(target))
    server.close()
    server.close()
    with pytest.raises(OSError):
        send(server, {})
