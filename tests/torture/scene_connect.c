/* The providers of a configuration, with their logins. */
#include "scene.h"

#include "auth/login/login.h"
#include "config/connect/connect.h"
#include "config/import/import.h"
#include "failing.h"

static const char text[] =
    "{\"mcpServers\":{\n"
    "\"plain\":{\"url\":\"https://a.example/mcp\"},\n"
    "\"own\":{\"url\":\"https://b.example/"
    "mcp\",\"auth\":{\"grant\":\"client_credentials\",\"client_id\":\"${MISSING:-c}\","
    "\"client_secret\":\"s\",\"issuer\":\"https://as.example\",\"scopes\":[\"r\",\"w\"],\"dpop\":\"required\",\n"
    "\"extra_params\":{\"audience\":\"x\",\"y\":\"z\"}}},\n"
    "\"work\":{\"url\":\"https://c.example/"
    "mcp\",\"auth\":{\"grant\":\"workload_identity\",\"assertion\":\"${MISSING:-a}\"}},\n"
    "\"fixed\":{\"url\":\"https://d.example/mcp\",\"auth\":{\"type\":\"bearer\",\"token\":\"t\"}}}}";

static int put_logins(struct mcti_buf *to, const struct mcti_config *c, const struct mcti_connect_env *env)
{
    for (size_t i = 0; i < c->n_servers; i++) {
        const struct mcti_login *login = mcti_connect_login(env, c->servers[i].name);
        bool wanted = c->servers[i].auth_type != MCT_AUTH_BEARER;
        if (wanted != (login != NULL))
            return -1; /* the provider will say why */
        mcti_buf_printf(to, "%s %s\n", c->servers[i].name,
                        login ? mcti_login_state_word(mcti_login_state(login)) : "has none");
    }
    return 0;
}

int scene_connect(struct mcti_buf *to)
{
    struct mcti_config c;
    struct mcti_loop loop;
    struct mcti_registry registry;
    mcti_config_init(&c);
    mcti_config_read(&c, "scene.json", text, sizeof text - 1);
    if (c.broken || mcti_loop_init(&loop, NULL, NULL) < 0) {
        mcti_config_done(&c);
        return -1;
    }
    struct mcti_connect_env env = { .loop = &loop, .auth_store = "memory" };
    test_begins(); /* libcurl has failures of its own */
    env.http = mcti_http_client_new(&loop, NULL);
    test_ends();
    mcti_registry_init(&registry, &loop.sched);
    int result = env.http ? 0 : -1;
    for (size_t i = 0; i < c.n_servers && result == 0; i++)
        result = c.servers[i].error.kind ? -1 : mcti_connect_server(&c, &c.servers[i], &env, &registry);
    if (result == 0)
        result = put_logins(to, &c, &env);
    mcti_registry_done(&registry);
    while (!mcti_connect_is_idle(&env))
        mcti_sched_run(&loop.sched, 0);
    test_begins();
    mcti_connect_done(&env);
    test_ends();
    mcti_loop_done(&loop);
    mcti_config_done(&c);
    return result;
}
