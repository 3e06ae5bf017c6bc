/* A bundle: an archive that is read has only files inside its folder, and each is read within the limits. */
#include "config/import/import.h"
#include "json/scan.h"
#include "packages/bundle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *data, struct mcti_str part, struct mct_error *err)
{
    (void)err;
    *(uint64_t *)data += part.len;
    return 0;
}

static void read_files(const struct mcti_zip *z)
{
    struct mct_error err;
    for (size_t i = 0; i < z->n && z->total < 1 << 20; i++) {
        uint64_t n = 0;
        const char *name = z->v[i].name;
        if (name[0] == '/' || strstr(name, "../") || !strcmp(name, ".."))
            abort();
        if (mcti_zip_read(&z->v[i], count, &n, &err) == 0 && n != z->v[i].size)
            abort();
    }
}

static void read_manifest(struct mcti_str manifest)
{
    struct mcti_config_server s = mcti_config_server_preset;
    struct mct_error err;
    struct mcti_plan p;
    mcti_plan_init(&p);
    int r = mcti_plan_read_manifest(&p, manifest, "/folder", &err);
    for (size_t i = 0; r == 0 && i < p.n_inputs; i++)
        if (mcti_input_take_preset(&p.inputs[i], &err) < 0 || !p.inputs[i].values.n)
            mcti_input_answer(&p.inputs[i], MCT_STR("1"), &err);
    if (r == 0)
        mcti_plan_finish(&p, &s, &err);
    mcti_config_clear_server(&s);
    mcti_plan_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str file = { (const char *)data, size };
    struct mcti_bundle b;
    struct mct_error err;
    char signer[64];
    if (mcti_bundle_open(&b, file, &err) == 0) {
        free(mcti_bundle_folder_name(&b));
        mcti_bundle_check_signature(&b, signer, sizeof signer);
        read_manifest(mcti_buf_str(&b.manifest));
    }
    mcti_bundle_done(&b);
    struct mcti_zip z;
    if (mcti_zip_open(&z, file, &err) == 0)
        read_files(&z);
    mcti_zip_done(&z);
    if (size && data[0] == '{' && mcti_json_valid(file, 64, NULL, NULL))
        read_manifest(file);
    return 0;
}
