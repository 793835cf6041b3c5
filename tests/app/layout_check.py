# SPDX-License-Identifier: MIT
"""Pages as people have them, on a telephone, a laptop and a wide screen, in daylight and in the dark: is every text to be read?

    for screen in SCREENS:
        show(browser, screen)
        readable(browser, f"report, {screen}")

layout_check.js says what is looked at. the_checker_finds_faults(browser) proves that it can complain."""
import json
import os

SIZES = {390: 844, 1440: 900, 1920: 1080}  # px: width and height
SCREENS = [(width, scheme) for width in SIZES for scheme in ("light", "dark")]

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout_check.js"), encoding="utf-8") as file:
    CHECK = file.read()


def show(browser, screen):
    """A screen of this width and colour scheme; returns when the page has been drawn on it."""
    width, scheme = screen
    browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=SIZES[width], deviceScaleFactor=1,
                     mobile=False)
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.wait_drawn()


def faults(browser, **options):
    return browser.run(f"{CHECK}; return layoutFaults({json.dumps(options)})")


def readable(browser, what, **options):
    found = faults(browser, **options)
    assert not found, f"{what}:\n  " + "\n  ".join(found)


GOOD = """<p>A paragraph of two <b>kinds</b> of text.<p style='line-height: 1.05'>Lines<br>that are close.
<div style='height: 2em; overflow-y: auto'>one<br>two<br>three</div>
<details><summary>folded</summary><p style='color: #fefefe'>away</details>
<svg width=100 height=30><rect width=100 height=30 fill='#000' /><text x=9 y=20 fill='#fff'>drawn</text></svg>
<span style='position: absolute; clip-path: inset(50%)'>only read aloud</span>"""
BAD = {
    "overlap: ": "<p>below</p><p style='margin-top: -30px'>above</p>",
    "cut off by": "<p style='height: 5px; overflow: hidden'>too high</p>",
    "cut off at the side": "<p style='width: 3em; overflow: hidden; white-space: nowrap'>much too wide</p>",
    "beyond the page": "<p style='position: absolute; right: -40px'>leaves the page</p>",
    "scrolls sideways": "<div style='width: 3000px'>wide</div>",
    "covered by": "<p>hidden</p><div style='position: absolute; inset: 0; background: #eee'></div>",
    "contrast 2.8": "<p style='color: #999'>faint</p>",
    "contrast 1.00": "<svg width=100 height=30><rect width=100 height=30 fill='#888' /><text x=9 y=20 fill='#888'>grey</text></svg>",
    "contrast 3.": "<p style='opacity: 0.5'>half there</p>",
    "there is no text": "<div></div>",
}


def the_checker_finds_faults(browser):
    browser.go("data:text/html,<!doctype html><title>layout</title>")
    show(browser, SCREENS[0])

    def found(body):
        style = "<style>body { margin: 8px; font: 16px sans-serif }</style>"
        browser.run(f"document.body.innerHTML = {json.dumps(style + body)}")
        return faults(browser)

    assert not found(GOOD), found(GOOD)
    for words, body in BAD.items():
        assert any(words in text for text in found(body)), (words, found(body))
