/* What an instance tells its clients about itself. */
#include "api/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static int check_identity(const struct mct_instance *a, const struct mct_identity *id, struct mct_error *err)
{
    struct mcti_str icons = mcti_str_of(id->icons);
    if (a->prepared || a->phase != API_OPEN)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "the instance is already served or started: call mct_instance_identify() before that");
    if (!id->name || !*id->name)
        return mcti_fail(err, MCT_ERR_USAGE, "struct mct_identity: missing \"name\"");
    if (icons.p && (!mcti_json_valid(icons, MCT_LIMIT_JSON_DEPTH, NULL, NULL) || mcti_json_type(icons) != '['))
        return mcti_fail(err, MCT_ERR_USAGE, "struct mct_identity: \"icons\" must be a JSON array");
    if (id->instructions && strlen(id->instructions) > MCT_LIMIT_INSTRUCTIONS)
        return mcti_fail(err, MCT_ERR_LIMIT, "struct mct_identity: \"instructions\" has more than %d bytes",
                         MCT_LIMIT_INSTRUCTIONS);
    return 0;
}

/* Returns the Implementation object of the identity, to be freed; NULL when out of memory. */
static char *write_identity(const struct mct_identity *id)
{
    const struct {
        const char *key, *text;
    } texts[] = { { "name", id->name },
                  { "title", id->title },
                  { "version", id->version ? id->version : "" },
                  { "description", id->description },
                  { "websiteUrl", id->website_url } };
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text)
            mcti_json_put_member(&b, texts[i].key, mcti_str_of(texts[i].text));
    if (id->icons) {
        mcti_json_put_key(&b, "icons");
        mcti_json_put_compact(&b, mcti_str_of(id->icons));
    }
    mcti_buf_addc(&b, '}');
    char *text = mcti_buf_take(&b);
    mcti_buf_done(&b);
    return text;
}

int mct_instance_identify(struct mct_instance *r, const struct mct_identity *identity, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mct_identity id;
    if (mcti_sized_copy(&id, sizeof id, identity, "struct mct_identity", err) < 0 || check_identity(a, &id, err) < 0)
        return -1;
    char *info = write_identity(&id), *instructions = id.instructions ? strdup(id.instructions) : NULL;
    if (!info || (id.instructions && !instructions)) {
        free(info);
        free(instructions);
        return mcti_no_memory(err);
    }
    free(a->server_info);
    free(a->instructions);
    a->server_info = info;
    a->instructions = instructions;
    a->inst.present =
        (struct mcti_presentation){ .server_info = info,
                                    .instructions = instructions,
                                    .kinds = (id.tools ? 1u << MCT_TOOL : 0) | (id.resources ? 1u << MCT_RESOURCE : 0) |
                                             (id.prompts ? 1u << MCT_PROMPT : 0) };
    return a->own ? mcti_api_present_own(a, err) : 0;
}
