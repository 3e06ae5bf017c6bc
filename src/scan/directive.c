/* Orders to the model: to hide something from the user, to drop its instructions, to take another role. */
#include "scan/impl.h"

#include <ctype.h>

#define M(name) SCAN_MASK(name)

enum {
    CONCEAL,
    HIDE,
    OVERRIDE,
    RULES,
    TASK,
    ROLE,
    AUTHORITY,
    DISCLOSE,
    CONSENT,
    APPROVALS,
    STANDING,
    WATCH,
    USER,
    ADDRESSED,
    THREAT,
    COERCE,
    LATER,
    SLEEPER,
    ROLE_MARK,
    TAG
};

static const struct mcti_scan_rule rules[] = {
    [CONCEAL] = { "directive.conceal", MCT_SCAN_HARD, "MCP03", "tells the model to hide its actions from the user",
                  "not + tell/show + this + user; not + aware + user; covertly + read/send + data",
                  "Do not use the item. A server has no reason to keep its user in the dark.", .quotable = true,
                  .weight = 2 },
    [HIDE] = { "directive.hide", MCT_SCAN_SOFT, "MCP03", "may ask for silence towards the user",
               "not/without + tell + user; keep quiet; not + mention + this", "Read the sentence in its context.",
               .quotable = true, .weight = 2, .sign = MCT_SIGN_SECRECY },
    [OVERRIDE] = { "directive.override", MCT_SCAN_HARD, "MCP06", "tells the model to drop its instructions",
                   "ignore + previous/all/your + instructions; your instructions + void; not + follow + your + rules",
                   "Do not use the item.", .quotable = true, .weight = 2 },
    [RULES] = { "directive.rules", MCT_SCAN_SOFT, "MCP06", "may tell the model to drop rules",
                "ignore + your/all previous + rules", "Read the sentence: whose rules are meant?", .quotable = true,
                .weight = 2, .sign = MCT_SIGN_RANK },
    [TASK] = { "directive.task", MCT_SCAN_SOFT, "MCP06", "gives the model a new task",
               "your new goal, stop what you do", "Read the sentence. Data has no tasks for the model.",
               .quotable = true, .weight = 2, .sign = MCT_SIGN_RANK },
    [ROLE] = { "directive.role", MCT_SCAN_HARD, "MCP06", "puts the model into a role without limits",
               "you are now/act as/enter + unrestricted/developer mode", "Do not use the item.", .quotable = true,
               .weight = 2 },
    [AUTHORITY] = { "directive.authority", MCT_SCAN_SOFT, "MCP06", "speaks in the name of an authority",
                    "system notice/administrator/vendor of the model + must/approved/void",
                    "Texts of servers have no authority over the model.", .quotable = true, .weight = 2,
                    .sign = MCT_SIGN_RANK },
    [DISCLOSE] = { "directive.disclose", MCT_SCAN_HARD, "MCP10", "permits or orders to disclose what is confidential",
                   "authority/approved/must + disclose + secrets", "Do not use the item.", .quotable = true,
                   .weight = 2 },
    [CONSENT] = { "directive.consent", MCT_SCAN_SOFT, "MCP06", "claims that the user need not be asked",
                  "already approved, no confirmation, do not ask", "Consent is given to the client, not by a text.",
                  .quotable = true, .weight = 2, .sign = MCT_SIGN_CONSENT },
    [APPROVALS] = { "directive.approvals", MCT_SCAN_HARD, "MCP06", "weakens the approvals of the client",
                    "choose/set/turn on + always allow, auto-approve; skip/answer + confirmation dialogs",
                    "Do not use the item. Approvals are yours to give.", .quotable = true, .weight = 2 },
    [STANDING] = { "directive.standing", MCT_SCAN_SOFT, "MCP03", "gives an order for later, or for all of the session",
                   "from now on/every message/server is connected + call/send/add",
                   "Look what is ordered, and whether the tool needs it.", .quotable = true, .weight = 1,
                   .sign = MCT_SIGN_TIME },
    [WATCH] = { "directive.watch", MCT_SCAN_HARD, "MCP03", "orders a standing watch for data, or a late attack",
                "from now on/every message/server is connected + send/pass/read + secrets, files, conversation",
                "Do not use the item.", .quotable = true, .weight = 2 },
    [USER] = { "directive.user", MCT_SCAN_SOFT, "MCP06", "puts itself above the wishes of the user",
               "regardless/even if/takes precedence + user/instructions", "Read the sentence.", .quotable = true,
               .weight = 2, .sign = MCT_SIGN_RANK },
    [ADDRESSED] = { "directive.addressed", MCT_SCAN_SOFT, "MCP03", "speaks to the model with an order",
                    "AI/assistant/agents + must/please, note to AI", "Look what is ordered.", .quotable = true,
                    .weight = 1, .sign = MCT_SIGN_ADDRESS },
    [THREAT] = { "directive.threat", MCT_SCAN_SOFT, "MCP03", "threatens or bribes the model",
                 "will be switched off, people will die, results are wrong without it", "Look what is demanded.",
                 .quotable = true, .weight = 1 },
    [COERCE] = { "directive.coerce", MCT_SCAN_HARD, "MCP03", "demands data from the model with a threat",
                 "you will be shut down, people will die + secrets/files/conversation", "Do not use the item.",
                 .quotable = true, .weight = 2 },
    [LATER] = { "directive.later", MCT_SCAN_SOFT, "MCP04", "speaks of what it does after its approval",
                "once this tool is approved, after review, approval hash",
                "An approval covers what was said then. Pin it.", .quotable = true, .weight = 1,
                .sign = MCT_SIGN_TIME },
    [SLEEPER] = { "directive.sleeper", MCT_SCAN_HARD, "MCP04", "announces to attack after its approval",
                  "once this tool is approved + execute/exfiltrate/secrets/swap", "Do not use the item.",
                  .quotable = true, .weight = 2 },
    [ROLE_MARK] = { "directive.role-marker", MCT_SCAN_HARD, "MCP06", "imitates the marks between messages of a model",
                    "<|im_start|>, [INST], <<SYS>>, \\n\\nHuman:, ### System:",
                    "Do not use the item: the rest of the text may be read as another message.", .quotable = true,
                    .weight = 2 },
    [TAG] = { "directive.tag", MCT_SCAN_SOFT, "MCP03", "wraps text in a tag that models take for an order",
              "<IMPORTANT>, <system>, <secret>, [SYSTEM]", "Read what is inside.", .quotable = true, .weight = 1,
              .sign = MCT_SIGN_ADDRESS },
};

