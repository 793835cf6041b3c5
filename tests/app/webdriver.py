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

PATIENCE = 120  # s; machines that run tests are busy
ATTEMPTS = 3


class Broken(Exception):
    """The browser itself does not start, hangs or has died: nothing is known about the page."""


def drive(look):
    """look(browser), once more with another browser when that broke. What the page does wrong is said at once."""
    for left in reversed(range(ATTEMPTS)):
        try:
            with Browser() as browser:
                look(browser)
            return
        except Broken as error:
            if not left:
                raise
            print("the browser broke, another one is tried:", error, flush=True)


class Browser:
    """with Browser() as b: b.go(url); b.until('return 1 + 1', 2)"""

    def __init__(self, size=(1440, 900)):
        self.session = None
        self.profile = tempfile.TemporaryDirectory(prefix="interfield-browser-", ignore_cleanup_errors=True)
        self.journal = os.path.join(self.profile.name, "driver.log")
        # The port is the kernel's choice and is read from what the driver says.
        self.driver = subprocess.Popen(["chromedriver", "--port=0", f"--log-path={self.journal}"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.base = f"http://127.0.0.1:{self.port()}/session"
            self.session = self.call("POST", "", {"capabilities": {"alwaysMatch": self.wanted(size)}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return found.group(1)
        raise Broken("chromedriver does not start")

    def wanted(self, size):
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--no-proxy-server", "--hide-scrollbars", f"--user-data-dir={self.profile.name}/user",
                 f"--window-size={size[0]},{size[1]}"]
        options = {"args": flags}
        if os.path.exists("/usr/bin/chromium"):
            options["binary"] = "/usr/bin/chromium"
        patience = 1000 * PATIENCE
        return {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                "timeouts": {"script": patience, "pageLoad": patience, "implicit": 0}}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.tell()
        self.close()

    def tell(self):
        """What a log needs to say why something failed."""
        for what, script in (("the page shows", "return document.body.innerText.slice(0, 1500)"),
                             ("it is", "return location.href")):
            try:
                print(f"{what}: {self.run(script)}")
            except (OSError, RuntimeError, Broken) as error:
                print(f"{what}: unknown, {error}")
        try:
            with open(self.journal, encoding="utf-8", errors="replace") as file:
                print("".join(file.readlines()[-15:]), flush=True)
        except OSError:
            pass

    def close(self):
        try:
            if self.session:
                self.call("DELETE", f"/{self.session}")
        except (OSError, RuntimeError, Broken):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        self.profile.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            broken = ("session not created", "chrome not reachable", "tab crashed", "invalid session id", "disconnected",
                      "receiving message from renderer", "DevToolsActivePort")
            raise (Broken if any(words in text for words in broken) else RuntimeError)(text) from None
        except OSError as error:
            raise Broken(f"{method} {path}: {error}") from None

    def go(self, url):
        self.call("POST", f"/{self.session}/url", {"url": url})

    def run(self, script):
        return self.call("POST", f"/{self.session}/execute/sync", {"script": script, "args": []})

    def devtools(self, command, **parameters):
        """A command of the browser's own protocol: the size of the screen, the colour scheme that its user likes."""
        return self.call("POST", f"/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def draw_seldom(self, interval=100):
        """Pages opened from now on draw every 100 ms, not sixty times a second: a browser without a graphics card needs a core for that."""
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=f"""{{ const frame = window.requestAnimationFrame.bind(window);
            window.requestAnimationFrame = (draw) => setTimeout(() => frame(draw), {interval}) }}""")

    def wait_drawn(self):
        """Two frames later what a script or a new size of the screen changed has been drawn."""
        self.call("POST", f"/{self.session}/execute/async", {"args": [], "script":
                  "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))"})

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

    def hold(self, css):
        """The mouse is pressed on an element until let_go()."""
        found = self.call("POST", f"/{self.session}/element", {"using": "css selector", "value": css})
        self.mouse({"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": found}, {"type": "pointerDown", "button": 0})

    def let_go(self):
        self.mouse({"type": "pointerUp", "button": 0})

    def mouse(self, *actions):
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}
        self.call("POST", f"/{self.session}/actions", {"actions": [mouse]})

    def name(self, text):
        """A name typed into the form that the page opens, which is then sent; returns its question. No window blocks the page."""
        self.until("return document.getElementById('naming').hidden", False)
        found = self.call("POST", f"/{self.session}/element", {"using": "css selector", "value": "#name"})
        self.run("document.getElementById('name').value = ''")
        self.call("POST", f"/{self.session}/element/{list(found.values())[0]}/value", {"text": text})
        self.click("#naming button[type=submit]")
        return self.run("return document.getElementById('naming-word').textContent")

    def drag(self, *places):
        """The mouse goes to a place; with several it is held down from the first to the last."""
        actions = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places]
        if len(places) > 1:
            actions[1:1] = [{"type": "pointerDown", "button": 0}]
            actions.append({"type": "pointerUp", "button": 0})
        self.mouse(*actions)

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
