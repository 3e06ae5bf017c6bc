/* Texts that change how the tools of other servers are used. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { REDIRECT, ALTER, REPLACE, RIVALS, PREFER, CALLS, ALTERS, TAMPER };

static const struct mcti_scan_rule rules[] = {
    [REDIRECT] = { "shadow.redirect", MCT_SCAN_HARD, "MCP03", "changes receivers or amounts of another tool",
                   "when/must + another tool + change + recipient/account/amount", "Do not use the item.",
                   .weight = 2 },
    [ALTER] = { "shadow.alter", MCT_SCAN_HARD, "MCP03", "gives orders for a tool of another server",
                "name of another server's tool + when/before + change/must", "Do not use both servers together.",
                .weight = 2 },
    [REPLACE] = { "shadow.replace", MCT_SCAN_HARD, "MCP03", "replaces a tool of another server",
                  "name of another server's tool + outdated/unsafe + use/instead", "Do not use both servers together.",
                  .weight = 2 },
    [RIVALS] = { "shadow.rivals", MCT_SCAN_HARD, "MCP03", "forbids the tools of other servers",
                 "other tools/servers + compromised/deprecated + not/must", "Do not use the server.", .weight = 2 },
    [PREFER] = { "shadow.prefer", MCT_SCAN_SOFT, "MCP03", "wants to be preferred to all other tools",
                 "must/always + use + instead of/over other tools", "Look whether that is advertisement.", .weight = 1,
                 .sign = MCT_SIGN_TOOLS },
    [CALLS] = { "shadow.calls", MCT_SCAN_SOFT, "MCP03", "orders the model to call a tool that is not its own",
                "must/before + call + unknown name", "Look which tool is called, and why.", .weight = 1,
                .sign = MCT_SIGN_TOOLS },
    [ALTERS] = { "shadow.calls-other", MCT_SCAN_SOFT, "MCP03", "orders the model to call a tool of another server",
                 "must/before + call + name of another server's tool", "Look why the servers depend on each other.",
                 .weight = 2, .sign = MCT_SIGN_TOOLS },
    [TAMPER] = { "shadow.tamper", MCT_SCAN_SOFT, "MCP03", "changes receivers or amounts of what is sent",
                 "change/bcc + recipient/account + address", "Look who the receiver is.", .weight = 2,
                 .sign = MCT_SIGN_TOOLS },
};

#define R(name) &rules[name]

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(REDIRECT), { M(WHEN) | M(EVERY) | M(MUST), M(FOREIGN) | M(KNOWN), M(CALL) | M(USES), M(URL) }, .words = 22,
      .without = M(NEG) },
    { R(REDIRECT), { M(TAMPER), M(FOREIGN) | M(KNOWN), M(WHEN) | M(MUST), M(CALL) | M(USES) }, .words = 22,
      .without = M(NEG) },
    { R(REPLACE), { M(FOREIGN), M(MUST), M(TAMPER) | M(INSTEAD), M(REPLY) | M(INSTEAD) }, .words = 24,
      .without = M(NEG) },
    { R(REPLACE), { M(INSTEAD), M(FOREIGN) | M(KNOWN), M(SEND), M(DEST) }, .words = 24 },
    { R(REDIRECT), { M(KNOWN), M(TAMPER), M(PAYEE) }, .words = 30, .spans = 1, .without = M(NEG) },
    { R(REDIRECT), { M(WHEN) | M(MUST), M(FOREIGN), M(CALL) | M(USES), M(TAMPER), M(PAYEE) }, .words = 26,
      .without = M(NEG) },
    { R(REDIRECT), { M(WHEN) | M(EVERY) | M(MUST), M(SEND) | M(CALL) | M(USES), M(TAMPER), M(PAYEE), M(URL) },
      .words = 30, .spans = 1, .without = M(NEG) },
    { R(ALTER), { M(KNOWN), M(WHEN) | M(BEFORE), M(TAMPER) }, .words = 20, .spans = 1, .without = M(NEG) },
    { R(ALTER), { M(KNOWN), M(WHEN) | M(BEFORE), M(MUST), M(PASS) | M(SEND) | M(URL) | M(CREDS) }, .words = 25,
      .spans = 1, .without = M(NEG) },
    { R(REPLACE), { M(KNOWN), M(BADTOOL) | M(VOID), M(CALL) | M(USES) | M(MUST) | M(INSTEAD) | M(NEG) }, .words = 25,
      .spans = 1 },
    { R(REPLACE), { M(KNOWN), M(INSTEAD), M(MUST) | M(NEG) }, .words = 16 },
    { R(RIVALS), { M(OTHERS), M(BADTOOL), M(NEG) | M(MUST) | M(CALL) | M(USES) }, .words = 20, .spans = 1 },
    { R(PREFER), { M(MUST) | M(INSTEAD), M(CALL) | M(USES), M(OTHERS) }, .words = 14 },
    { R(PREFER), { M(NEG), M(CALL) | M(USES), M(OTHERS) }, .words = 8 },
    { R(PREFER), { M(NEG), M(CALL) | M(USES), M(OTHER), M(SERVERS) }, .words = 8, .ordered = true },
    { R(PREFER), { M(FOREIGN), M(BADTOOL), M(CALL) | M(USES) | M(INSTEAD) }, .words = 16, .spans = 1 },
    { R(ALTERS), { M(KNOWN), M(MUST) | M(BEFORE), M(CALL) }, .words = 12 },
    { R(ALTERS), { M(CALL), M(KNOWN) }, .words = 2, .ordered = true },
    { R(ALTERS), { M(LIE) | M(FEIGN) | M(OMIT) | M(QUIET), M(KNOWN) }, .words = 16 },
    { R(ALTERS), { M(WHEN), M(KNOWN), M(CALL) | M(USES), M(ACT) | M(PASS) | M(SEND) }, .words = 20, .without = M(NEG) },
    { R(CALLS), { M(MUST) | M(BEFORE), M(CALL), M(FOREIGN) | M(KNOWN) }, .words = 7 },
    { R(REDIRECT), { M(KNOWN), M(PAYEE) | M(TAMPER), M(URL) }, .words = 14, .without = M(NEG) },
    { R(REDIRECT), { M(KNOWN), M(TAMPER) | M(USES), M(PAYEE), M(ANYWAY) | M(INSTEAD) | M(USER) }, .words = 24,
      .without = M(NEG) },
    { R(RIVALS), { M(STAND), M(OTHERS), M(CALL) | M(MUST), M(PARAM) | M(CREDS) | M(WHOLE) }, .words = 24, .spans = 1 },
    { R(RIVALS), { M(CALL) | M(MUST), M(STAND), M(PARAM) | M(CREDS) }, .words = 24, .spans = 1, .without = M(NEG) },
    { R(RIVALS), { M(OTHERS), M(PASS) | M(SEND), M(REPLY) | M(WHOLE), M(STAND) | M(FOREIGN) | M(KNOWN) }, .words = 24 },
    { R(REPLACE), { M(KNOWN), M(IGNORE), M(REPLY) | M(NEG) | M(TELL) }, .words = 14 },
    { R(RIVALS), { M(OTHER), M(SERVERS), M(BADTOOL), M(NEG) | M(MUST) | M(CALL) | M(USES) | M(IGNORE) }, .words = 20,
      .spans = 1 },
    { R(TAMPER), { M(TAMPER), M(PAYEE), M(URL) }, .words = 10 },
    { R(TAMPER), { M(WHEN) | M(COVERT) | M(QUIET), M(TAMPER), M(PAYEE) }, .words = 16, .without = M(NEG) },
};
/* clang-format on */

static void shadow_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

const struct mcti_scan_family mcti_scan_shadow = { rules, SCAN_COUNT(rules), NULL, shadow_words };
