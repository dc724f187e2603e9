"""web_screen.py PORT PASSWORD PICTURE: opens the page of croton-studio-web as a browser does, and writes its screen as a PNG.

The page, its scripts, a WebSocket, and RFB (the protocol of VNC) through it with the password; then one whole picture of the screen.
"""
import base64
import hashlib
import os
import socket
import struct
import subprocess
import sys
import urllib.request
import zlib


class WebSocket:
    """The bytes of a binary WebSocket, as a stream."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(("GET /websockify HTTP/1.1\r\nHost: localhost:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: binary\r\n\r\n" % (port, key)).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._take(1)
        proof = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert head.startswith(b"HTTP/1.1 101") and proof in head, "the server opens no WebSocket: %r" % head
        self._read = b""

    def _take(self, count):
        out = b""
        while len(out) < count:
            part = self._socket.recv(count - len(out))
            if not part:
                raise EOFError("the server closed the connection")
            out += part
        return out

    def read(self, count):
        while len(self._read) < count:
            kind, size = struct.unpack(">BB", self._take(2))
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            data = self._take(size)
            assert kind & 15 in (0, 2), "the server sends a frame of kind %d: %r" % (kind & 15, data[:80])
            self._read += data
        out, self._read = self._read[:count], self._read[count:]
        return out

    def write(self, data):
        assert len(data) < 126
        mask = os.urandom(4)
        self._socket.sendall(struct.pack(">BB", 0x82, 0x80 | len(data)) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))


def answer_of(challenge, password):
    """The challenge encrypted by DES with the password, each byte of which VNC reads backwards."""
    key = bytes(int("{:08b}".format(b)[::-1], 2) for b in password.encode()[:8].ljust(8, b"\0"))
    return subprocess.run(["openssl", "enc", "-des-ecb", "-provider", "legacy", "-provider", "default", "-nosalt", "-nopad", "-K", key.hex()],
                          input=challenge, stdout=subprocess.PIPE, check=True).stdout


def log_in(stream, password):
    """True when the server takes the password."""
    version = stream.read(12)
    assert version.startswith(b"RFB 003.008"), "not RFB 3.8: %r" % version
    stream.write(version)
    kinds = stream.read(stream.read(1)[0])
    assert kinds == b"\2", "the server offers more than a password: %r" % kinds
    stream.write(b"\2")
    stream.write(answer_of(stream.read(16), password))
    return struct.unpack(">I", stream.read(4))[0] == 0


def screen(stream):
    """Name, width, height and rows of RGB."""
    stream.write(b"\1")
    width, height = struct.unpack(">HH", stream.read(4))
    stream.read(16)
    name = stream.read(struct.unpack(">I", stream.read(4))[0]).decode()
    stream.write(struct.pack(">BxxxBBBBHHHBBBxxx", 0, 32, 24, 1, 1, 255, 255, 255, 24, 16, 8))  # four bytes: R, G, B, nothing
    stream.write(struct.pack(">BxHi", 2, 1, 0))  # raw
    stream.write(struct.pack(">BBHHHH", 3, 0, 0, 0, width, height))
    rows = [bytearray(width * 3) for _ in range(height)]
    left = width * height
    while left > 0:
        kind = stream.read(1)[0]
        assert kind == 0, "the server sends message %d in place of a picture" % kind
        stream.read(1)
        for _ in range(struct.unpack(">H", stream.read(2))[0]):
            x, y, w, h, coding = struct.unpack(">HHHHi", stream.read(12))
            assert coding == 0
            for row in range(y, y + h):
                line = stream.read(w * 4)
                for channel in range(3):
                    rows[row][x * 3 + channel:(x + w) * 3:3] = line[channel::4]
            left -= w * h
    return name, width, height, rows


def write_png(path, width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def main():
    port, password, picture = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    for page, wanted in (("", "vnc.html#autoconnect=1"), ("vnc.html", "noVNC"), ("app/ui.js", "import")):
        with urllib.request.urlopen("http://localhost:%d/%s" % (port, page), timeout=60) as answer:
            assert wanted in answer.read().decode(), "the page /%s has no %r" % (page, wanted)
    assert not log_in(WebSocket(port), "wrong"), "a wrong password is taken"
    stream = WebSocket(port)
    assert log_in(stream, password), "the password is refused"
    name, width, height, rows = screen(stream)
    write_png(picture, width, height, rows)
    print(name, "%dx%d" % (width, height), len({bytes(row[i:i + 3]) for row in rows for i in range(0, width * 3, 3)}), "colours")


main()
