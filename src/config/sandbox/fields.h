/* The keys of "sandbox", of a server and of all servers; needs the macros of config/fields.h. */
#ifndef MCT_CONFIG_SANDBOX_FIELDS_H
#define MCT_CONFIG_SANDBOX_FIELDS_H

/* The rows of "sandbox"; OWNER has a member `sandbox`. */
#define FIELDS_OF_SANDBOX(mode_preset)                                                                                 \
    FIELD_ENUM(                                                                                                        \
        "mode", sandbox.mode, mcti_sandbox_modes,                                                                      \
        "`strict`: the program is started only if all of its sandbox holds. `best-effort`: it is started with "        \
        "what this system can do. `off`: it may do what the user may. `\"sandbox\": \"strict\"` is the same as "       \
        "an object with the mode alone.",                                                                              \
        .preset = mode_preset),                                                                                        \
        FIELD_STRINGS(                                                                                                 \
            "read", sandbox.read,                                                                                      \
            "Further files and folders that the program may read and execute. Variables and a leading `~` are "        \
            "expanded.",                                                                                               \
            .or_one = true),                                                                                           \
        FIELD_STRINGS("write", sandbox.write, "Further files and folders that it may also change.", .or_one = true),   \
        FIELD_STRINGS(                                                                                                 \
            "network", sandbox.network,                                                                                \
            "`on`, `off`, or a list of `HOST:PORT` that it may reach through a proxy of the gateway; `*.DOMAIN` "      \
            "and `*` are possible as host, `*` as port.",                                                              \
            .or_one = true, .preset = "`on`"),                                                                         \
        FIELD_STRING("memory", sandbox.memory, "Memory of all its processes, such as `512m` or `2g`.",                 \
                     .preset = "no limit"),                                                                            \
        FIELD_UINT("processes", sandbox.processes, 1, 1000000, "Number of its processes and threads.",                 \
                   .preset = "no limit"),                                                                              \
        FIELD_STRINGS("allow", sandbox.allow,                                                                          \
                      "Further permissions: `namespaces` (browsers need them), `unix-sockets` (D-Bus, Docker, the "    \
                      "screen), `debug` (ptrace), `private-addresses` (names in `network` may lead to them).",         \
                      .or_one = true)

#endif
