# SPDX-License-Identifier: MIT
"""A test that serves its live page, and one who talks to it."""
import atexit
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time

PATIENCE = 120  # s; machines that run tests are busy


class Program:
    """interfield in the background, with the address it printed."""

    def __init__(self, *words):
        self.process = subprocess.Popen([os.environ["IFD_PROGRAM"], *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        atexit.register(self.process.kill)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            found = re.match(r"live +(http://127\.0\.0\.1:(\d+)/)#([0-9a-f]{32})$", line)
            if found:
                self.url, self.port, self.token = found.group(1), int(found.group(2)), found.group(3)
                return
        raise AssertionError("no address in: " + "".join(self.said))

    def wait(self):
        """The exit status, and all it said."""
        rest, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, "".join(self.said) + rest

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def ask(self, method, path, **headers):
        """The status, the headers and the text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()
        finally:
            connection.close()

    def order(self, name, **headers):
        return self.ask("POST", "/order/" + name, **headers)[0]

    def lead(self, name, **headers):
        """An order of the holder of control."""
        status, _, text = self.ask("POST", "/control", X_Interfield_Token=self.token, **headers)
        assert status == 200 and text.isdigit(), (status, text)
        return self.order(name, X_Interfield_Token=self.token, **headers)


class Listener:
    """One browser's stream of events, read line by line."""

    def __init__(self, program, buffer=None, path="/events"):
        self.program, self.path = program, path
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", program.port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.reply = http.client.HTTPResponse(self.socket)

    def begin(self):
        self.reply.begin()
        assert self.reply.status == 200, self.reply.status
        return self

    def events(self):
        """(name, object) for each event, until the stream ends or is cut off."""
        name = "message"
        try:
            for line in self.reply:
                if line.startswith(b"event: "):
                    name = line[7:].decode().strip()
                elif line.startswith(b"data: ") and line.endswith(b"\n"):
                    yield name, json.loads(line[6:])
                    name = "message"
        except (ConnectionError, http.client.HTTPException):
            pass

    def until(self, good):
        """The first frame that is good. Who was too slow for the server is sent away, and comes again as a browser would."""
        end = time.monotonic() + PATIENCE
        while True:
            for name, data in self.events():
                if name == "message" and good(data):
                    return data
                assert name != "end", f"the test ended: {data}"
                assert time.monotonic() < end, f"no such frame, the last was {data}"
            self.close()
            self.__init__(self.program, path=self.path)
            self.begin()

    def close(self):
        self.socket.close()
