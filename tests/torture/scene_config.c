/* A configuration with a key of each kind, and a mistake. */
#include "scene.h"

#include "config/import/import.h"

static const char text[] =
    "{ // comment\n"
    "  \"mcpServers\": {\n"
    "    \"files\": { \"command\": \"npx -y files\", \"args\": [\"--root\", \"${MISSING:-/tmp}\"],\n"
    "      \"env\": { \"A\": \"1\", \"B\": \"two\" }, \"cwd\": \"sub\", \"timeout\": 5, \"allow\": [\"read_*\"] },\n"
    "    \"issues\": { \"url\": \"https://issues.example.com/mcp\", \"headers\": { \"X-A\": \"b\" },\n"
    "      \"auth\": { \"type\": \"bearer\", \"token\": \"t\" }, \"protocol\": \"2025-06-18\", \"required\": true },\n"
    "    \"claw\": { \"type\": \"openclaw\", \"plugins\": [\"p\"], \"config\": { \"k\": [\"${MISSING:-v}\"] } },\n"
    "    \"wrong\": { \"url\": 7 },\n"
    "  },\n"
    "  \"mcptools\": {\n"
    "    \"serve\": { \"http\": \"127.0.0.1:9000\", \"hosts\": [\"a.example\"], \"tokens\": [\n"
    "      { \"token\": \"0123456789abcdef\", \"name\": \"one\", \"allow\": [\"group:g\"], \"mode\": \"router\" },\n"
    "      { \"token\": \"fedcba9876543210\", \"owner\": true, \"profile\": \"p\" } ] },\n"
    "    \"policy\": { \"deny\": [\"files.write_*\"], \"groups\": { \"g\": [\"files.*\"] }, \"owner_only\": [\"x\"],\n"
    "      \"profiles\": { \"p\": { \"allow\": [\"issues.*\"] } }, \"mutating_tools\": [\"files.rm\"] },\n"
    "    \"names\": { \"scheme\": \"mcp\" }, \"mcp\": { \"preferred\": \"files\" },\n"
    "    \"hooks\": [ { \"on\": \"before\", \"tools\": [\"files.*\"], \"command\": \"check\", \"args\": [\"-q\"] } ],\n"
    "    \"no_such_key\": 1\n"
    "  }\n"
    "}\n";

static void put_strings(struct mcti_buf *to, const struct mcti_strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        mcti_buf_printf(to, " %s", s->v[i]);
    mcti_buf_addc(to, ';');
}

static void put_server(struct mcti_buf *to, const struct mcti_config_server *s)
{
    mcti_buf_printf(to, "%s %s %s %s %s %d:", s->name, s->command ? s->command : "", s->url ? s->url : "",
                    s->auth_token ? s->auth_token : "", s->plugin_config ? s->plugin_config : "", s->error.kind);
    put_strings(to, &s->args);
    put_strings(to, &s->allow);
    put_strings(to, &s->plugins);
    for (size_t i = 0; i < s->env.n; i++)
        mcti_buf_printf(to, "%s=%s ", s->env.v[i].key, s->env.v[i].value);
    mcti_buf_printf(to, "%zu\n", s->headers.n);
}

static void put_config(struct mcti_buf *to, const struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        put_server(to, &c->servers[i]);
    for (size_t i = 0; i < c->n_problems; i++)
        mcti_buf_printf(to, "%s\n", c->problems[i].text);
    put_strings(to, &c->hosts);
    put_strings(to, &c->mutating_tools);
    mcti_buf_printf(to, "%s %s %zu tokens, %zu hooks, %zu groups, %zu profiles, %zu sections, %zu rules\n",
                    c->serve_http, c->preferred ? c->preferred : "", c->n_tokens, c->n_hooks, c->groups.n,
                    c->profiles.n, c->sections.n, c->n_rules);
}

int scene_config(struct mcti_buf *to)
{
    struct mcti_config c;
    mcti_config_init(&c);
    mcti_config_read(&c, "scene.json", text, sizeof text - 1);
    int result = c.broken ? -1 : mcti_config_make_rules(&c);
    if (result == 0)
        put_config(to, &c);
    mcti_config_done(&c);
    return result;
}
