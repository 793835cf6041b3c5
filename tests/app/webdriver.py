# SPDX-License-Identifier: MIT
"""A browser for tests: chromedriver's plain HTTP interface, nothing but the standard library."""
import base64
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 90  # s; machines that run tests are busy


class Browser:
    """with Browser() as b: b.go(url); b.until('return 1 + 1', 2)"""

    def __init__(self, size=(1440, 900)):
        # The port is the kernel's choice and is read from what the driver says.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        found = None
        while not found:
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError("chromedriver does not start")
            found = re.search(r"started successfully on port (\d+)", line)
        self.base = f"http://127.0.0.1:{found.group(1)}/session"
        self.profile = tempfile.TemporaryDirectory(prefix="interfield-browser-", ignore_cleanup_errors=True)
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--no-proxy-server", "--hide-scrollbars", f"--user-data-dir={self.profile.name}",
                 f"--window-size={size[0]},{size[1]}"]
        options = {"args": flags}
        if os.path.exists("/usr/bin/chromium"):
            options["binary"] = "/usr/bin/chromium"
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            self.session = self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self.driver.terminate()
            self.driver.wait()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", f"/{self.session}")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.profile.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def go(self, url):
        self.call("POST", f"/{self.session}/url", {"url": url})

    def run(self, script):
        return self.call("POST", f"/{self.session}/execute/sync", {"script": script, "args": []})

    def until(self, script, wanted):
        """Waits for a script to return a value, or one that a function accepts.

        A page that has not drawn a number yet gives NaN, which arrives here as None: not there yet."""
        accepts = wanted if callable(wanted) else (lambda value: value == wanted)

        def good(value):
            return value is not None and accepts(value)

        end = time.monotonic() + PATIENCE
        while True:
            value = self.run(script)
            if good(value):
                return value
            if time.monotonic() > end:
                raise AssertionError(f"{script!r} stayed {value!r}")
            time.sleep(0.1)

    def press(self, key):
        """A key, pressed and let go, wherever the focus is."""
        actions = [{"type": what, "value": key} for what in ("keyDown", "keyUp")]
        keys = {"type": "key", "id": "keys", "actions": actions}
        self.call("POST", f"/{self.session}/actions", {"actions": [keys]})

    def click(self, css):
        found = self.call("POST", f"/{self.session}/element", {"using": "css selector", "value": css})
        self.call("POST", f"/{self.session}/element/{list(found.values())[0]}/click", {})

    def log(self):
        """What the page complained about since the last time."""
        rows = self.call("POST", f"/{self.session}/se/log", {"type": "browser"})
        return [row for row in rows if row["level"] == "SEVERE"]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", f"/{self.session}/screenshot")))
