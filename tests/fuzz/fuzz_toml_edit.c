/* Edits of a table in a file of TOML. Each result can be read, has the change, and has the other values that were
 * there; an addition that is removed again leaves the text, but for a line break at its end. */
#include "clients/install.h"
#include "config/notation/document.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_entry(const struct mcti_edit *e)
{
    struct mcti_document d;
    struct mcti_notation_fault fault;
    if (mcti_document_read(MCT_NOTATION_TOML, mcti_buf_str(&e->text), &d, &fault) < 0)
        abort();
    bool has = mcti_json_get(mcti_json_get((struct mcti_str){ d.json, d.len }, "mcp_servers"), "mcptools").p;
    mcti_document_done(&d);
    return has;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size };
    const struct mcti_str entry = MCT_STR("{\"command\":\"x\",\"args\":[\"1\",\"2\"]}");
    struct mct_error err;
    struct mcti_edit e;
    mcti_edit_init(&e, "x.toml", text);
    int had = mcti_client_edit_toml(&e, "mcp_servers", "mcptools", MCT_STR_NONE, &err);
    if (had == 0 && has_entry(&e))
        abort();
    if (had >= 0 && mcti_client_edit_toml(&e, "mcp_servers", "mcptools", entry, &err) == 0) {
        if (!has_entry(&e) || mcti_client_edit_toml(&e, "mcp_servers", "mcptools", MCT_STR_NONE, &err) != 0 ||
            has_entry(&e))
            abort();
        if (had == 1 && size && !mcti_str_starts(mcti_buf_str(&e.text), text))
            abort();
    }
    mcti_edit_done(&e);
    return 0;
}
