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


drive(look)
print("the site works in a browser")
