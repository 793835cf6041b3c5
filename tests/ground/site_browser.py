# SPDX-License-Identifier: MIT
"""The site in a real browser, from the disk: the search finds and leads there, the menu stays, nothing is wider than a telephone."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["IFD_SOURCE_DIR"], "tests", "app"))
from webdriver import Browser  # noqa: E402

site = "file://" + sys.argv[1] + "/"


def search(browser, words):
    browser.run(f"const i = document.getElementById('find'); i.focus(); i.value = '{words}'; i.dispatchEvent(new Event('input'))")
    browser.until("return document.querySelectorAll('#found a').length", lambda n: n and n > 0)
    return browser.run("return [...document.querySelectorAll('#found a')].map(a => a.getAttribute('href'))")


with Browser() as b:
    b.go(site + "index.html")
    b.until("return document.title", lambda title: title.startswith("interfield: documentation"))
    hits = search(b, "ifd_stepper_make")
    assert hits[0].startswith("../include/interfield/method.h.html#ifd_stepper_make"), hits
    b.run("document.querySelector('#found a').click()")
    b.until("return location.href", lambda url: "method.h.html#" in url)
    b.until("return document.readyState", "complete")
    place = b.run("return document.querySelector('.menu').getBoundingClientRect().top")
    assert 0 <= place < 200, f"the menu has scrolled away: {place}"
    assert b.run("return document.getElementById(location.hash.slice(1)) !== null")
    assert "../../docs/compensation.md.html" in [h.split("#")[0] for h in search(b, "look-ahead delay")]
    b.run("const i = document.getElementById('find'); i.value = 'qzx'.repeat(3); i.dispatchEvent(new Event('input'))")
    b.until("return document.getElementById('found').textContent", "Nothing found.")
    b.call("POST", f"/{b.session}/window/rect", {"width": 500, "height": 900})
    for page in ("docs/index.md", "docs/tutorial.md", "docs/case.md", "docs/results.md", "include/interfield/exchange.h"):
        b.go(site + page + ".html")
        wide, has = b.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= has, f"{page} is {wide} wide on a screen of {has}"
        b.until("return document.querySelector('.menu').open", False)
print("the site works in a browser")
