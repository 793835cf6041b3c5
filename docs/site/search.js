// SPDX-License-Identifier: MIT
// Search over the sections of the site. The index is a script, not data, so that it also loads from a disk without a server.
"use strict";
let searchIndex, searchTerms;
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

    // Pages come before those of worked cases, these before headers and other files, and the changelog is last.
    const place = path => path.startsWith("docs/") ? 0 : path.startsWith("CHANGELOG") ? 3 : path.includes(".md.html") ? 1 : 2;
    const letters = word => word.toLowerCase().replace(/[ _-]/g, "");

    // What is searched for: words, each with those that mean the same. Several words can be one term: "lead rubber".
    function subjects(words) {
        const found = [];
        for (let i = 0; i < words.length;) {
            let best = [words[i]], taken = 1;
            for (let n = 1; i + n <= words.length; n++) {
                const own = words.slice(i, i + n).join(" "), term = searchTerms.find(t => t.some(w => letters(w) === letters(own)));
                if (term || n === 1) {
                    best = [own, ...(term || []).map(w => w.toLowerCase()).filter(w => letters(w) !== letters(own))];
                    taken = n;
                }
            }
            found.push(best);
            i += taken;
        }
        return found;
    }

    // A word in the title counts for more, and at the start of a word for more again; a word that means the same for less.
    function worth(title, text, word, own) {
        const inTitle = title.indexOf(word), inText = text.indexOf(word);
        let sum = 0;
        if (inTitle >= 0)
            sum += (title === word ? 30 : 10) + (inTitle === 0 || /\W/.test(title[inTitle - 1]) ? 5 : 0);
        if (inText >= 0)
            sum += 1 + Math.min(text.split(word).length, 8) / 4;
        return own ? sum : sum / 3;
    }

    // [number of subjects that occur, their worth]
    function score(section, wanted) {
        const title = section[1].toLowerCase(), text = section[2].toLowerCase();
        const each = wanted.map(words => Math.max(...words.map((w, k) => k > 0 && w.length < 4 ? 0 : worth(title, text, w, k === 0))));
        return [each.filter(v => v > 0).length, each.reduce((a, v) => a + v, 0)];
    }

    // Sections with all words, by place and worth; if there is none, those with most of them.
    function search(words) {
        const wanted = subjects(words), rows = searchIndex.map(s => [...score(s, wanted), place(s[0]), s]).filter(r => r[0] > 0);
        const whole = rows.filter(r => r[0] === wanted.length);
        if (whole.length)
            return {all: true, hits: whole.sort((a, b) => a[2] - b[2] || b[1] - a[1])};
        return {all: false, hits: rows.sort((a, b) => b[0] - a[0] || a[2] - b[2] || b[1] - a[1])};
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
        const {all, hits} = search(words);
        list.replaceChildren(...hits.slice(0, 20).map(h => line(h[3], words)));
        if (!all || hits.length === 0) {
            const note = document.createElement("p");
            note.textContent = hits.length ? "No section has all of these words; these have some." : "Nothing found.";
            list.prepend(note);
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

    // On a narrow screen the menu begins closed; on a wide one, where nothing can open it, it is open and where the reader is.
    const menu = document.querySelector(".menu"), here = menu.querySelector(".here"), narrow = matchMedia("(max-width: 56rem)");
    function unfold() {
        menu.open = !narrow.matches;
        if (menu.open && here && here.offsetTop > menu.clientHeight / 2)
            menu.scrollTop = here.offsetTop - menu.clientHeight / 3;
    }
    narrow.addEventListener("change", unfold);
    unfold();
})();
