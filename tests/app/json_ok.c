/* SPDX-License-Identifier: MIT */
/* Reads one JSON document from stdin; with a path as argument prints the scalar at that path. Exit status 1 when
 * the text is not JSON, holds more than one document, or the path leads nowhere. Compiled by test_cli.sh. */
#include <libfyaml.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char text[1 << 22];
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    struct fy_parse_cfg config = {.search_path = "", .flags = FYPCF_QUIET | FYPCF_JSON_FORCE};
    struct fy_document *document = fy_document_build_from_string(&config, text, length);
    struct fy_node *root = document ? fy_document_root(document) : NULL;
    if (!root || fy_node_get_type(root) != FYNT_MAPPING)
        return 1;
    if (argc < 2)
        return 0;
    struct fy_node *node = fy_node_by_path(root, argv[1], (size_t)-1, FYNWF_DONT_FOLLOW);
    size_t size = 0;
    const char *scalar = node ? fy_node_get_scalar(node, &size) : NULL;
    if (!scalar)
        return 1;
    printf("%.*s\n", (int)size, scalar);
    return 0;
}
