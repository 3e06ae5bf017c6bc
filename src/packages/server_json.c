/* From a package or remote of server.json to a plan. */
#include "packages/server_json.h"

#include "auth/wire/url.h"
#include "packages/impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 200, IDENTIFIER_BYTES = 300 };

/* ---- names ---- */

static bool name_is_made_of(struct mcti_str s, const char *others)
{
    for (size_t i = 0; i < s.len; i++)
        if (!isalnum((unsigned char)s.p[i]) && !(s.p[i] && strchr(others, s.p[i])))
            return false;
    return s.len && s.len <= IDENTIFIER_BYTES && s.p[0] != '-';
}

bool mcti_package_name_is_valid(struct mcti_str name)
{
    struct mcti_str rest = name, space, last;
    bool two = mcti_str_split(&rest, '/', &space) && rest.p;
    last = two ? rest : MCT_STR_NONE;
    return two && name.len <= NAME_BYTES && name_is_made_of(space, ".-") && name_is_made_of(last, "._-");
}

struct mcti_str mcti_package_name(struct mcti_str word, struct mcti_str *ret_version)
{
    const char *at = memchr(word.p, '@', word.len);
    *ret_version = at ? mcti_str_range(at + 1, word.p + word.len) : MCT_STR_NONE;
    return at ? mcti_str_range(word.p, at) : word;
}

char *mcti_package_entry_name(struct mcti_str name)
{
    const char *slash = name.len ? memrchr(name.p, '/', name.len) : NULL;
    struct mcti_str last = slash ? mcti_str_range(slash + 1, name.p + name.len) : name;
    char *z = mcti_str_dup(last.len > 60 ? (struct mcti_str){ last.p, 60 } : last);
    for (char *p = z; p && *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-')
            *p = '_';
    return z;
}

/* ---- kinds of packages ---- */

struct package {
    struct mcti_str json;
    char *identifier, *version, *hint, *base_url; /* NULL: not given */
};

struct package_kind {
    const char *word, *name; /* name: for people */
    const char *programs[3]; /* that may run it; the first one is the default */
    const char *characters;  /* of an identifier, besides letters and digits */
    const char *base_url;    /* where the packages usually come from */
    void (*add)(struct mcti_plan *p, const struct package *k);
};

static char *package_joined(const char *a, const char *between, const char *b)
{
    char *z = NULL;
    return asprintf(&z, "%s%s%s", a, b && *b ? between : "", b ? b : "") < 0 ? NULL : z;
}

static void package_add_runtime(struct mcti_plan *p, const struct package *k)
{
    mcti_arguments_add(p, mcti_json_get(k->json, "runtimeArguments"));
}

/* Adds the package and its own arguments. */
static void package_add_rest(struct mcti_plan *p, const struct package *k, const char *between)
{
    p->package_at = p->n_args;
    mcti_plan_add_arg(p, NULL, package_joined(k->identifier, between, k->version), -1);
    mcti_arguments_add(p, mcti_json_get(k->json, "packageArguments"));
}

static bool package_has_argument(const struct package *k, const char *list, const char *word)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(k->json, list)); mcti_json_next_item(&it, &item);)
        if (mcti_json_is(mcti_json_get(item, "name"), word) || mcti_json_is(mcti_json_get(item, "value"), word))
            return true;
    return false;
}

static void package_add_source(struct mcti_plan *p, const struct package *k, const char *option, const char *usual)
{
    struct mcti_str url = mcti_str_of(k->base_url);
    if (!k->base_url || (mcti_str_starts(url, mcti_str_of(usual)) && url.len <= strlen(usual) + 1))
        return;
    mcti_plan_add_arg(p, strdup(option), strdup(k->base_url), -1);
    mcti_plan_note(p, true, "the package comes from %s, not from %s", k->base_url, usual);
}

static void package_add_npm(struct mcti_plan *p, const struct package *k)
{
    static const char *const yes[] = { "-y", NULL };
    if (!strcmp(p->command, "npx") && !package_has_argument(k, "runtimeArguments", "-y") &&
        !package_has_argument(k, "runtimeArguments", "--yes"))
        mcti_plan_add_words(p, yes);
    package_add_source(p, k, "--registry", "https://registry.npmjs.org");
    package_add_runtime(p, k);
    package_add_rest(p, k, "@");
}

