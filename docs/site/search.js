// SPDX-License-Identifier: MIT
// Search over the sections of the site. The index is a script, not data, so that it also loads from a disk without a server.
"use strict";
let searchIndex;
(() => {
    const top = document.currentScript.dataset.top, input = document.getElementById("find"), list = document.getElementById("found");
    let asked = false;

    function load() {
        if (asked)
            return;
        asked = true;
        const script = document.createElement("script");
        script.src = top + "search-index.js";
        script.onload = show;
        document.head.append(script);
    }

    // Every word must occur; a word in the title counts for more, and at the start of a word for more again.
    function score(section, words) {
        const title = section[1].toLowerCase(), text = section[2].toLowerCase();
        let sum = 0;
        for (const word of words) {
            const inTitle = title.indexOf(word), inText = text.indexOf(word);
            if (inTitle < 0 && inText < 0)
                return 0;
            if (inTitle >= 0)
                sum += (title === word ? 30 : 10) + (inTitle === 0 || /\W/.test(title[inTitle - 1]) ? 5 : 0);
            if (inText >= 0)
                sum += 1 + Math.min(text.split(word).length, 8) / 4;
        }
        return sum + (section[0].startsWith("docs/") ? 2 : 0);
    }

    function line(section, words) {
        const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
        const at = Math.max(0, section[2].toLowerCase().indexOf(words[0]) - 30);
        link.href = top + section[0];
        link.textContent = section[1] || section[0];
        small.textContent = section[0].replace(/\.html.*/, "") + "   " + section[2].slice(at, at + 120);
        link.append(small);
        item.append(link);
        return item;
    }

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
        list.hidden = words.length === 0 || !searchIndex;
        if (list.hidden)
            return;
        const hits = searchIndex.map(s => [score(s, words), s]).filter(h => h[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
        list.replaceChildren(...hits.map(h => line(h[1], words)));
        if (hits.length === 0) {
            const none = document.createElement("p");
            none.textContent = "Nothing found.";
            list.append(none);
        }
    }

    input.addEventListener("focus", load);
    input.addEventListener("input", () => { load(); show(); });
    document.addEventListener("click", event => { if (!event.target.closest(".find")) list.hidden = true; });
    document.addEventListener("keydown", event => {
        const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
        if (event.key === "/" && document.activeElement.tagName !== "INPUT") {
            input.focus();
            input.select();
        } else if (event.key === "Escape") {
            list.hidden = true;
            input.blur();
        } else if (event.key === "ArrowDown" && !list.hidden && links.length) {
            links[Math.min(at + 1, links.length - 1)].focus();
        } else if (event.key === "ArrowUp" && at >= 0) {
            (at === 0 ? input : links[at - 1]).focus();
        } else if (event.key === "Enter" && document.activeElement === input && links.length) {
            links[0].click();
            return;
        } else
            return;
        event.preventDefault();
    });

    // On a narrow screen the menu begins closed; on a wide one it begins where the reader is.
    const menu = document.querySelector(".menu"), here = menu.querySelector(".here");
    if (matchMedia("(max-width: 56rem)").matches)
        menu.removeAttribute("open");
    else if (here && here.offsetTop > menu.clientHeight / 2)
        menu.scrollTop = here.offsetTop - menu.clientHeight / 3;
})();
