# SPDX-License-Identifier: MIT
# Reads the HTML of one Markdown file from cmark-gfm and prints a page of the site.
#     path    of the file in the tree; the page is path.html
#     nav     file made by nav.awk
#     search  gets one line per section: [page, title, text],
#     links   gets the path in the tree of every local link
# Headings get the same anchors as on GitHub, so a link works in both places.

function plain(s)
{
    gsub(/<[^>]*>/, "", s)
    gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&amp;/, "\\&", s)
    return s
}
function slug(s,    name)
{
    s = tolower(plain(s))
    gsub(/[^a-z0-9_ -]/, "", s)
    gsub(/ /, "-", s)
    name = s
    if (s in seen)
        name = s "-" seen[s]
    seen[s]++
    return name
}
function quoted(s)
{
    gsub(/[\001-\037]/, " ", s); gsub(/\\/, "&&", s); gsub(/"/, "\\\"", s); gsub(/</, "\\u003c", s)
    return "\"" s "\""
}
function keep_section()
{
    if (section != "" || text != "")
        printf "[%s, %s, %s],\n", quoted(path ".html" (anchor == "" ? "" : "#" anchor)), quoted(section), quoted(text) >>search
    text = ""
}
function resolve(target,    where)
{
    where = path
    if (!sub(/\/[^\/]*$/, "/", where))
        where = ""
    target = where target
    gsub(/\/\.\//, "/", target)
    while (match(target, /[^\/]+\/\.\.\//))
        target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
    return target
}
# A link to a file of the tree becomes one to its page; a folder has an index page. Runs in the root of the tree.
function relink(line,    out, head, target, mark, attribute)
{
    out = ""
    while (match(line, /(href|src)="[^"]*"/)) {
        head = substr(line, 1, RSTART - 1)
        attribute = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        target = attribute
        sub(/^[a-z]*="/, "", target); sub(/"$/, "", target)
        if (target ~ /^[a-z]+:/ || target ~ /^#/) {
            out = out head attribute
            continue
        }
        mark = ""
        if (match(target, /#/)) {
            mark = substr(target, RSTART)
            target = substr(target, 1, RSTART - 1)
        }
        print resolve(target) >>links
        if (target ~ /(^|\/)[^.\/]+\/?$/ && system("test -d '" resolve(target) "'") == 0) {
            sub(/\/$/, "", target)
            target = target "/index.html"
        } else if (target !~ /\.(png|svg|jpg|pdf)$/)
            target = target ".html"
        sub(/=".*/, "=\"" target mark "\"", attribute)
        out = out head attribute
    }
    return out line
}
function navigation(    line, part, group)
{
    print "<details class=\"menu\" open><summary>Contents</summary><nav>"
    while ((getline line < nav) > 0) {
        if (line ~ /^= /) {
            if (group)
                print "</ul>"
            print "<h2>" substr(line, 3) "</h2><ul>"
            group = 1
            continue
        }
        split(line, part, "\t")
        if (part[1] !~ /\.[a-z]+$/) {
            sub(/\/$/, "", part[1])
            part[1] = part[1] "/index"
        }
        if (part[1] == path) {
            print "<li class=\"here\"><a href=\"" top part[1] ".html\" aria-current=\"page\">" part[2] "</a>" (inside == "" ? "" : "<ul>" inside "</ul>")
        } else
            print "<li><a href=\"" top part[1] ".html\">" part[2] "</a>"
    }
    print "</ul></nav></details>"
}

BEGIN {
    depth = split(path, part, "/")
    for (i = 1; i < depth; i++)
        top = top "../"
}
match($0, /<h[1-6]>.*<\/h[1-6]>/) {
    level = substr($0, RSTART + 2, 1)
    inner = substr($0, RSTART + 4, RLENGTH - 9)
    keep_section()
    name = slug(inner)
    anchor = level == 1 ? "" : name
    section = plain(inner)
    if (title == "")
        title = section
    item = inner
    gsub(/<[^>]*>/, "", item)
    if (level == 2)
        inside = inside "<li><a href=\"#" name "\">" item "</a></li>"
    $0 = "<h" level " id=\"" name "\">" relink(inner) " <a class=\"anchor\" href=\"#" name "\" aria-label=\"link to this section\">#</a></h" level ">"
    body[++lines] = $0
    next
}
{
    text = text (text == "" ? "" : " ") plain($0)
    if (/^<td/ && length(plain($0)) > 60) # needs some width on a telephone, where its table scrolls
        sub(/^<td/, "<td class=\"long\"")
    gsub(/<table>/, "<div class=\"scroll\"><table>")
    gsub(/<\/table>/, "</table></div>")
    body[++lines] = relink($0)
}
END {
    keep_section()
    print "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    print "<title>" (title == "" ? path : title) " · interfield</title>"
    print "<link rel=\"stylesheet\" href=\"" top "style.css\"><script src=\"" top "search.js\" data-top=\"" top "\" defer></script>"
    print "<script src=\"" top "code.js\" defer></script></head>"
    print "<body><header><a class=\"name\" href=\"" top "docs/index.md.html\">interfield</a>"
    print "<div class=\"find\"><input id=\"find\" type=\"search\" placeholder=\"Search  ( / )\" aria-label=\"search\" autocomplete=\"off\"><ol id=\"found\" hidden></ol></div></header>"
    print "<div class=\"columns\">"
    navigation()
    print "<main>"
    for (i = 1; i <= lines; i++)
        print body[i]
    print "</main></div></body></html>"
}