static void package_add_pypi(struct mcti_plan *p, const struct package *k)
{
    package_add_source(p, k, "--default-index", "https://pypi.org");
    package_add_runtime(p, k);
    package_add_rest(p, k, "@");
}

static void package_add_nuget(struct mcti_plan *p, const struct package *k)
{
    static const char *const yes[] = { "--yes", NULL }, *const dashes[] = { "--", NULL };
    struct mcti_str first;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(k->json, "packageArguments"));
    p->package_at = 0;
    mcti_plan_add_arg(p, NULL, package_joined(k->identifier, "@", k->version), -1);
    mcti_plan_add_words(p, yes);
    package_add_source(p, k, "--source", "https://api.nuget.org/v3/index.json");
    package_add_runtime(p, k);
    if (mcti_json_next_item(&it, &first))
        mcti_plan_add_words(p, dashes);
    mcti_arguments_add(p, mcti_json_get(k->json, "packageArguments"));
}

/* Some documents repeat what every container of a server needs. */
static bool package_is_usual(struct mcti_str json)
{
    static const char *const usual[] = { "run", "-i", "--rm", "--interactive" };
    struct mcti_str value = mcti_json_get(json, "value");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (mcti_json_is(value.p ? value : mcti_json_get(json, "name"), usual[i]))
            return true;
    return false;
}

static void package_add_oci(struct mcti_plan *p, const struct package *k)
{
    static const char *const run[] = { "run", "-i", "--rm", NULL };
    struct mcti_str item;
    mcti_plan_add_words(p, run);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(k->json, "runtimeArguments"));
         mcti_json_next_item(&it, &item);) {
        struct mcti_buf one;
        if (package_is_usual(item) || mcti_arguments_take_env(p, item))
            continue;
        mcti_buf_init(&one, MCT_PLAN_DOCUMENT_BYTES);
        mcti_buf_addc(&one, '[');
        mcti_buf_add(&one, item);
        mcti_buf_addc(&one, ']');
        mcti_arguments_add(p, mcti_buf_str(&one));
        mcti_buf_done(&one);
    }
    p->env_at = p->n_args;
    const char *slash = strrchr(k->identifier, '/');
    bool has_tag = strchr(slash ? slash : k->identifier, ':') || strchr(k->identifier, '@');
    bool is_digest = k->version && !strncmp(k->version, "sha256:", 7);
    const struct package shown = { k->json, k->identifier, has_tag ? NULL : k->version, NULL, NULL };
    package_add_rest(p, &shown, is_digest ? "@" : ":");
}

/* The plan of a bundle is made from its manifest, when it is here. */
static void package_add_mcpb(struct mcti_plan *p, const struct package *k)
{
    p->fetch = strdup(k->identifier);
    p->sha256 = mcti_package_text(mcti_json_get(k->json, "fileSha256"));
}

static const struct package_kind package_kinds[] = {
    { "npm", "npm package", { "npx", "bunx" }, "@/._-~", "https://registry.npmjs.org", package_add_npm },
    { "pypi", "Python package", { "uvx" }, "._-", "https://pypi.org", package_add_pypi },
    { "oci", "container image", { "docker", "podman" }, "./:@_-", NULL, package_add_oci },
    { "docker", "container image", { "docker", "podman" }, "./:@_-", NULL, package_add_oci },
    { "nuget", "NuGet package", { "dnx" }, "._-", "https://api.nuget.org", package_add_nuget },
    { "mcpb", "bundle", { NULL }, "", NULL, package_add_mcpb },
};

static const struct package_kind *package_kind_of(struct mcti_str json)
{
    struct mcti_str type = mcti_json_get(json, "registryType");
    for (size_t i = 0; i < sizeof package_kinds / sizeof *package_kinds; i++)
        if (mcti_json_is(type, package_kinds[i].word))
            return &package_kinds[i];
    return NULL;
}

