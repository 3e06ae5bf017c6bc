/* Files in YAML, TOML and JSON5, by their first byte, and the formats of other programs in them: any bytes are read to
 * their end with problems told, and what was read is written as an entry that is valid and read again. */
#include "config/edit/edit.h"
#include "config/import/import.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_entries(const struct mcti_config *c)
{
    struct mct_error err;
    struct mcti_edit file;
    struct mcti_buf entry;
    mcti_edit_init(&file, NULL, MCT_STR(""));
    for (size_t i = 0; i < c->n_servers; i++) {
        const char *const path[] = { "mcpServers", c->servers[i].name, NULL };
        mcti_buf_init(&entry, 1u << 24);
        mcti_config_put_entry(&entry, &c->servers[i]);
        if (!mcti_json_valid(mcti_buf_str(&entry), 512, NULL, NULL))
            abort();
        if (mcti_edit_insert(&file, path, mcti_buf_str(&entry), &err) < 0)
            abort();
        mcti_buf_done(&entry);
    }
    if (file.text.len && !mcti_json_valid(mcti_buf_str(&file.text), 512, NULL, NULL))
        abort();
    mcti_edit_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = { "a.yaml",        "config.toml",           "openclaw.json", "mcporter.json",
                                         "opencode.json", ".gemini/settings.json", "a.toml" };
    struct mcti_config c;
    if (!size)
        return 0;
    mcti_config_init(&c);
    c.for_import = data[0] & 1;
    mcti_config_read(&c, files[data[0] % (sizeof files / sizeof *files)], (const char *)data + 1, size - 1);
    write_entries(&c);
    mcti_config_done(&c);
    return 0;
}
