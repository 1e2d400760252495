#!/usr/bin/env python3
"""The scripted API server of the tests and the demo.  Python standard library only.

    server.py [--port N] [--port-file FILE] [--collection NAME=FILE[#MEMBER][:KEY]]... [--cert FILE [--client-ca FILE]]

It listens on 127.0.0.1, on port N or one that the system chooses, writes the
port to FILE, and ends with the process that started it.  With --cert
(certificate and key in PEM) it speaks https, with --client-ca only to those
who have a certificate of that issuer.

A *collection* is a list of records.  Collection NAME is served in every page
kind, always the same records in the same order:

    /NAME            {"data": [...], "next_cursor": token or null, "has_more": flag}   ?cursor=&limit=
    /NAME/header     [...] and the header X-Next-Cursor                               ?cursor=&limit=
    /NAME/post       as /NAME, asked by POST {"cursor": token, "limit": n}
    /NAME/keyset     {"data": [...], "has_more": flag}                                ?starting_after=KEY&limit=
    /NAME/offset     {"data": [...], "total": n}                                      ?offset=&limit=
    /NAME/page       {"data": [...], "page": n}                                       ?page=&per_page=
    /NAME/link       [...] and a Link header                                          ?page=&per_page=
    /NAME/next_url   {"data": [...], "links": {"next": URL or null}}                  ?start=&limit=

POST /NAME appends a record or an array of records.

A collection can have a *filter*, for all page kinds: {"column": "at", "since": "since", "until": "until", "inclusive": flag,
"order": "asc" or "desc"} keeps the records whose column is after what the parameter ?since= says (or at it), and before
?until=, and sorts by the column.  Numbers are compared as numbers, all else as text.

A *rule* says how requests to one path (or to one path?query, which wins) are
answered.  See Rule and Step below; README.md in the folder above has examples.

    POST   /_rule        {"path": …, "script": [step…], "repeat": flag, "at": {"k": step}, "always": step}
    POST   /_collection  {"name": …, "key": …, "records": [...], "filter": {...}}, or one of "append": [...], "put": [...]
                         (replaces records of the same key), "remove": [key...] for a collection that is there
    POST   /_release     {"path": …} or {}: let held answers go
    POST   /_clear       forget rules, log and changes; let held answers go
    GET    /_log         the requests seen, one a line   ?headers=a,b  ?path=/x  ?take (and forget them)
    DELETE /_rule        forget the rules; let held answers go
    DELETE /_log         forget the requests seen
    GET    /_wait        wait until ?path= has been asked ?count= times (?timeout= seconds, else 504)
"""
import argparse
import base64
import gzip
import http.server
import json
import os
import select
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

DEFAULT_LIMIT = 100


