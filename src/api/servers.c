/* Adding, removing and restarting servers of a running instance. */
#include "api/impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "config/import/import.h"
#include "instance/change.h"

#include <mcptools/servers.h>
#include <stdlib.h>

/* Fails with *err if the one server of the configuration cannot be used. */
static int check_entry(const struct mcti_config *c, struct mct_error *err)
{
    for (size_t i = 0; i < c->n_problems; i++)
        if (c->problems[i].fatal)
            return mcti_fail(err, MCT_ERR_CONFIG, "%s", c->problems[i].text);
    if (c->n_servers != 1)
        return mcti_fail(err, MCT_ERR_CONFIG, "the entry must be a JSON object with \"command\" or \"url\"");
    if (!c->servers[0].error.kind)
        return 0;
    if (err)
        *err = c->servers[0].error;
    return -1;
}

int mcti_api_add_servers(struct mct_instance *a, struct mcti_config *from, struct mct_error *err)
{
    size_t n = a->inst.registry.n;
    if (a->own && mcti_config_find(from, mcti_str_of(a->own->name)) && mcti_api_name_own(a, from) < 0)
        return mcti_no_memory(err);
    int r = mcti_instance_add_servers(&a->inst, from, a->phase == API_STARTED, err);
    for (; n < a->inst.registry.n; n++)
        mcti_api_request_level(a, a->inst.registry.v[n]);
    mcti_api_check_states(a);
    return r;
}

static int add_entry(struct mct_instance *a, const char *name, struct mcti_str entry, struct mct_error *err)
{
    struct mcti_config one;
    struct mcti_buf text;
    if (mcti_json_read_object(entry, "the entry", &entry, err) < 0) {
        if (err)
            err->kind = MCT_ERR_CONFIG;
        return -1;
    }
    mcti_config_init(&one);
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&text, "{\"mcpServers\":{");
    mcti_json_put_string(&text, mcti_str_of(name));
    mcti_buf_addc(&text, ':');
    mcti_buf_add(&text, entry);
    mcti_buf_addz(&text, "}}");
    int r = mcti_buf_ok(&text) ? 0 : mcti_no_memory(err);
    if (r == 0) {
        mcti_config_read(&one, "(entry)", text.p, text.len);
        r = check_entry(&one, err) < 0 ? -1 : mcti_api_add_servers(a, &one, err);
    }
    mcti_buf_done(&text);
    mcti_config_done(&one);
    return r;
}

int mct_instance_add_server(struct mct_instance *a, const char *name, const char *entry, struct mct_error *err)
{
    if (a->phase > API_STARTED)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
    if (!name || !*name || !entry)
        return mcti_fail(err, MCT_ERR_USAGE, "the server needs a name and an entry");
    if (!mcti_utf8_valid(mcti_str_of(name)))
        return mcti_fail(err, MCT_ERR_USAGE, "the name of the server is not valid UTF-8");
    if (mcti_config_find(&a->inst.config, mcti_str_of(name)))
        return mcti_fail(err, MCT_ERR_USAGE, "server '%s' exists already", name);
    return add_entry(a, name, mcti_str_of(entry), err);
}

/* Returns the server of a started instance, or NULL with *err. */
static struct mcti_provider *running_server(struct mct_instance *a, const char *name, struct mct_error *err)
{
    return mcti_api_check_started(a, err) < 0 ? NULL : mcti_api_find_server(a, name ? name : "", err);
}

int mct_instance_remove_server(struct mct_instance *a, const char *name, struct mct_error *err)
{
    struct mcti_provider *p = running_server(a, name, err);
    if (p && p->login)
        mcti_api_end_logins(a, p);
    if (!p || mcti_instance_remove_server(&a->inst, p, err) < 0)
        return -1;
    mcti_api_forget_subs(a, p);
    mcti_api_check_states(a);
    return 0;
}

int mct_instance_restart_server(struct mct_instance *a, const char *name, struct mct_error *err)
{
    struct mcti_provider *p = running_server(a, name, err);
    if (!p)
        return -1;
    if (!p->ops->restart)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "server '%s' has no connection", p->name);
    mcti_registry_restart(&a->inst.registry, p);
    return 0;
}
