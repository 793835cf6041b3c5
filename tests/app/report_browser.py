# SPDX-License-Identifier: MIT
"""Reports in a real browser: every text can be read on every screen and on paper, folded and unfolded, and the page is short.

    report_browser.py PAGE[:most px at 1440] ...

The first page is looked at on every screen, the others on a telephone in daylight and a laptop in the dark. That the checker finds faults is
proved in live_browser.py."""
import os
import sys

from layout_check import SCREENS, readable, show
from webdriver import drive

UNFOLD = "document.querySelectorAll('details').forEach((d) => { d.open = true })"
HEIGHT = "return document.documentElement.scrollHeight"
PAPER = 680  # px, what 182 mm of A4 are


def the_page_is_short(b, name, most):
    show(b, (1440, "light"))
    height = b.run(HEIGHT)
    assert height <= most, f"{name}: {height} px high at 1440, expected at most {most}"
    print(f"{name}: {height} px")


def it_is_printed_whole(b, name):
    """What is folded is left out, and nothing is wider than the paper."""
    b.devtools("Emulation.setDeviceMetricsOverride", width=PAPER, height=970, deviceScaleFactor=1, mobile=False)
    b.devtools("Emulation.setEmulatedMedia", media="print", features=[])
    b.wait_drawn()
    readable(b, f"{name}, on paper")
    shown = b.run("return [...document.querySelectorAll('details')].filter((d) => d.checkVisibility()).length")
    assert shown == 0, f"{name}: {shown} folded sections are printed"
    whole = b.run("return [...document.querySelectorAll('figure, header')].filter((f) => f.checkVisibility())"
                  ".every((f) => getComputedStyle(f).breakInside === 'avoid')")
    assert whole, f"{name}: a figure may be cut by the end of a sheet"
    b.devtools("Emulation.setEmulatedMedia", media="", features=[])


def numbers_keep_their_units(b, name):
    """On a telephone too a value and its unit are on one line."""
    show(b, SCREENS[0])
    broken = b.run("""return [...document.querySelectorAll('.peaks td:not(:first-child), .limits td:not(:first-child):not([colspan]), .holds td:not(:nth-child(3), :last-child)')]
        .map((e) => { const r = document.createRange(); r.selectNodeContents(e);
            return [e.textContent, new Set([...r.getClientRects()].map((c) => Math.round(c.top))).size] })
        .filter(([, lines]) => lines > 1)""")
    assert not broken, (name, broken)


def names_are_beside_lines(b, name):
    """In the drawing of the structure no name lies on a line or a symbol. A line is followed in steps of a pixel."""
    covered = b.run("""const texts = [...document.querySelectorAll('svg.scheme text')].map((e) => [e.textContent, e.getBoundingClientRect()]), found = [];
        for (const shape of document.querySelectorAll('svg.scheme path, svg.scheme rect')) {
            if (shape.closest('defs, marker')) continue;
            const to = shape.getScreenCTM();
            for (let at = 0; at <= shape.getTotalLength(); at++) {
                const p = shape.getPointAtLength(at).matrixTransform(to);
                for (const [words, t] of texts)
                    if (p.x > t.left + 1 && p.x < t.right - 1 && p.y > t.top + 3 && p.y < t.bottom - 3 && !found.includes(words)) found.push(words);
            }
        }
        return found""")
    assert not covered, (name, "names on lines", covered)


def look(b):
    for argument in sys.argv[1:]:
        name, _, most = argument.partition(":")
        b.go("file://" + os.path.abspath(name))
        assert not b.log(), "the page complains"
        if most:
            the_page_is_short(b, name, int(most))
        numbers_keep_their_units(b, name)
        names_are_beside_lines(b, name)
        it_is_printed_whole(b, name)
        b.run(UNFOLD)  # what is folded is not looked at otherwise, and the rest is the same
        for screen in SCREENS if argument == sys.argv[1] else SCREENS[::3]:
            show(b, screen)
            readable(b, f"{name}, {screen}")


drive(look)
