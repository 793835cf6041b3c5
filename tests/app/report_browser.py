# SPDX-License-Identifier: MIT
"""Reports in a real browser: every text can be read on every screen and on paper, folded and unfolded, and the page is short.

    report_browser.py PAGE[:most px at 1440] ...

The first page is looked at on every screen, the others on a telephone in daylight and a laptop in the dark. That the checker finds faults is
proved in live_browser.py."""
import base64
import os
import re
import sys
import zlib

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


# Plots that are in sight: name, pixels that are drawn upon, pixels of the canvas per px, px from the top, width and height.
PLOTS = """return [...document.querySelectorAll('figure.chart')].filter((f) => f.checkVisibility()).map((f) => {
    const c = f.querySelector('canvas'), box = c.getBoundingClientRect(), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let inked = 0; for (let i = 3; i < d.length; i += 4) inked += d[i] > 0;
    return [f.querySelector('b').textContent, inked, c.width / box.width, box.left, box.top, box.width, box.height]})"""
MARKS = "return [...document.querySelectorAll('figure.chart')].filter((f) => f.checkVisibility()).map((f) => [...f.querySelectorAll('.mark-x:not(.title, [hidden])')].map((e) => e.textContent).join(' '))"
TIP = "const e = document.querySelector('.tip:not([hidden])'); return e ? [...e.children].map((l) => l.textContent) : []"


def plots_are_drawn_and_read(b, name):
    """Every plot has curves; the pointer reads them; what is dragged over is shown in all plots over the same axis; two clicks go back."""
    show(b, (1440, "light"))
    plots = b.run(PLOTS)
    assert plots and all(inked > 2000 for _, inked, *_ in plots), (name, plots)
    assert not b.run("return performance.getEntriesByType('resource').length"), "the page asks for another file"
    _, _, _, left, top, width, height = plots[0]
    b.run(f"scrollTo(0, {top} - 100)")
    _, _, _, left, top, width, height = b.run(PLOTS)[0]
    before = b.run(MARKS)
    b.drag((left + 0.5 * width, top + 0.5 * height))
    tip = b.until(TIP, lambda lines: len(lines) > 1)
    assert re.fullmatch(r"time [0-9.]+ m?s", tip[0]), tip
    assert all(re.search(r"[0-9] ?\S+$", line) for line in tip[1:]), tip
    readable(b, f"{name}, values at the pointer", contrast=0)
    b.drag((left + 0.4 * width, top + 0.3 * height), (left + 0.5 * width, top + 0.6 * height))
    part = b.until(MARKS, lambda marks: marks != before)
    changed = [k for k, marks in enumerate(part) if marks != before[k]]
    assert len(changed) >= 1 and all(0 < float(v) for v in part[changed[0]].split()), (name, part)
    over_time = [k for k, (title, *_) in enumerate(plots) if "over" not in title and before[k] and before[k] == before[changed[0]]]
    assert all(part[k] == part[changed[0]] for k in over_time), (name, "not the same part", part)
    b.run("document.querySelector('figure.chart figcaption button:not([hidden])').click()")
    b.until(MARKS, before)
    b.drag((2, 2))
    # A script that a text of a result might contain is not executed.
    b.run("const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s)")
    assert b.run("return window.broken === undefined"), "a script without the number of the page was executed"
    assert all("Content Security Policy" in row["message"] for row in b.log())


def lines_of(pdf):
    """How many straight lines a PDF draws: the browser prints a canvas as lines, or as an image."""
    count = 0
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            count += len(re.findall(rb" l\s", zlib.decompress(stream)))
        except zlib.error:
            pass  # a font
    return count


def plots_are_printed(b, name):
    """On paper every plot is a picture of its own, as wide as the paper, sharp, and light though the screen is dark."""
    show(b, (1440, "dark"))
    pdf = base64.b64decode(b.devtools("Page.printToPDF", preferCSSPageSize=True)["data"])
    plots = len(b.run(PLOTS))
    # Plots are drawn before the browser lays out the sheet, when the screen is still dark.
    paper = "return getComputedStyle(document.querySelector('figure.chart canvas')).getPropertyValue('--paper').trim()"
    assert b.run(f"dispatchEvent(new Event('beforeprint')); {paper}") == "#fff", (name, "plots on paper are dark")
    assert b.run(f"dispatchEvent(new Event('afterprint')); {paper}") != "#fff", (name, "the screen stays light")
    images, lines = len(re.findall(rb"/Subtype */Image", pdf)), lines_of(pdf)
    assert plots > 0 and (images >= plots or lines > 200 * plots), (name, images, lines, plots)
    b.devtools("Emulation.setDeviceMetricsOverride", width=PAPER, height=970, deviceScaleFactor=1, mobile=False)
    b.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    b.until("return document.documentElement.className", "printing")
    b.wait_drawn()
    for title, inked, sharpness, left, _, width, _ in b.run(PLOTS):
        assert inked > 2000 and abs(sharpness - 4) < 0.05 and left >= -1 and left + width <= PAPER + 1, (name, title, inked, sharpness, left, width)
    light = b.run("""const c = document.querySelector('figure.chart canvas'), s = getComputedStyle(c);
        return [s.getPropertyValue('--paper').trim(), getComputedStyle(document.body).color]""")
    assert light == ["#fff", "rgb(0, 0, 0)"], (name, light)
    b.devtools("Emulation.setEmulatedMedia", media="", features=[])
    b.until("return document.documentElement.className", "")


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


def numbers_are_aligned(b, name):
    """The numbers of a column end at the same place."""
    show(b, (1440, "light"))
    apart = b.run("""return [...document.querySelectorAll('table.numbers, table.limits')].filter((t) => t.checkVisibility()).flatMap((t) =>
        [1, 2].map((k) => new Set([...t.rows].map((r) => r.cells[k]).filter((c) => c && c.textContent && c.colSpan === 1).map((c) => {
            const r = document.createRange(); r.selectNodeContents(c); return Math.round(r.getBoundingClientRect().right) })).size)
        .filter((count) => count > 1).map((count) => [t.className, count]))""")
    assert not apart, (name, apart)


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
        if argument == sys.argv[1]:
            plots_are_drawn_and_read(b, name)
        plots_are_printed(b, name)
        numbers_keep_their_units(b, name)
        numbers_are_aligned(b, name)
        names_are_beside_lines(b, name)
        it_is_printed_whole(b, name)
        b.run(UNFOLD)  # what is folded is not looked at otherwise, and the rest is the same
        for screen in SCREENS if argument == sys.argv[1] else SCREENS[::3]:
            show(b, screen)
            readable(b, f"{name}, {screen}")


drive(look)