static void package_read(struct package *k, struct mcti_str json)
{
    *k = (struct package){ .json = json };
    k->identifier = mcti_package_text(mcti_json_get(json, "identifier"));
    k->version = mcti_package_text(mcti_json_get(json, "version"));
    k->hint = mcti_package_text(mcti_json_get(json, "runtimeHint"));
    k->base_url = mcti_package_text(mcti_json_get(json, "registryBaseUrl"));
}

static void package_done(struct package *k)
{
    free(k->identifier);
    free(k->version);
    free(k->hint);
    free(k->base_url);
}

/* Returns the program that runs the package; NULL: the document wants another one. */
static const char *package_program(const struct package_kind *kind, const struct package *k)
{
    if (!k->hint || !*k->hint)
        return kind->programs[0];
    for (size_t i = 0; i < 3 && kind->programs[i]; i++)
        if (!strcmp(k->hint, kind->programs[i]))
            return kind->programs[i];
    return NULL;
}

static bool package_identifier_is_valid(const struct package_kind *kind, const struct package *k)
{
    struct mcti_str id = mcti_str_of(k->identifier);
    if (!*kind->characters)
        return id.p && mcti_auth_url_check(id, "bundle", NULL) == 0;
    return id.p && name_is_made_of(id, kind->characters) && !strstr(id.p, "..") && !strstr(id.p, "//") &&
           id.p[0] != '/' && id.p[0] != '.' && (kind->add != package_add_npm || !strrchr(id.p + 1, '@'));
}

/* Writes why a package cannot be used. */
static void package_judge(const struct package_kind *kind, const struct package *k, struct mcti_package_way *way)
{
    struct mcti_str transport = mcti_json_get(mcti_json_get(k->json, "transport"), "type");
    char *why = way->why_not;
    size_t size = sizeof way->why_not;
    if (!kind)
        snprintf(why, size, "packages of this type are unknown");
    else if (!package_identifier_is_valid(kind, k))
        snprintf(why, size, "its identifier is not one of a %s", kind->name);
    else if (k->version && *k->version && !name_is_made_of(mcti_str_of(k->version), ".+_-:"))
        snprintf(why, size, "its version is not one version");
    else if (k->hint && *k->hint && kind->programs[0] && !package_program(kind, k))
        snprintf(why, size, "it wants to be run by '%.60s', which is not %s", k->hint, kind->programs[0]);
    else if (transport.p && !mcti_json_is(transport, "stdio"))
        snprintf(why, size, "it starts an HTTP server of its own: start it yourself, then add its URL");
}

static void ways_add_package(struct mcti_package_ways *ret, struct mcti_str json)
{
    struct mcti_package_way *way = &ret->v[ret->n];
    const struct package_kind *kind = package_kind_of(json);
    struct package k;
    if (ret->n == MCT_PACKAGE_WAYS)
        return;
    ret->n++;
    package_read(&k, json);
    *way = (struct mcti_package_way){ .word = kind ? kind->word : "?", .json = json };
    if (kind && kind->add == package_add_oci)
        way->word = "oci";
    way->program = kind ? package_program(kind, &k) : NULL;
    bool shows_version =
        k.version && *k.version && kind && kind->add != package_add_mcpb && k.identifier && !strchr(k.identifier, ':');
    snprintf(way->label, sizeof way->label, "%s %s%s%s", kind ? kind->name : "package",
             k.identifier ? k.identifier : "", shows_version ? "@" : "", shows_version ? k.version : "");
    package_judge(kind, &k, way);
    package_done(&k);
}

static void ways_add_remote(struct mcti_package_ways *ret, struct mcti_str json)
{
    struct mcti_package_way *way = &ret->v[ret->n];
    struct mcti_str type = mcti_json_get(json, "type");
    if (ret->n == MCT_PACKAGE_WAYS)
        return;
    ret->n++;
    char *url = mcti_package_text(mcti_json_get(json, "url"));
    *way = (struct mcti_package_way){ .word = "remote", .json = json };
    snprintf(way->label, sizeof way->label, "%s", url ? url : "remote");
    if (!mcti_json_is(type, "streamable-http") && !mcti_json_is(type, "http") && !mcti_json_is(type, "sse"))
        snprintf(way->why_not, sizeof way->why_not, "its transport is unknown");
    else if (!url || (!mcti_is_url(url) && url[0] != '{'))
        snprintf(way->why_not, sizeof way->why_not, "its URL does not begin with http:// or https://");
    free(url);
}

