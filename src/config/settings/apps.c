/* "serve.apps": MCP Apps. */
#include "config/read_impl.h"

#define OWNER struct mcti_config

static const struct mcti_word app_only_words[] = { { "merged", MCT_APP_ONLY_MERGED },
                                                   { "single", MCT_APP_ONLY_SINGLE },
                                                   { 0 } };
static const struct mcti_word hiding_words[] = {
    { "undeclared", MCT_HIDE_UNDECLARED }, { "never", MCT_HIDE_NEVER }, { "always", MCT_HIDE_ALWAYS }, { 0 }
};
static const struct mcti_word modes_words[] = { { "keep", MCT_APP_MODES_KEEP }, { "hide", MCT_APP_MODES_HIDE }, { 0 } };
static const struct mcti_word names_words[] = { { "remember", MCT_APP_NAMES_REMEMBER },
                                                { "inject", MCT_APP_NAMES_INJECT },
                                                { 0 } };

const struct mcti_config_field mcti_config_apps_fields[] = {
    FIELD_ENUM("app_only", apps.app_only, app_only_words,
               "Tools that only apps may call. `merged`: they exist at every endpoint. `single`: only at "
               "`/mcp/SERVER`, so that apps of other servers cannot call them."),
    FIELD_ENUM("hide_app_only", apps.hiding, hiding_words,
               "Which clients do not get these tools in lists: those that do not declare the extension "
               "(`undeclared`), none, or all. Calls work in any case."),
    FIELD_ENUM("modes", apps.modes, modes_words,
               "In the modes `search` and `router`: `keep` lists tools of apps for clients that declare the extension, "
               "and lets them be called by name; `hide` treats them like other tools."),
    FIELD_ENUM("names", apps.names, names_words,
               "How a call by a name of several servers is resolved at `/mcp`, because apps use the names of their own "
               "server. `remember`: to the only server whose apps the client uses. `inject`: always to the server of "
               "the app; a script in its page replaces the name."),
    { 0 },
};
