/* server.json and pages of a registry: any text, with the defaults as answers. An entry that comes of it is valid. */
#include "config/import/import.h"
#include "json/scan.h"
#include "packages/found.h"
#include "packages/server_json.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_way(struct mcti_str server, const struct mcti_package_way *way)
{
    struct mcti_config_server s = mcti_config_server_preset;
    struct mct_error err;
    struct mcti_plan p;
    struct mcti_buf entry;
    mcti_plan_init(&p);
    mcti_buf_init(&entry, 1u << 24);
    int r = mcti_plan_read_server(&p, server, way, &err);
    for (size_t i = 0; r == 0 && i < p.n_inputs; i++)
        if (mcti_input_take_preset(&p.inputs[i], &err) < 0 || !p.inputs[i].values.n)
            mcti_input_answer(&p.inputs[i], MCT_STR("true"), &err);
    if (r == 0 && mcti_plan_finish(&p, &s, &err) == 0) {
        mcti_config_put_entry(&entry, &s);
        if (!mcti_json_valid(mcti_buf_str(&entry), 64, NULL, NULL))
            abort();
    }
    mcti_config_clear_server(&s);
    mcti_buf_done(&entry);
    mcti_plan_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size }, cursor;
    struct mcti_strings words = { 0 };
    struct mcti_package_ways ways;
    struct mcti_found found = { 0 };
    struct mct_error err;
    struct mcti_str root = mcti_found_root(text, &err);
    mcti_package_ways(root, &ways);
    for (size_t i = 0; i < ways.n; i++)
        run_way(root, &ways.v[i]);
    mcti_found_add_page(&found, text, &words, &cursor, &err);
    mcti_found_sort(&found);
    mcti_found_done(&found);
    return 0;
}