void mcti_package_ways(struct mcti_str server, struct mcti_package_ways *ret)
{
    struct mcti_str item;
    ret->n = 0;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(server, "packages")); mcti_json_next_item(&it, &item);)
        ways_add_package(ret, item);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(server, "remotes")); mcti_json_next_item(&it, &item);)
        ways_add_remote(ret, item);
}

/* ---- plans ---- */

static void plan_read_env(struct mcti_plan *p, struct mcti_str list)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        char *name = mcti_package_text(mcti_json_get(item, "name"));
        const struct mcti_input_place at = { p, MCT_INPUT_ENV, name, false, false };
        bool ok = mcti_package_is_variable(name);
        mcti_plan_add_env(p, ok ? strdup(name) : NULL, ok ? mcti_input_template(&at, item) : NULL);
        free(name);
    }
}

static void plan_read_headers(struct mcti_plan *p, struct mcti_str list)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        char *name = mcti_package_text(mcti_json_get(item, "name"));
        const struct mcti_input_place at = { p, MCT_INPUT_HEADER, name, false, false };
        bool ok = name && mcti_is_header_name(name);
        mcti_plan_add_header(p, ok ? strdup(name) : NULL, ok ? mcti_input_template(&at, item) : NULL);
        free(name);
    }
}

static void plan_read_remote(struct mcti_plan *p, struct mcti_str json)
{
    const struct mcti_input_place at = { p, MCT_INPUT_ARG, NULL, true, false };
    char *url = mcti_package_text(mcti_json_get(json, "url"));
    p->type = mcti_json_is(mcti_json_get(json, "type"), "sse") ? MCT_SERVER_SSE : MCT_SERVER_STREAMABLE_HTTP;
    p->url = url ? mcti_input_text(&at, mcti_str_of(url), mcti_json_get(json, "variables")) : NULL;
    p->failed |= !p->url;
    plan_read_headers(p, mcti_json_get(json, "headers"));
    free(url);
}

static void plan_read_package(struct mcti_plan *p, struct mcti_str json)
{
    const struct package_kind *kind = package_kind_of(json);
    struct package k;
    package_read(&k, json);
    const char *program = kind ? package_program(kind, &k) : NULL;
    p->command = program ? strdup(program) : NULL;
    bool usable = kind && k.identifier && (p->command || kind->add == package_add_mcpb);
    p->failed |= !usable;
    if (usable)
        kind->add(p, &k);
    if (usable && kind->add != package_add_mcpb && kind->add != package_add_oci &&
        (!k.version || !*k.version || !strcmp(k.version, "latest")))
        mcti_plan_note(p, false, "no version is given: each start may fetch another one");
    plan_read_env(p, mcti_json_get(json, "environmentVariables"));
    package_done(&k);
}

int mcti_plan_read_server(struct mcti_plan *p, struct mcti_str server, const struct mcti_package_way *way,
                          struct mct_error *err)
{
    if (*way->why_not)
        return mcti_fail(err, MCT_ERR_USAGE, "%s cannot be used: %s", way->label, way->why_not);
    p->name = mcti_package_text(mcti_json_get(server, "name"));
    p->version = mcti_package_words(mcti_json_get(server, "version"));
    p->title = mcti_package_words(mcti_json_get(server, "title"));
    p->description = mcti_package_words(mcti_json_get(server, "description"));
    p->way = strdup(way->word);
    if (!p->name || !mcti_package_name_is_valid(mcti_str_of(p->name)))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "server.json: \"name\" must be NAMESPACE/NAME");
    if (!strcmp(way->word, "remote"))
        plan_read_remote(p, way->json);
    else
        plan_read_package(p, way->json);
    if (p->failed)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "server.json: %s: invalid, or too large", way->label);
    mcti_plan_inspect(p);
    return 0;
}
