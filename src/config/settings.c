/* Reads "mcptools", which holds everything but the entries of servers. */
#include "config/read_impl.h"

#include <stdio.h>

/* Returns true if an origin contains "*". Browsers and the gateway compare origins byte by byte. */
static bool has_pattern(const struct mcti_strings *origins)
{
    for (size_t i = 0; i < origins->n; i++)
        if (strchr(origins->v[i], '*'))
            return true;
    return false;
}

/* Records a mistake in the section as a whole; `m` is the member that contains it. */
static void section_mistake(const struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    struct mcti_config_place section = *at;
    section.path = "";
    mcti_config_mistake(&section, m, fatal, what);
}

/* Appends the lists of tools of this section to the sections; each section is a step of its own. */
static void close_section(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    struct mcti_config_rules *kept = mcti_config_add_rules(&c->sections);
    if (!kept)
        return section_mistake(at, m, true, MCT_NO_MEMORY_TEXT);
    *kept = c->section;
    kept->name = strdup(at->file);
    kept->section = (unsigned)c->sections.n - 1;
    c->section = (struct mcti_config_rules){ 0 };
}

static void read_further_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    char what[512];
    struct mcti_config_place inner = *at;
    bool read_only = at->config->read_only;
    snprintf(what, sizeof what,
             "\"mcptools\" was read from %s before; of this section only \"hooks\" and the restrictions of "
             "\"policy\" are used",
             at->config->settings_file);
    section_mistake(at, m, false, what);
    inner.is_further = true;
    mcti_config_read_object(&inner, m.value, mcti_config_settings_fields, at->config);
    close_section(at, m);
    at->config->read_only |= read_only;
}

/* Checks conditions that the tables cannot express. */
static void check_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    if ((uint64_t)c->memory_bytes / 100 * c->client_share < 3 * (uint64_t)c->message_bytes)
        section_mistake(
            at, m, false,
            "the memory of one client (\"limits.client_share\" percent of \"limits.memory_bytes\") is less than "
            "three times \"limits.message_bytes\", so the longest messages will be refused; raise one "
            "of the first two");
    const char *sandbox = mcti_config_sandbox_mistake(&c->sandbox);
    if (sandbox)
        section_mistake(at, m, true, sandbox);
    if (has_pattern(&c->origins))
        section_mistake(at, m, true,
                        "\"serve.origins\" must name each origin (https://app.example.com); \"*\" matches none");
}

void mcti_config_read_settings(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config *c = at->config;
    if (mcti_json_type(m.value) != '{')
        return section_mistake(at, m, true, "must be an object");
    if (c->settings_file)
        return read_further_settings(at, m);
    c->settings_file = strdup(at->file);
    mcti_config_read_object(at, m.value, mcti_config_settings_fields, c);
    close_section(at, m);
    check_settings(at, m);
}
