# SPDX-License-Identifier: MIT
"""The live page in a real browser: opens, updates, obeys, survives the death of its server, replays."""
import os
import shutil
import tempfile
import time

from live_client import Program
from webdriver import drive

CASE = os.path.abspath("spring.yaml")
STATE = "return document.getElementById('state').textContent"
TIME = "return Number(document.getElementById('time').textContent)"
NOTICE = "return document.getElementById('notice').hidden ? '' : document.getElementById('notice').textContent"


def no_complaints(b):
    """The browser reports requests that nobody answered; the page itself has no errors."""
    expected = ("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE", "ERR_SOCKET", "ERR_TIMED_OUT")
    log = [row["message"] for row in b.log() if not any(word in row["message"] for word in expected)]
    assert not log, log


def inked(canvas):
    """How many pixels of a plot are drawn upon."""
    return f"""const c = document.getElementById('{canvas}');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n"""


def opens_and_updates(b, p):
    b.go(f"{p.url}#{p.token}")
    b.until(STATE, "run")
    assert p.token not in b.run("return location.href"), "the token is taken out of sight"
    before = b.until(TIME, lambda now: now >= 0)
    b.until(TIME, lambda now: now > before + 0.2)
    for canvas in ("position", "tracking", "late", "loop"):
        b.until(inked(canvas), lambda pixels: pixels > 500)
    b.until("const lit = document.querySelector('.node.lit'); return lit && lit.dataset.state", "run")
    b.until("return document.querySelectorAll('.limit').length", 5)
    b.until("return parseInt(document.getElementById('worst').textContent)", lambda share: 0 < share < 100)
    assert b.run("return document.getElementById('title').textContent") == 'A spring on the "rig"'
    clipped = b.run("""document.getElementById('next').hidden = false; document.getElementById('worst').textContent = '102 %';
        const w = document.getElementById('worst'); return [w.scrollWidth, w.clientWidth]""")
    assert clipped[0] <= clipped[1], f"three digits beside the reset button: {clipped}"
    b.run("document.getElementById('next').hidden = true")
    names = b.run("return performance.getEntriesByType('resource').map((r) => r.name)")
    assert names and all(name.startswith(p.url) for name in names), names


def keys_work(b):
    b.press(" ")
    b.until(STATE, "hold")
    b.press(" ")
    b.until(STATE, "run")
    theme = "return document.documentElement.dataset.theme"
    before = b.run(theme)
    b.press("t")
    b.until(theme, lambda now: now != before)
    b.press("?")
    b.until("return document.getElementById('help').open", True)
    b.press("s")
    b.press("?")
    b.until("return document.getElementById('help').open", False)
    time.sleep(0.3)
    assert b.run(STATE) == "run", "keys do nothing behind the help"


def stop_works(b, p):
    b.press("s")
    b.until(NOTICE, lambda text: "Press s once more" in text)
    assert b.run(STATE) == "run", "the first s asks"
    b.press("s")
    b.until(NOTICE, lambda text: text.startswith("The test is over: aborted by the operator in state run"))
    b.until(STATE, "stopped")
    b.until("return document.getElementById('stop').disabled", True)  # there is nothing left to stop
    assert p.wait()[0] == 1


def without_the_token_it_only_stops(b):
    p = Program("test", "spring.yaml", "--live", "0", "--out", "watched")
    b.run("sessionStorage.clear()")
    b.go(p.url)
    b.until(STATE, "run")
    b.until("return document.getElementById('hold').disabled", True)
    assert "terminal" in b.run("return document.getElementById('hold').title"), "a button that cannot act says why"
    b.press(" ")
    b.until(NOTICE, lambda text: "terminal" in text)
    b.click("#stop")
    b.until(NOTICE, lambda text: text.startswith("The test is over"))
    p.wait()


def survives_the_death_of_its_server(b):
    p = Program("test", "spring.yaml", "--live", "0", "--out", "killed")
    b.go(f"{p.url}#{p.token}")
    b.until(STATE, "run")
    p.kill()
    b.until(NOTICE, lambda text: "onnection lost" in text)
    b.until(STATE, "offline")
    b.press("s")
    b.press("s")
    b.until(NOTICE, lambda text: "emergency stop" in text)


def a_resume_that_is_refused_is_not_offered(b):
    p = Program("test", "spring.yaml", "--live", "0", "--set", "test.rate-dependent=yes", "--out", "relaxed")
    b.go(f"{p.url}#{p.token}")
    b.until(STATE, "run")
    b.press(" ")
    b.until(STATE, "hold")
    b.until("return document.getElementById('hold').disabled", True)
    assert "allow-resume: yes" in b.run("return document.getElementById('hold').title")
    assert p.order("trip") == 200
    b.until(STATE, "tripped")
    b.until("return document.getElementById('stop-word').textContent", "Quit")
    b.click("#stop")
    b.until(NOTICE, lambda text: text.startswith("The test is over: tripped: a trip was ordered"))
    assert p.wait()[0] == 1


def replays(b):
    p = Program("live", "watched", "0")
    b.go(p.url)
    b.until("return document.getElementById('player').hidden", False)
    b.run("document.getElementById('speed').value = '0.1'")  # so that it does not come to its end meanwhile
    b.until(TIME, lambda now: now > 0)
    b.press(" ")
    b.until("return document.getElementById('play-word').textContent", "Play")
    moment = "return Number(document.getElementById('scrub').value)"
    stands = b.run(moment)
    time.sleep(0.3)
    most = b.run("return Number(document.getElementById('scrub').max)")
    assert b.run(moment) == stands < most, (b.run(moment), stands, most)
    b.run("const s = document.getElementById('scrub'); s.value = s.max; s.dispatchEvent(new Event('input'))")
    b.until(STATE, "stopped")
    b.press("\ue012")  # the left arrow: a second back
    b.until(moment, lambda now: abs(now - max(0, most - 1)) < 0.01)
    b.until(inked("loop"), lambda pixels: pixels > 500)
    p.kill()


def look(browser):
    folder = tempfile.mkdtemp()  # another browser begins anew
    shutil.copy(CASE, folder)
    os.chdir(folder)
    program = Program("test", "spring.yaml", "--live", "0", "--out", "browsed")
    opens_and_updates(browser, program)
    keys_work(browser)
    stop_works(browser, program)
    no_complaints(browser)
    without_the_token_it_only_stops(browser)
    a_resume_that_is_refused_is_not_offered(browser)
    survives_the_death_of_its_server(browser)
    no_complaints(browser)
    replays(browser)
    no_complaints(browser)


drive(look)
print("the page works in a browser")