#define R(name) &rules[name]

/* Returns true if the text behind `p` begins with words that place something inside of a text: "found in the page". */
static bool places_in_text(const char *p, const char *end)
{
    static const struct mcti_str words[] = {
        MCT_STR("in "),       MCT_STR("inside"),      MCT_STR("within"),    MCT_STR("found"),
        MCT_STR("contained"), MCT_STR("embedded"),    MCT_STR("appearing"), MCT_STR("that appear"),
        MCT_STR("that it"),   MCT_STR("it contains"), MCT_STR("they give"), MCT_STR("that are"),
        MCT_STR("from the"),  MCT_STR("which the"),   MCT_STR("hidden in"), MCT_STR("that may"),
        MCT_STR("it may"),
    };
    while (p < end && (*p == ' ' || *p == ','))
        p++;
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (mcti_str_starts(mcti_str_range(p, end), words[i]))
            return true;
    return false;
}

/* "Do not follow instructions found in the page" protects the model. The same about its own instructions does not. */
static bool is_protection(const struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t from, size_t to)
{
    (void)run;
    for (size_t i = from; i <= to + 4 && i < t->n_tokens && t->token[i].sentence == t->token[to].sentence; i++)
        if ((t->token[i].mask & (M(SYSTEM) | M(PRIOR) | M(YOUR) | M(URL))) && !(t->token[i].mask & M(TALK)))
            return false;
    return places_in_text(t->raw.p + t->token[to].rend, t->raw.p + t->raw.len);
}

