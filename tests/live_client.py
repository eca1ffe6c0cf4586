"""A client of the live protocol by the standard library alone: HTTP, WebSocket, frames."""
import base64
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time


class Closed(Exception):
    """The server has ended the connection."""


class Server:
    """A `trammel view` that runs until it is left."""

    def __init__(self, program, model, *options, **process):
        self.process = subprocess.Popen([program, "view", model, "--no-browser", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **process)
        line = self.process.stdout.readline()
        match = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", line.strip())
        if not match:
            raise AssertionError(f"no address: {line!r} {self.process.stderr.read()}")
        self.port, self.token = int(match[1]), match[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self):
        """Ctrl-C: it must end by itself, with status 0."""
        self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, (self.process.returncode, out, errors)
        return out

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.getheaders(), response.read()

    def connect(self, **options):
        return Client(self.port, options.pop("token", self.token), **options)

    def memory(self):
        """Resident set in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status


class Client:
    def __init__(self, port, token, origin=None, host=None, path="/live"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.buffer = b""
        self.events, self.frames, self.replies = [], [], {}
        self.number = 0
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path}?token={token} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        status = int(head.split()[1])
        if status != 101:
            raise Refused(status, self.buffer)

    def more(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError as error:
            raise Closed from error
        if not data:
            raise Closed
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send_raw(self, payload, opcode=1, final=True):
        head = bytes([(0x80 if final else 0) | opcode])
        size = len(payload)
        head += bytes([0x80 | size]) if size < 126 else (
            struct.pack(">BH", 0xFE, size) if size < 65536 else struct.pack(">BQ", 0xFF, size))
        mask = os.urandom(4)
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")).to_bytes(
            size, "big")
        try:
            self.socket.sendall(head + mask + masked)
        except ConnectionError as error:
            raise Closed from error

    def read_one(self):
        """One message into its list."""
        first, second = self.take(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.take(8))[0]
        payload = self.take(size)
        opcode = first & 15
        if opcode == 8:
            raise Closed
        if opcode == 9:
            self.send_raw(payload, 10)
        elif opcode == 2 and payload[:4] == b"TRMH":
            block = Rows(payload)
            self.replies[block.id] = block
        elif opcode == 2:
            self.frames.append(Frame(payload))
            del self.frames[:-200]
        elif opcode == 1:
            message = json.loads(payload)
            if "event" in message:
                self.events.append(message)
                del self.events[:-2000]
            else:
                self.replies[message["reply"]] = message

    def post(self, do, **fields):
        self.number += 1
        self.send_raw(json.dumps({"id": self.number, "do": do, **fields}).encode())
        return self.number

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while True:
            found = condition()
            if found:
                return found
            assert time.monotonic() < end, "nothing came"
            self.read_one()

    def ask(self, do, **fields):
        number = self.post(do, **fields)
        self.wait_for(lambda: number in self.replies)
        return self.replies.pop(number)

    def do(self, do, **fields):
        reply = self.ask(do, **fields)
        assert reply["ok"], reply
        return reply

    def event(self, kind, **fields):
        def found():
            return next((e for e in reversed(self.events)
                         if e["event"] == kind and all(e.get(k) == v for k, v in fields.items())), None)
        return self.wait_for(found)

    def frame(self):
        """A frame that comes after now."""
        self.frames.clear()
        return self.wait_for(lambda: self.frames and self.frames[-1])

    def close(self):
        self.socket.close()


class Rows:
    """The answer to `history`: a row for every step that was asked for."""

    def __init__(self, data):
        (_, self.id, self.branch, rows, columns, bodies, self.every, self.first,
         self.last) = struct.unpack_from("<IIIIIIQQQ", data)
        self.t = struct.unpack_from(f"<{rows}d", data, 48)
        at = 48 + 8 * rows
        self.values = [struct.unpack_from(f"<{columns}d", data, at + 8 * columns * r) for r in range(rows)]
        at += 8 * rows * columns
        self.poses = [struct.unpack_from(f"<{7 * bodies}f", data, at + 28 * bodies * r) for r in range(rows)]
        assert len(data) == at + 28 * bodies * rows


class Frame:
    def __init__(self, data):
        (self.magic, self.revision, self.t, self.step, self.realtime, flags, pulls, signals, bodies,
         _) = struct.unpack_from("<IIdQfBBHII", data)
        assert self.magic == 0x4C4D5254
        self.paused, self.marked, self.failed = bool(flags & 1), bool(flags & 2), bool(flags & 4)
        self.values = struct.unpack_from(f"<{signals}d", data, 40)
        at = 40 + 8 * signals
        self.poses = [struct.unpack_from("<7f", data, at + 28 * b) for b in range(bodies)]
        at += 28 * bodies
        self.pulls = [struct.unpack_from("<8f", data, at + 32 * p) for p in range(pulls)]
        assert len(data) == at + 32 * pulls
