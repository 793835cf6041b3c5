// SPDX-License-Identifier: MIT
// Blocks of code: colours for comments, strings, keys and words of the language, and a button that copies the block.
"use strict";
(() => {
    const string = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/, number = /\b\d[\d_.]*(?:e[+-]?\d+)?\b/i;
    const words = (...list) => new RegExp("\\b(?:" + list.join("|") + ")\\b");
    // For each language the kinds of its pieces; what matches first counts.
    const languages = {
        sh: {comment: /(?<![^\s])#[^\n]*/, string, option: /(?<=\s)--?[A-Za-z][\w-]*/, word: /(?<=^|\n)(?!\s)[\w./-]+/},
        yaml: {comment: /(?<![^\s])#[^\n]*/, string, key: /[\w./*-]+(?=:(?:\s|$))/, number},
        c: {
            comment: /\/\*[^]*?\*\/|\/\/[^\n]*/, string, option: /(?<=^|\n)#\s*\w+/, number,
            word: words("const", "static", "void", "int", "long", "double", "char", "bool", "struct", "typedef", "enum", "if", "else", "for", "while", "return", "sizeof", "extern")
        },
        python: {
            comment: /#[^\n]*/, string, number,
            word: words("import", "from", "as", "with", "def", "class", "return", "for", "in", "if", "elif", "else", "while", "try", "except", "not", "and", "or", "lambda", "None", "True", "False")
        },
        octave: {comment: /%[^\n]*|#[^\n]*/, string, number, word: words("function", "end", "for", "if", "else", "while", "return")}
    };
    languages.matlab = languages.octave;
    languages.bash = languages.sh;
    languages.tcl = {comment: languages.sh.comment, string, option: languages.sh.option, word: languages.sh.word};

    function colour(code, language) {
        const kinds = Object.keys(language);
        const pieces = new RegExp(kinds.map(kind => `(?<${kind}>${language[kind].source})`).join("|"), "gi");
        const text = code.textContent, coloured = document.createDocumentFragment();
        let end = 0;
        for (const found of text.matchAll(pieces)) {
            const span = document.createElement("span");
            span.className = kinds.find(kind => found.groups[kind] !== undefined);
            span.textContent = found[0];
            coloured.append(text.slice(end, found.index), span);
            end = found.index + found[0].length;
        }
        coloured.append(text.slice(end));
        code.replaceChildren(coloured);
    }

    // A page from the disk has no clipboard of its own: then a text field is copied.
    async function copy(text) {
        if (navigator.clipboard && window.isSecureContext)
            return navigator.clipboard.writeText(text);
        const field = document.createElement("textarea");
        field.value = text;
        document.body.append(field);
        field.select();
        const done = document.execCommand("copy");
        field.remove();
        if (!done)
            throw new Error("not copied");
    }

    for (const code of document.querySelectorAll("main pre > code")) {
        const name = (code.className.match(/language-(\w+)/) || [])[1], button = document.createElement("button");
        if (languages[name])
            colour(code, languages[name]);
        button.type = "button";
        button.className = "copy";
        button.textContent = "Copy";
        button.addEventListener("click", () => copy(code.textContent).then(() => "Copied", () => "Not copied").then(said => {
            button.textContent = said;
            setTimeout(() => { button.textContent = "Copy"; }, 1500);
        }));
        const frame = document.createElement("div");
        frame.className = "code";
        code.parentElement.replaceWith(frame);
        frame.append(code.parentElement, button);
    }
})();
