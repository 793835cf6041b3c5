# SPDX-License-Identifier: MIT
"""The site in a real browser, from the disk: the search finds and leads there, the menu stays, nothing is wider than a telephone."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["IFD_SOURCE_DIR"], "tests", "app"))
from webdriver import drive  # noqa: E402

site = "file://" + sys.argv[1] + "/"


def search(browser, words, good):
    """Waits until what is found is good, a function of the addresses. A page that replaces this one meanwhile gets the words too."""
    browser.until(f"""const i = document.getElementById('find');
        if (i && document.readyState === 'complete' && i.value !== '{words}') {{ i.focus(); i.value = '{words}'; i.dispatchEvent(new Event('input')) }}
        return [...document.querySelectorAll('#found a')].map(a => a.getAttribute('href'))""", lambda hits: hits and good(hits))


FOUND = "return [...document.querySelectorAll('#found a')].map(a => a.getAttribute('href').replaceAll('../', ''))"


def pages_come_first(b):
    """Pages, then headers, then the changelog; words of the field that mean the same; some of the words where no section has all."""
    place = lambda hit: 0 if hit.startswith("docs/") else 3 if hit.startswith("CHANGELOG") else 1 if ".md.html" in hit else 2
    for words in ("compensator", "stepper", "checkpoint"):
        search(b, words, lambda hits: len(hits) > 5)
        places = [place(hit) for hit in b.run(FOUND)]
        assert places == sorted(places) and places[0] == 0, (words, places)
    # app/manual/terms.def: CAAM is average acceleration; no page has to use the abbreviation.
    search(b, "trapezoidal rule", lambda hits: any("methods" in hit for hit in hits))
    assert not b.run("return document.querySelector('#found p')")
    search(b, "checkpoint xylophone", lambda hits: hits)
    assert b.run("return document.querySelector('#found p').textContent") == "No section has all of these words; these have some."
    assert any("checkpoint" in text.lower() for text in b.run("return [...document.querySelectorAll('#found a')].map(a => a.textContent)"))


def the_menu_survives_a_resize(b):
    """From a telephone to a wide screen and back."""
    opened = "return [document.querySelector('.menu').open, document.querySelector('.menu nav').checkVisibility()]"
    b.go(site + "docs/guide/plots.md.html")
    for width, wanted in ((390, [False, False]), (1400, [True, True]), (390, [False, False])):
        b.devtools("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        b.until(opened, wanted)


def tables_can_be_read(b):
    """On a telephone no cell of a table is so narrow that its words stand below each other one by one."""
    for page in ("docs/guide/plots.md", "docs/reference/states.md", "docs/guide/report.md", "docs/evidence/reproduction.md"):
        b.go(site + page + ".html")
        squeezed = b.run("""return [...document.querySelectorAll('td')].filter((c) => c.textContent.length > 60).map((c) => {
            const lines = c.getBoundingClientRect().height / parseFloat(getComputedStyle(c).lineHeight); return [c.textContent.length / lines, c.textContent.slice(0, 40)] })
            .filter(([each]) => each < 9)""")
        assert not squeezed, (page, squeezed)
        b.until("return [document.documentElement.scrollWidth, innerWidth]", lambda it: it[0] <= it[1])


def pictures_have_a_dark_variant(b):
    folder = os.path.join(sys.argv[1], "docs", "images")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".svg"):
            for scheme, wanted in (("light", "none"), ("dark", "invert(0.92) hue-rotate(180deg)")):
                b.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                b.go("file://" + os.path.join(folder, name))
                assert b.run("return getComputedStyle(document.documentElement).filter") == wanted, (name, scheme)
    b.go(site + "docs/index.md.html")
    assert b.run("return getComputedStyle(document.documentElement).colorScheme") == "light dark", "pictures would not follow the page"


def look(b):
    b.go(site + "index.html")
    b.until("return document.title", lambda title: title.startswith("interfield: documentation"))
    wanted = "../include/interfield/method.h.html#ifd_stepper_make"
    search(b, "ifd_stepper_make", lambda hits: hits[0].startswith(wanted))
    b.run("document.querySelector('#found a').click()")
    b.until("return location.href", lambda url: "method.h.html#" in url)
    b.until("return document.readyState", "complete")
    b.until("return document.querySelector('.menu').getBoundingClientRect().top", lambda place: 0 <= place < 200)
    assert b.run("return document.getElementById(location.hash.slice(1)) !== null")
    search(b, "look-ahead delay", lambda hits: "../../docs/reference/compensation.md.html" in [h.split("#")[0] for h in hits])
    pages_come_first(b)
    b.run("const i = document.getElementById('find'); i.value = 'qzx'.repeat(3); i.dispatchEvent(new Event('input'))")
    b.until("return document.getElementById('found').textContent", "Nothing found.")
    b.go(site + "docs/guide/choose.md.html")
    b.until("return document.querySelectorAll('.code .copy').length > 3", True)
    colours = b.run("return ['.language-sh .option', '.language-yaml .key', '.language-sh .word']"
                    ".map(s => [...document.querySelectorAll(s)].map(e => e.textContent))")
    assert "--critical" in colours[0] and "title" in colours[1] and "interfield" in colours[2], colours
    code = b.run("return document.querySelector('.language-yaml').textContent")
    assert code.startswith("title: Five storeys\ntime: {step: 10 ms, end: 10 s}\n"), code
    # What the button copies is the text of its block, colours or not.
    b.run("document.execCommand = what => { window.copied = what + ':' + document.activeElement.value; return true; };"
          "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
          "document.querySelector('.language-yaml').closest('.code').querySelector('.copy').click()")
    b.until("return window.copied", "copy:" + code)
    b.until("return document.querySelector('.language-yaml').closest('.code').querySelector('.copy').textContent", "Copied")
    b.call("POST", f"/{b.session}/window/rect", {"width": 500, "height": 900})
    for page in ("docs/index.md", "docs/start/tutorial.md", "docs/reference/case.md", "docs/reference/case-test.md", "docs/reference/results.md", "include/interfield/exchange.h"):
        b.go(site + page + ".html")
        b.until("return [document.documentElement.scrollWidth, innerWidth, location.href]", lambda it: it[0] <= it[1])
        b.until("return document.querySelector('.menu').open", False)
    the_menu_survives_a_resize(b)
    tables_can_be_read(b)
    pictures_have_a_dark_variant(b)


drive(look)
print("the site works in a browser")