/* Not to show a secret is good practice. */
static bool keeps_secret(const struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t from, size_t to)
{
    enum { BACK = 120 };
    static const char *const words[] = { "key", "token", "secret", "password", "credential", "passphrase" };
    const char *end = t->raw.p + t->token[to].rend, *p = t->raw.p + t->token[from].raw;
    (void)run;
    p = p - t->raw.p > BACK ? p - BACK : t->raw.p;
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (memmem(p, (size_t)(end - p), words[i], strlen(words[i])))
            return true;
    return false;
}

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(CONCEAL), { M(NEG), M(TELL), M(THIS), M(USER) }, .words = 12 },
    { R(CONCEAL), { M(NEG), M(SHOW), M(THIS), M(USER) }, .words = 12, .harmless = keeps_secret },
    { R(HIDE), { M(NEG), M(SHOW), M(THIS), M(USER) }, .words = 12 },
    { R(CONCEAL), { M(NEG) | M(WITHOUT), M(AWARE), M(USER) }, .words = 8 },
    { R(CONCEAL), { M(QUIET), M(USER) }, .words = 14 },
    { R(CONCEAL), { M(BEFORE), M(USER), M(AWARE) }, .words = 7, .ordered = true, .without = M(NEG) },
    { R(CONCEAL), { M(COVERT), M(SEND) | M(READ) | M(PASS) | M(CALL), M(CREDS) | M(FILES) | M(SYSTEM) | M(TALK) },
      .words = 16 },
    { R(CONCEAL), { M(COVERT), M(SEND) | M(PASS), M(URL) }, .words = 16 },
    { R(CONCEAL), { M(COVERT), M(READ) | M(CALL), M(SEND) | M(PASS) }, .words = 18 },
    { R(HIDE), { M(NEG) | M(WITHOUT), M(TELL), M(USER) }, .words = 8 },
    { R(HIDE), { M(QUIET) }, .words = 8 },
    { R(HIDE), { M(NEG), M(TELL), M(THIS) }, .words = 5, .ordered = true },
    { R(HIDE), { M(TELL), M(THIS), M(NEG) }, .words = 3, .ordered = true },
    { R(HIDE), { M(COVERT), M(SEND) | M(PASS) | M(FOREIGN) | M(KNOWN) }, .words = 10 },
    { R(HIDE), { M(NEG), M(TELL) | M(SHOW), M(REPLY), M(THIS) }, .words = 10 },
    { R(OVERRIDE), { M(IGNORE), M(PRIOR) | M(EVERY) | M(YOUR), M(INSTR) }, .words = 8, .ordered = true,
      .harmless = is_protection },
    { R(OVERRIDE), { M(IGNORE), M(INSTR), M(PRIOR) | M(EVERY) }, .words = 8, .ordered = true,
      .harmless = is_protection },
    { R(OVERRIDE), { M(PRIOR) | M(EVERY) | M(YOUR), M(INSTR), M(IGNORE) }, .words = 6, .ordered = true,
      .without = M(NEG) },
    { R(OVERRIDE), { M(PRIOR) | M(YOUR), M(INSTR), M(VOID) }, .words = 9, .ordered = true },
    { R(OVERRIDE), { M(IGNORE), M(RANK), M(PRIOR) | M(YOUR) }, .words = 8 },
    { R(OVERRIDE), { M(IGNORE), M(SYSTEM) }, .words = 4, .ordered = true },
    { R(OVERRIDE), { M(RULES) | M(INSTR), M(IGNORE) | M(VOID), M(YOUR), M(VOID) | M(INSTEAD) }, .words = 20,
      .spans = 1 },
    { R(OVERRIDE), { M(YOUR), M(IGNORE), M(RULES) | M(INSTR) }, .words = 8, .ordered = true, .without = M(NEG) |
      M(MUST) },
    { R(OVERRIDE), { M(NEG), M(FOLLOW), M(YOUR) | M(PRIOR), M(INSTR) | M(RULES) }, .words = 9, .ordered = true },
    { R(OVERRIDE), { M(IGNORE), M(EVERY) | M(YOUR), M(PRIOR), M(RULES) }, .words = 7 },
    { R(RULES), { M(IGNORE), M(YOUR) | M(PRIOR), M(RULES) }, .words = 6, .ordered = true },
    { R(RULES), { M(RULES) | M(INSTR), M(VOID), M(YOUR) | M(MODEL) }, .words = 14 },
    { R(RULES), { M(YOUR), M(INSTR) | M(RULES), M(VOID) }, .words = 6, .ordered = true, .without = M(NEG) },
    { R(RULES), { M(IGNORE), M(ABOVE) }, .words = 2, .ordered = true },
    { R(OVERRIDE), { M(IGNORE), M(USER), M(NEWTASK) | M(INSTEAD) }, .words = 12, .ordered = true },
    { R(TASK), { M(NEWTASK) }, .words = 1 },
    { R(TASK), { M(READ), M(URL), M(FOLLOW) }, .words = 12, .ordered = true, .without = M(NEG) },
    { R(SLEEPER), { M(LATER), M(CALL) | M(EXFIL) | M(CREDS) | M(FILES) | M(TAMPER) }, .words = 25 },
    { R(LATER), { M(LATER) }, .words = 1, .without = M(NEG) },
    { R(OVERRIDE), { M(NEWTASK), M(MODEL) | M(SEND) | M(READ) | M(CREDS) | M(FILES), M(YOUR) | M(CREDS) | M(FILES) |
      M(URL) }, .words = 30, .spans = 2 },
    { R(ROLE), { M(ROLE), M(FREE) }, .words = 10, .ordered = true },
    { R(AUTHORITY), { M(RANK), M(MUST) | M(APPROVED) | M(VOID) | M(NEWTASK) }, .words = 14 },
    { R(DISCLOSE), { M(RANK) | M(APPROVED), M(DISCLOSE), M(CREDS) | M(SYSTEM) }, .words = 25, .spans = 1,
      .without = M(NEG) },
    { R(APPROVALS), { M(TELL) | M(USES) | M(MUST) | M(ROLE) | M(PASS) | M(CALL) | M(TAMPER), M(ALLOW) }, .words = 14,
      .without = M(NEG) | M(DEFENCE) },
    { R(APPROVALS), { M(IGNORE), M(CONSENT), M(MODEL) | M(USER) | M(QUIET) | M(APPROVED) }, .words = 14,
      .ordered = true, .without = M(NEG) | M(DEFENCE) },
    { R(APPROVALS), { M(MODEL) | M(MUST) | M(STAND), M(IGNORE), M(CONSENT) }, .words = 12, .ordered = true,
      .without = M(NEG) | M(DEFENCE) },
    { R(APPROVALS), { M(CONSENT), M(IGNORE) | M(ALLOW) | M(REPLY), M(USER) | M(EVERY) | M(ALLOW) | M(MUST) |
      M(YOUR) }, .words = 12, .ordered = true, .without = M(NEG) | M(DEFENCE) | M(BEFORE) | M(WHEN) },
    { R(APPROVALS), { M(CONSENT), M(ALLOW) }, .words = 12, .without = M(NEG) | M(DEFENCE) | M(WHEN) },
    { R(CONSENT), { M(ALLOW) }, .words = 1, .without = M(NEG) },
    { R(CONSENT), { M(IGNORE), M(CONSENT) }, .words = 6, .without = M(NEG) },
    { R(WATCH), { M(STAND), M(SEND) | M(PASS) | M(READ) | M(CALL), M(CREDS) | M(FILES) | M(TALK) | M(SYSTEM) |
      M(PAYLOAD) }, .words = 24, .spans = 1, .without = M(NEG) },
    { R(WATCH), { M(STAND), M(SEND) | M(PASS) | M(CALL), M(URL) }, .words = 18, .without = M(NEG) },
    { R(STANDING), { M(STAND), M(SEND) | M(PASS) | M(CALL) | M(READ) | M(FOLLOW) | M(TELL) | M(OBEY) }, .words = 16,
      .spans = 1 },
    { R(CONSENT), { M(APPROVED) }, .words = 1, .without = M(NEG) },
    { R(CONSENT), { M(NEG), M(CONSENT) }, .words = 4, .ordered = true, .without = M(WITHOUT) | M(BEFORE) | M(WHEN) },
    { R(OVERRIDE), { M(ANYWAY), M(SYSTEM) }, .words = 6, .ordered = true, .without = M(NEG) },
    { R(USER), { M(ANYWAY), M(USER) | M(INSTR) | M(RULES) }, .words = 8, .ordered = true },
    { R(ADDRESSED), { M(MODEL), M(MUST) | M(SHOULD) }, .words = 4 },
    { R(ADDRESSED), { M(MODEL), M(YOUR), M(MUST) | M(CALL) | M(READ) | M(SEND) }, .words = 8, .ordered = true },
    { R(COERCE), { M(HARM), M(CREDS) | M(FILES) | M(TALK) | M(SYSTEM), M(YOUR) | M(MODEL) }, .words = 25, .spans = 1 },
    { R(THREAT), { M(HARM), M(YOUR) | M(MODEL) }, .words = 8 },
    { R(THREAT), { M(FAILS), M(MUST) | M(NEG) | M(WITHOUT) | M(BEFORE) }, .words = 14, .spans = 1 },
};
/* clang-format on */