def to_json(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Collection:
    """Records in the order in which they came to be."""

    def __init__(self, name, records, key, filter=None):
        self.name = name
        self.initial = records
        self.key = key
        self.filter = filter
        self.records = list(records)

    def change(self, append=(), put=(), remove=()):
        gone = list(remove) + [record[self.key] for record in put]
        self.records = [r for r in self.records if r[self.key] not in gone] + list(append) + list(put)

    def asked(self, query):
        """The collection as a request with this query sees it."""
        rule = self.filter
        if rule is None:
            return self
        since, until = query.get(rule.get("since")), query.get(rule.get("until"))
        records = [r for r in self.records if passes(r.get(rule["column"]), since, until, rule.get("inclusive"))]
        if "order" in rule:
            known = [r for r in records if r.get(rule["column"]) is not None]
            known.sort(key=lambda r: r[rule["column"]], reverse=rule["order"] == "desc")
            records = known + [r for r in records if r.get(rule["column"]) is None]
        return Collection(self.name, records, self.key)

    def page(self, start, limit):
        return self.records[start:start + limit], start + limit < len(self.records)

    def after(self, key):
        """The index behind the record whose key is given as text; 0 without one."""
        if key is None:
            return 0
        for index, record in enumerate(self.records):
            if str(record[self.key]) == key:
                return index + 1
        return len(self.records)


def passes(value, since, until, inclusive):
    """Does a record pass a filter?  One without a value does."""
    if value is None:
        return True
    kind = type(value)
    if since is not None and not (value >= kind(since) if inclusive else value > kind(since)):
        return False
    return until is None or value < kind(until)


def to_token(start):
    return base64.b64encode(b"start:%d" % start).decode()


def from_token(token):
    return int(base64.b64decode(token).split(b":")[1]) if token else 0


def with_query(request, **changes):
    """The request's own URL with other query parameters."""
    query = {**request.query, **{name: str(value) for name, value in changes.items()}}
    return f"http://{request.host}{request.path}?{urllib.parse.urlencode(query)}"


def number(request, name, default):
    return int(request.query.get(name, default))


def cursor_page(collection, token, limit):
    start = from_token(token)
    records, more = collection.page(start, limit)
    return records, to_token(start + limit) if more else None


def page_cursor(collection, request):
    records, token = cursor_page(collection, request.query.get("cursor"), number(request, "limit", DEFAULT_LIMIT))
    return {}, {"data": records, "next_cursor": token, "has_more": token is not None}


def page_header(collection, request):
    records, token = cursor_page(collection, request.query.get("cursor"), number(request, "limit", DEFAULT_LIMIT))
    return {"X-Next-Cursor": token} if token else {}, records


def page_post(collection, request):
    asked = json.loads(request.body or b"{}")
    records, token = cursor_page(collection, asked.get("cursor"), asked.get("limit", DEFAULT_LIMIT))
    return {}, {"data": records, "next_cursor": token, "has_more": token is not None}


def page_keyset(collection, request):
    start = collection.after(request.query.get("starting_after"))
    records, more = collection.page(start, number(request, "limit", DEFAULT_LIMIT))
    return {}, {"data": records, "has_more": more}


def page_offset(collection, request):
    records, _ = collection.page(number(request, "offset", 0), number(request, "limit", DEFAULT_LIMIT))
    return {}, {"data": records, "total": len(collection.records)}


def numbered_page(collection, request):
    page, size = number(request, "page", 1), number(request, "per_page", DEFAULT_LIMIT)
    records, more = collection.page((page - 1) * size, size)
    return page, records, more


def page_page(collection, request):
    page, records, _ = numbered_page(collection, request)
    return {}, {"data": records, "page": page}


def page_link(collection, request):
    page, records, more = numbered_page(collection, request)
    links = [f'<{with_query(request, page=1)}>; rel="first"']
    if more:
        links.append(f'<{with_query(request, page=page + 1)}>; rel="next"')
    return {"Link": ", ".join(links)}, records


def page_next_url(collection, request):
    start, limit = number(request, "start", 0), number(request, "limit", DEFAULT_LIMIT)
    records, more = collection.page(start, limit)
    url = with_query(request, start=start + limit) if more else None
    return {}, {"data": records, "links": {"next": url}}


PAGE_KINDS = {
    "": page_cursor, "header": page_header, "post": page_post, "keyset": page_keyset,
    "offset": page_offset, "page": page_page, "link": page_link, "next_url": page_next_url,
}


class Rule:
    """How requests to one path are answered.

    Request k (from 1) gets step k of the script; after the last one the
    script's last step if repeat is set, else what is there without a rule:
    the collection's page or 404.  at[k] and always are laid over that step.
    """

    def __init__(self, spec):
        self.script = spec.get("script", [])
        self.repeat = spec.get("repeat", False)
        self.at = spec.get("at", {})
        self.always = spec.get("always", {})
        self.asked = 0
        self.released = threading.Event()

    def next_step(self):
        self.asked += 1
        step = {}
        if self.asked <= len(self.script):
            step = self.script[self.asked - 1]
        elif self.repeat and self.script:
            step = self.script[-1]
        return {**step, **self.always, **self.at.get(str(self.asked), {})}


class Request:
    """One request as it arrived."""

    def __init__(self, handler, body):
        self.method = handler.command
        self.target = handler.path
        self.path, _, text = handler.path.partition("?")
        self.query = dict(urllib.parse.parse_qsl(text, keep_blank_values=True))
        self.headers = handler.headers
        self.host = handler.headers.get("Host", "")
        self.body = body
        self.connection = None

    def line(self, headers):
        parts = [self.method, self.target]
        for name in headers:
            value = self.connection if name == "conn" else self.headers.get(name)
            if value is not None:
                parts.append(f"{name}={value}")
        if self.body:
            parts.append("body=" + self.body.decode("utf-8", "backslashreplace").replace("\n", "\\n"))
        return " ".join(parts).replace(self.host, "HOST") if self.host else " ".join(parts)


class Api:
    """Everything the server knows.  Handlers run in threads; lock covers it all."""

    def __init__(self, collections):
        self.lock = threading.Condition()
        self.given = collections
        self.log = []
        self.connections = 0
        self.rules = {}
        self.collections = {}
        self.clear()

    def clear(self):
        with self.lock:
            self.clear_rules()
            self.log = []
            self.connections = 0
            self.collections = {c.name: Collection(c.name, c.initial, c.key, c.filter) for c in self.given}

    def clear_rules(self):
        with self.lock:
            self.release(None)
            self.rules = {}

    def set_collection(self, spec):
        with self.lock:
            if "records" in spec:
                self.collections[spec["name"]] = Collection(spec["name"], spec["records"], spec.get("key", "id"), spec.get("filter"))
            self.collections[spec["name"]].change(spec.get("append", []), spec.get("put", []), spec.get("remove", []))

    def set_rule(self, spec):
        with self.lock:
            self.release(spec["path"])
            self.rules[spec["path"]] = Rule(spec)

    def release(self, path):
        """Let held answers go; answers held later wait for the next release."""
        with self.lock:
            for where, rule in self.rules.items():
                if path in (None, where):
                    rule.released.set()
                    rule.released = threading.Event()

    def new_connection(self):
        """Connections are numbered by their first request; those that only control have no number."""
        with self.lock:
            self.connections += 1
            return self.connections

    def seen(self, request):
        with self.lock:
            self.log.append(request)
            self.lock.notify_all()

    def wait(self, path, count, timeout):
        with self.lock:
            return self.lock.wait_for(lambda: sum(r.path == path for r in self.log) >= count, timeout)

    def lines(self, path, headers):
        with self.lock:
            return [r.line(headers) for r in self.log if path in (None, r.path)]

    def take_lines(self, path, headers):
        with self.lock:
            lines = self.lines(path, headers)
            self.log = [r for r in self.log if path not in (None, r.path)]
            return lines

    def answer(self, request):
        """The step for a request, with "body" as bytes, and the event that releases it."""
        with self.lock:
            rule = self.rules.get(request.target) or self.rules.get(request.path)
            step = dict(rule.next_step()) if rule else {}
            self.fill(step, request)
            for name, records in step.get("append", {}).items():
                self.collections[name].records.extend(records)
            for name, records in step.get("replace", {}).items():
                self.collections[name].records = list(records)
            return step, rule.released if rule else None

    def fill(self, step, request):
        """Give a step its body and headers: its own, or the collection's."""
        headers = {}
        if "base64" in step:
            step["body"] = base64.b64decode(step["base64"])
        elif "json" in step:
            step["body"] = to_json(step["json"])
        elif "body" in step:
            step["body"] = step["body"].encode("utf-8", "surrogatepass")
        elif "status" in step:
            step["body"] = b""
        else:
            step["status"], headers, step["body"] = self.collection_answer(request)
        headers.setdefault("Content-Type", "application/json")
        step["headers"] = {**headers, **step.get("headers", {})}

    def collection_answer(self, request):
        name, _, kind = request.path[1:].partition("/")
        collection = self.collections.get(name)
        if collection is None or kind not in PAGE_KINDS:
            return 404, {}, to_json({"error": "not found"})
        if request.method == "POST" and kind != "post":
            records = json.loads(request.body)
            collection.records.extend(records if isinstance(records, list) else [records])
            return 201, {}, to_json({"total": len(collection.records)})
        headers, body = PAGE_KINDS[kind](collection.asked(request.query), request)
        return 200, headers, to_json(body)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one connection's requests.

    Members of a step, all optional:
      status, headers, and one of body (text), json, base64; without a body and
        a status the collection's page is the answer
      raw       text sent instead of a whole response, after which the connection is closed
      delay     milliseconds to wait first
      hold      true: wait for /_release first
      hold_after  so many bytes of the body, then wait for /_release
      cut       so many bytes of the body, then close the connection
      reset     the same with a TCP reset; true: before the status line
      drip      {"bytes": n, "ms": m}: so many bytes at a time, with a pause after each
      gzip      true: compress the body
      chunked   chunk size in bytes (true: all in one): Transfer-Encoding chunked
      length    value of Content-Length; null: none, the end is the connection's
      close     true: close the connection after the answer
      append, replace  {"collection": [records]}: change data once the answer is made
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api = None
    connection_number = None

    def log_message(self, format, *args):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self, body)
        try:
            if request.path.startswith("/_"):
                self.control(request)
            else:
                self.connection_number = self.connection_number or self.api.new_connection()
                request.connection = self.connection_number
                self.api.seen(request)
                self.play(*self.api.answer(request))
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

    # ---- control

    def control(self, request):
        spec = self.control_spec(request)
        status, text = 200, ""
        if request.path == "/_rule" and request.method == "DELETE":
            self.api.clear_rules()
        elif request.path == "/_rule":
            self.api.set_rule(spec)
        elif request.path == "/_collection":
            self.api.set_collection(spec)
        elif request.path == "/_release":
            self.api.release(spec.get("path"))
        elif request.path == "/_clear":
            self.api.clear()
        elif request.path == "/_wait":
            query = request.query
            if not self.api.wait(query["path"], int(query.get("count", 1)), float(query.get("timeout", 30))):
                status = 504
        elif request.path == "/_log" and request.method == "DELETE":
            self.api.take_lines(None, [])
        elif request.path == "/_log":
            names = [name for name in request.query.get("headers", "").split(",") if name]
            lines = self.api.take_lines if "take" in request.query else self.api.lines
            text = "".join(line + "\n" for line in lines(request.query.get("path"), names))
        else:
            status = 404
        self.send(status, {"Content-Type": "text/plain; charset=utf-8"}, text.encode())

    def control_spec(self, request):
        """The body of a control request; SQL sends it as hex, since COPY would escape it."""
        body = request.body.strip()
        if "hex" in request.query:
            body = bytes.fromhex(body.decode())
        return json.loads(body) if body else {}

    # ---- answers

    def play(self, step, released):
        if "delay" in step:
            time.sleep(step["delay"] / 1000)
        if step.get("hold"):
            self.hold(released)
        if step.get("reset") is True:
            self.reset()
        elif "raw" in step:
            self.connection.sendall(step["raw"].encode("utf-8", "surrogatepass"))
            self.close_connection = True
        else:
            self.send(step.get("status", 200), step["headers"], step["body"], step, released)

    def hold(self, released):
        """Wait for the release; give up when the client has gone."""
        while not released.wait(0.02):
            if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionResetError

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise ConnectionResetError

    def send(self, status, headers, body, step=None, released=None):
        step = step or {}
        headers = dict(headers)
        if step.get("gzip"):
            body = gzip.compress(body, mtime=0)
            headers["Content-Encoding"] = "gzip"
        if step.get("chunked"):
            body = self.in_chunks(body, step["chunked"])
            headers["Transfer-Encoding"] = "chunked"
        elif step.get("length", 0) is not None:
            headers.setdefault("Content-Length", step.get("length", len(body)))
        if step.get("close") or step.get("length", 0) is None:
            self.close_connection = True
        if self.close_connection:
            headers.setdefault("Connection", "close")
        self.deliver(self.head(status, headers), b"" if self.command == "HEAD" else body, step, released)

    def head(self, status, headers):
        lines = [f"HTTP/1.1 {status} {self.responses.get(status, ('Unknown',))[0]}"]
        if not any(name.lower() == "date" for name in headers):
            lines.append(f"Date: {self.date_time_string()}")
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                lines.append(f"{name}: {one}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")

    @staticmethod
    def in_chunks(body, size):
        size = len(body) if size is True else size
        parts = [body[i:i + size] for i in range(0, len(body), size)] if body else []
        return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"

    def deliver(self, head, body, step, released):
        first = len(body)
        for end in ("hold_after", "cut", "reset"):
            if end in step:
                first = step[end]
        if "drip" in step:
            self.connection.sendall(head)
            self.drip(body[:first], step["drip"])
        else:
            self.connection.sendall(head + body[:first])
        if "hold_after" in step:
            self.hold(released)
            self.connection.sendall(body[first:])
        elif "reset" in step:
            self.reset()
        elif "cut" in step:
            self.close_connection = True

    def drip(self, body, pace):
        for start in range(0, len(body), pace["bytes"]):
            self.connection.sendall(body[start:start + pace["bytes"]])
            time.sleep(pace["ms"] / 1000)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError, ValueError)):
            super().handle_error(request, client_address)


def load_collection(text):
    """NAME=FILE[#MEMBER][:KEY]"""
    name, _, rest = text.partition("=")
    rest, _, key = rest.partition(":")
    file, _, member = rest.partition("#")
    with open(file, encoding="utf-8") as source:
        records = json.load(source)
    return Collection(name, records[member] if member else records, key or "id")


def end_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


def use_tls(server, cert, client_ca):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert)
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_ca)
    # the handshake is left to the connection's own thread
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


def main():
    parser = argparse.ArgumentParser(description="scripted API server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file")
    parser.add_argument("--collection", action="append", default=[], type=load_collection)
    parser.add_argument("--cert")
    parser.add_argument("--client-ca")
    arguments = parser.parse_args()
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    Handler.api = Api(arguments.collection)
    server = Server(("127.0.0.1", arguments.port), Handler)
    if arguments.cert:
        use_tls(server, arguments.cert, arguments.client_ca)
    if arguments.port_file:
        with open(arguments.port_file + ".new", "w") as file:
            file.write(f"{server.server_address[1]}\n")
        os.replace(arguments.port_file + ".new", arguments.port_file)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
