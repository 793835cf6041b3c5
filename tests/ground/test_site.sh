# SPDX-License-Identifier: MIT
# The documentation becomes a site in which every link leads somewhere. First proves, on a small site, that a dead link is found.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

check() ( # <folder>
    cd "$1"
    pages=$(find . -name '*.html' | sed 's|^\./||' | sort)
    others=$(find . -type f ! -name '*.html' | sed 's|^\./||' | tr '\n' ' ')
    # shellcheck disable=SC2086
    awk -v files="$others" -f "$IFD_SOURCE_DIR/tests/ground/links.awk" $pages $pages
)

small() { # pass|fail <link>
    rm -rf "$work/small"
    mkdir -p "$work/small/a"
    echo "<p>see <a href=\"$2\">it</a></p>" >"$work/small/a/one.html"
    echo '<h2 id="section">x</h2><img src="a/picture.png">' >"$work/small/two.html"
    : >"$work/small/a/picture.png"
    if check "$work/small" >"$work/out"; then got=pass; else got=fail; fi
    [ "$got" = "$1" ] || fail "the check of links should $1 for '$2' and did not: $(cat "$work/out")"
}
small pass ../two.html
small pass '../two.html#section'
small pass picture.png
small pass https://example.org/nowhere
small fail two.html
small fail '../two.html#other'
small fail '#section'
small fail ../picture.png

"$IFD_SOURCE_DIR/tools/site" "$IFD_PROGRAM" "$work/site"
check "$work/site" || fail "docs have dead links"

# What was built holds what it should: a method's derivation, a function of the API, an option of a command, and the search knows them.
for words in 'docs/reference/methods.md.html:pseudo-rate' 'include/interfield/exchange.h.html:id="ifd_rig_ops-1"' 'docs/reference/cli.md.html:--as-fast-as-possible' \
    'docs/reference/case-specimen.md.html:id="specimen-physical-substructure"' 'search-index.js:"docs/reference/methods.md.html#mg-alpha"' 'cases/index.html:bridge/README.md.html' \
    'cases/bridge/README.md.html:href="hybrid.yaml.html"' 'cases/bridge/hybrid.yaml.html:late-for: 0.4 s'; do
    grep -q -e "${words#*:}" "$work/site/${words%%:*}" || fail "${words%%:*} lacks '${words#*:}'"
done
if command -v chromedriver >/dev/null && getent hosts localhost >/dev/null; then
    timeout 800 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/ground/site_browser.py" "$work/site" || fail "the site fails in a browser"
else
    echo "no chromedriver, or no localhost: the site was not tried in a browser"
fi
# Another folder is not emptied.
mkdir "$work/mine" && echo x >"$work/mine/thesis.txt"
"$IFD_SOURCE_DIR/tools/site" "$IFD_PROGRAM" "$work/mine" 2>/dev/null && fail "a folder that is no site was taken"
[ -f "$work/mine/thesis.txt" ] || fail "a file was removed from a folder that is no site"
