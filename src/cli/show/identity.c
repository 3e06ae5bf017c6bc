#include "cli/show/identity.h"

#include "cli/show/sandbox.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>

void mcti_identity_print_indented(const struct mcti_app *app, struct mcti_str text)
{
    struct mcti_str line;
    while (mcti_str_split(&text, '\n', &line)) {
        if (!line.len)
            continue;
        mcti_out(app, "    | ");
        mcti_out_wrapped(app, MCT_PLAIN, 6, 6, line);
        putchar('\n');
    }
}

static void identity_print_member(const struct mcti_app *app, const char *label, struct mcti_str object,
                                  const char *key)
{
    char *text = mcti_json_dup(mcti_json_get(object, key));
    if (text && *text)
        mcti_out(app, "  %-9s %s\n", label, text);
    free(text);
}

/* Prints the names of the server's capabilities. */
static void identity_print_capabilities(const struct mcti_app *app, struct mcti_str capabilities)
{
    struct mcti_json_member m;
    bool any = false;
    for (struct mcti_json_iter it = mcti_json_open(capabilities); mcti_json_next_member(&it, &m); any = true) {
        char *name = mcti_str_dup(m.key);
        mcti_out(app, any ? ", %s" : "  declares: %s", name ? name : "?");
        free(name);
    }
    if (any)
        putchar('\n');
}

void mcti_identity_print(const struct mcti_app *app, struct mcti_str object, bool at_length)
{
    struct mcti_str info = mcti_json_get(object, "serverInfo");
    char *name = mcti_json_dup(mcti_json_get(info, "name")), *version = mcti_json_dup(mcti_json_get(info, "version"));
    char *instructions = mcti_json_dup(mcti_json_get(object, "instructions"));
    if (name)
        mcti_out(app, "  server:   %s %s\n", name, version ? version : "");
    if (at_length) {
        identity_print_member(app, "title:", info, "title");
        identity_print_member(app, "about:", info, "description");
        identity_print_member(app, "website:", info, "websiteUrl");
        identity_print_capabilities(app, mcti_json_get(object, "capabilities"));
    }
    if (at_length && instructions) {
        mcti_out(app, "  instructions:\n");
        mcti_identity_print_indented(app, mcti_str_of(instructions));
    }
    if (at_length)
        mcti_sandbox_print(app, mcti_json_get(object, "sandbox"));
    free(name);
    free(version);
    free(instructions);
}
