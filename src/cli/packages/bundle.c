#include "cli/packages/bundle.h"

#include "cli/input.h"

#include <stdlib.h>
#include <unistd.h>

struct mcti_adding_bundle {
    struct mcti_buf file;
    struct mcti_bundle bundle;
    char *folder;
    bool unpacked, was_there;
};

/* Returns the folder for a bundle, to free(); NULL with *err. */
static char *bundle_folder(const struct mcti_bundle *b, struct mct_error *err)
{
    const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *name = mcti_bundle_folder_name(b), *path = NULL;
    int r = !name                  ? -1
            : base && *base == '/' ? asprintf(&path, "%s/mcptools/bundles/%s", base, name)
            : home && *home == '/' ? asprintf(&path, "%s/.local/share/mcptools/bundles/%s", home, name)
                                   : -2;
    free(name);
    if (r == -2)
        mcti_fail(err, MCT_ERR_CONFIG, "there is no folder for the bundle: HOME is not set");
    else if (r < 0)
        mcti_no_memory(err);
    return r < 0 ? NULL : path;
}

static void bundle_note_signature(struct mcti_adding *a)
{
    char signer[200];
    switch (mcti_bundle_check_signature(&a->bundle->bundle, signer, sizeof signer)) {
    case MCT_SIGNATURE_VALID:
        mcti_plan_note(&a->plan, false, "it is signed by '%s'", signer);
        break;
    case MCT_SIGNATURE_UNTRUSTED:
        mcti_plan_note(&a->plan, false, "it is signed, but the signer '%s' is unknown to this system", signer);
        break;
    case MCT_SIGNATURE_BROKEN:
        mcti_plan_note(&a->plan, true, "its signature is broken: the bundle was changed after it was signed");
        break;
    default:
        break;
    }
}

static int bundle_read(struct mcti_adding *a, const char *path, struct mct_error *err)
{
    struct mcti_buf *file = &a->bundle->file;
    return mcti_is_url(path) ? mcti_packages_download(a->app, path, file, err) : mcti_input_read(file, path, err);
}

/* Reads the plan. The name of the entry is set already for a bundle of a registry. */
static int bundle_plan(struct mcti_adding *a, struct mct_error *err)
{
    struct mcti_adding_bundle *b = a->bundle;
    struct mcti_str manifest = mcti_buf_str(&b->bundle.manifest);
    b->folder = bundle_folder(&b->bundle, err);
    if (!b->folder || mcti_plan_read_manifest(&a->plan, manifest, b->folder, err) < 0)
        return -1;
    bundle_note_signature(a);
    mcti_adding_check_program(a);
    b->was_there = access(b->folder, F_OK) == 0;
    if (a->name)
        return 0;
    a->is_foreign = true;
    free(a->plan.way);
    a->plan.way = strdup("mcpb");
    return mcti_adding_set_name(a, mcti_package_entry_name(mcti_str_of(a->plan.name)), err);
}

int mcti_adding_read_bundle(struct mcti_adding *a, const char *path, const char *sha256, struct mct_error *err)
{
    a->bundle = calloc(1, sizeof *a->bundle);
    if (!a->bundle)
        return mcti_no_memory(err);
    mcti_buf_init(&a->bundle->file, MCT_BUNDLE_BYTES);
    if (bundle_read(a, path, err) < 0)
        return -1;
    struct mcti_str file = mcti_buf_str(&a->bundle->file);
    if (sha256 && !mcti_bundle_has_hash(file, sha256))
        return mcti_fail(err, MCT_ERR_PROTOCOL,
                         "%s: not the file that the registry describes: its SHA-256 is another one", path);
    if (mcti_bundle_open(&a->bundle->bundle, file, err) < 0 || bundle_plan(a, err) < 0)
        return err->kind == MCT_ERR_PROTOCOL ? mcti_error_wrap(err, "%s", path) : -1;
    return 0;
}

int mcti_adding_unpack(struct mcti_adding *a, struct mct_error *err)
{
    if (!a->bundle)
        return 0;
    if (mcti_zip_unpack(&a->bundle->bundle.zip, a->bundle->folder, err) < 0)
        return -1;
    a->bundle->unpacked = true;
    return 0;
}

void mcti_adding_undo_bundle(struct mcti_adding *a)
{
    if (a->bundle && a->bundle->unpacked && !a->bundle->was_there)
        mcti_zip_remove(a->bundle->folder);
}

void mcti_adding_close_bundle(struct mcti_adding *a)
{
    if (!a->bundle)
        return;
    mcti_bundle_done(&a->bundle->bundle);
    mcti_buf_done(&a->bundle->file);
    free(a->bundle->folder);
    free(a->bundle);
    a->bundle = NULL;
}
