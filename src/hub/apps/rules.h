/* The settings of Apps ("serve.apps" of the configuration). Zeroed: the defaults. */
#ifndef MCT_HUB_APPS_RULES_H
#define MCT_HUB_APPS_RULES_H

/* Where there are tools that the model may not call, only apps. */
enum mcti_app_only {
    MCT_APP_ONLY_MERGED, /* at every endpoint */
    MCT_APP_ONLY_SINGLE, /* at endpoints of one server, so that no app can call those of other servers */
};

/* Which clients do not get these tools in their lists. */
enum mcti_app_hiding {
    MCT_HIDE_UNDECLARED, /* those that do not declare the extension */
    MCT_HIDE_NEVER,
    MCT_HIDE_ALWAYS,
};

/* Tools of apps while all other tools are hidden (search mode, router mode). */
enum mcti_app_modes {
    MCT_APP_MODES_KEEP, /* they are listed for clients that declare the extension, and called by name */
    MCT_APP_MODES_HIDE,
};

/* How a tool is found that an app calls by a name of several servers. */
enum mcti_app_names {
    MCT_APP_NAMES_REMEMBER, /* by the apps that the client uses, see memory.h */
    MCT_APP_NAMES_INJECT,   /* a script in the page replaces the names */
};

struct mcti_app_rules {
    enum mcti_app_only app_only;
    enum mcti_app_hiding hiding;
    enum mcti_app_modes modes;
    enum mcti_app_names names;
};

#endif