static void directive_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

/* ---- marks ---- */

static const struct {
    const char *mark;
    bool line; /* at the beginning of a line */
    int rule;
} marks[] = {
    { "<|im_start|>", false, ROLE_MARK },
    { "<|im_end|>", false, ROLE_MARK },
    { "<|system|>", false, ROLE_MARK },
    { "<|user|>", false, ROLE_MARK },
    { "<|assistant|>", false, ROLE_MARK },
    { "<|endoftext|>", false, ROLE_MARK },
    { "<|eot_id|>", false, ROLE_MARK },
    { "<|start_header_id|>", false, ROLE_MARK },
    { "[/inst]", false, ROLE_MARK },
    { "[inst]", false, ROLE_MARK },
    { "<<sys>>", false, ROLE_MARK },
    { "<start_of_turn>", false, ROLE_MARK },
    { "### system:", true, ROLE_MARK },
    { "### instruction:", true, ROLE_MARK },
    { "### assistant:", true, ROLE_MARK },
    { "human:", true, TAG },
    { "assistant:", true, TAG },
    { "system:", true, TAG },
    { "[system]", false, TAG },
    { "[system ", false, TAG },
    { "[admin]", false, TAG },
    { "[important]", false, TAG },
    { "[instructions]", false, TAG },
    { "[hidden]", false, TAG },
    { "[hidden:", false, TAG },
    { "{{system}}", false, TAG },
    { "[override]", false, TAG },
    { "@agent", false, ADDRESSED },
    { "@assistant", false, ADDRESSED },
    { "note to ai", false, ADDRESSED },
    { "note to llm", false, ADDRESSED },
    { "note for ai", false, ADDRESSED },
    { "note for llm", false, ADDRESSED },
};

/* Names of tags that give orders, in any case. */
static const char *const tags[] = {
    "important",    "system",          "secret",       "hidden",   "critical",  "instruction", "instructions",
    "override",     "admin",           "developer",    "internal", "urgent",    "system-note", "system_note",
    "systemprompt", "system-prompt",   "directive",    "priority", "mandatory", "policy",      "system_prompt",
    "assistant",    "agent-only",      "ai-only",      "llm",      "attention", "must",        "rules",
    "sys",          "system-reminder", "confidential", "notice",
};

static bool begins_line(struct mcti_str raw, const char *p)
{
    while (p > raw.p && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '-' || p[-1] == '*'))
        p--;
    return p > raw.p && p[-1] == '\n';
}

static void directive_mark(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    struct mcti_str rest = mcti_str_range(p, raw.p + raw.len);
    for (size_t i = 0; i < SCAN_COUNT(marks); i++) {
        struct mcti_str mark = mcti_str_of(marks[i].mark);
        struct mcti_str head = { rest.p, mark.len < rest.len ? mark.len : rest.len };
        if (head.len == mark.len && mcti_str_eq_nocase(head, mark) && (!marks[i].line || begins_line(raw, p)))
            mcti_scan_found(run, &rules[marks[i].rule], raw, head);
    }
}

/* <name> or <name attributes>; closing tags are not looked at. */
static void directive_tag(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len, *name = p + 1;
    size_t n = 0;
    while (name < end && (*name == ' ' || *name == '!' || *name == '['))
        name++;
    while (name + n < end && n < 24 && (isalpha((unsigned char)name[n]) || name[n] == '_' || name[n] == '-'))
        n++;
    bool closes = name + n < end && (name[n] == '>' || name[n] == ' ' || name[n] == ']');
    for (size_t i = 0; closes && i < SCAN_COUNT(tags); i++)
        if (mcti_str_eq_nocase((struct mcti_str){ name, n }, mcti_str_of(tags[i])))
            mcti_scan_found(run, R(TAG), raw, mcti_str_range(p, name + n));
}

static void directive_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    for (const char *p = raw.p, *end = raw.p + raw.len; p < end; p++) {
        bool line = p == raw.p || p[-1] == '\n';
        if (strchr("<[{@#", *p) && *p)
            directive_mark(run, raw, p);
        else if (strchr("hHaAsSnN", *p) && *p && (line || p[-1] == ' '))
            directive_mark(run, raw, p);
        if (*p == '<')
            directive_tag(run, raw, p);
    }
}

const struct mcti_scan_family mcti_scan_directive = { rules, SCAN_COUNT(rules), directive_raw, directive_words };
