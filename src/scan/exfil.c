/* Data that leaves: files and secrets that the model reads and hands over, and arguments that ask for its context. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum {
    FILE_ARGUMENT,
    FILE_SEND,
    FILE_READ,
    SECRET_SEND,
    SECRET_KNOWN,
    SECRET_WANTED,
    PROMPT,
    TALK_SEND,
    TALK,
    ARGUMENT,
    DOMAIN_NAME,
    STEAL,
    OUTSIDE
};

static const struct mcti_scan_rule rules[] = {
    [FILE_ARGUMENT] = { "exfil.file-to-argument", MCT_SCAN_HARD, "MCP03",
                        "makes the model pass a private file as an argument",
                        "read + ~/.ssh, .env, wallets … + pass + argument", "Do not use the item.", .weight = 2 },
    [FILE_SEND] = { "exfil.file-to-address", MCT_SCAN_HARD, "MCP10", "makes the model send a private file",
                    "send + private file + URL, address or webhook", "Do not use the item.", .weight = 2 },
    [FILE_READ] = { "exfil.file-read", MCT_SCAN_SOFT, "MCP10", "orders the model to read a private file",
                    "must/before/you + read + private file", "Look why the file is needed.", .weight = 2,
                    .sign = MCT_SIGN_DATA },
    [SECRET_SEND] = { "exfil.secret-to-address", MCT_SCAN_HARD, "MCP01", "makes the model send secrets",
                      "send + passwords, keys, cookies + URL or mail address", "Do not use the item.", .weight = 2 },
    [SECRET_KNOWN] = { "exfil.secret-of-context", MCT_SCAN_HARD, "MCP10", "asks for secrets that the model has seen",
                       "include/send/reveal + secrets + you know, conversation", "Do not use the item.",
                       .quotable = true, .weight = 2 },
    [SECRET_WANTED] = { "exfil.secret-wanted", MCT_SCAN_SOFT, "MCP10", "wants secrets without saying where they go",
                        "must/before + read/pass/send + secrets + of the user", "Look which secrets, and why.",
                        .weight = 2, .sign = MCT_SIGN_DATA },
    [PROMPT] = { "exfil.prompt", MCT_SCAN_HARD, "MCP10", "asks for the instructions or reasoning of the model",
                 "pass/send/reveal/copy + your + system prompt, chain of thought", "Do not use the item.",
                 .quotable = true, .weight = 2 },
    [TALK_SEND] = { "exfil.conversation-to-address", MCT_SCAN_HARD, "MCP10", "makes the model send the conversation",
                    "send/pass + whole + conversation + URL or another tool", "Do not use the item.", .weight = 2 },
    [TALK] = { "exfil.conversation", MCT_SCAN_SOFT, "MCP10", "asks for the whole conversation",
               "pass/send + whole + conversation", "Look whether the tool needs it.", .weight = 1,
               .sign = MCT_SIGN_DATA },
    [STEAL] = { "exfil.stated", MCT_SCAN_HARD, "MCP10", "says that it exfiltrates",
                "exfiltrate/steal + private files, secrets, conversation", "Do not use the item.", .quotable = true,
                .weight = 2 },
    [DOMAIN_NAME] = { "exfil.name-lookup", MCT_SCAN_HARD, "MCP10", "has a host name that carries data away",
                      "$(…).host, <contents of …>.host, {secret}.host",
                      "Do not use the item: a look-up sends the data.", .quotable = true, .weight = 2 },
    [OUTSIDE] = { "exfil.outside", MCT_SCAN_SOFT, "MCP10", "sends data to an external place",
                  "sends/posts/uploads/also + external host, collector", "Look which data, and where to.", .weight = 2,
                  .sign = MCT_SIGN_TARGET },
    [ARGUMENT] = { "exfil.side-note", MCT_SCAN_HARD, "MCP10", "has an argument for what the tool does not need",
                   "description of an argument: your system prompt, reasoning, secrets of the chat",
                   "Do not use the item.", .quotable = true, .weight = 2 },
};

#define R(name) &rules[name]
#define ARGUMENTS (1u << SCAN_ROLE_ARGUMENT | 1u << SCAN_ROLE_VALUE)

/* A header in a command: the secret goes to the server that it is for. Commands inside of it are not harmless. */
static bool is_header(const struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t from, size_t to)
{
    static const char *const signs[] = { "-H ", "--header ", "Authorization:" };
    enum { BACK = 48 };
    size_t at = t->token[from].raw > BACK ? t->token[from].raw - BACK : 0;
    struct mcti_str part = mcti_str_range(t->raw.p + at, t->raw.p + t->token[to].rend);
    bool header = false;
    (void)run;
    for (size_t i = 0; i < SCAN_COUNT(signs); i++)
        header |= memmem(part.p, part.len, signs[i], strlen(signs[i])) != NULL;
    return header && !memmem(part.p, part.len, "$(", 2);
}

/* Returns true if the tool is about models or conversations, by its name: these are its data. */
static bool is_about_talk(const struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t from, size_t to)
{
    static const char *const words[] = { "agent",   "prompt",  "assist",  "chat",     "bot",    "model",
                                         "persona", "convers", "llm",     "compl",    "memor",  "messa",
                                         "thread",  "talk",    "meeting", "mail",     "ticket", "generat",
                                         "eval",    "session", "history", "transcri", "call",   "ask" };
    (void)t, (void)from, (void)to;
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (run->item_name.len && memmem(run->item_name.p, run->item_name.len, words[i], strlen(words[i])))
            return true;
    return false;
}

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(STEAL), { M(EXFIL), M(FILES) | M(CREDS) | M(TALK) | M(SYSTEM) }, M(NEG) | M(DEFENCE), .words = 14 },
    { R(OUTSIDE), { M(SEND) | M(DELETE), M(DEST) }, M(NEG) | M(WITHOUT) | M(DEFENCE), .words = 8, .ordered = true },
    { R(FILE_SEND), { M(READ), M(FILES), M(PASS), M(REPLY) }, M(NEG) | M(WITHOUT), .words = 22 },
    { R(FILE_SEND), { M(INSTEAD), M(READ), M(FILES) }, M(NEG) | M(WITHOUT), .words = 12, .ordered = true },
    { R(FILE_ARGUMENT), { M(DO) | M(READ) | M(PASS), M(EVERY), M(CREDS) | M(FILES) | M(SYSTEM), M(PARAM) }, M(NEG) |
      M(WITHOUT) | M(DEFENCE), .words = 20 },
    { R(FILE_SEND), { M(READ), M(FILES), M(CODED) }, M(NEG) | M(DEFENCE), .words = 20, .ordered = true },
    { R(FILE_READ), { M(FILES), M(PARAM) }, M(NEG) | M(WITHOUT) | M(WHEN), .words = 12 },
    { R(FILE_SEND), { M(CALL), M(FOREIGN) | M(KNOWN), M(FILES) }, M(NEG) | M(WITHOUT), .words = 14 },
    { R(SECRET_SEND), { M(CALL) | M(PASS), M(KNOWN), M(CREDS) | M(SYSTEM) }, M(NEG) | M(WITHOUT) | M(DEFENCE),
      .words = 14 },
    { R(SECRET_SEND), { M(READ), M(CREDS), M(PASS) | M(SEND), M(FOREIGN) | M(KNOWN) }, M(NEG) | M(WITHOUT) |
      M(DEFENCE), .words = 24, .spans = 1, .ordered = true },
    { R(OUTSIDE), { M(ALSO), M(URL) }, M(NEG) | M(WITHOUT) | M(DEFENCE), .words = 8 },
    { R(OUTSIDE), { M(EVERY) | M(WHOLE) | M(HOME), M(URL), M(SEND) }, M(NEG) | M(WITHOUT) | M(DEFENCE), .words = 12,
      .ordered = true },
    { R(SECRET_SEND), { M(SEND), M(CREDS), M(DEST), M(USER) | M(INSTEAD) | M(YOUR) }, M(NEG) | M(WITHOUT),
      .words = 22, .harmless = is_header },
    { R(FILE_ARGUMENT), { M(READ), M(FILES), M(PASS) | M(SEND), M(PARAM) }, M(NEG) | M(WITHOUT), .words = 45,
      .spans = 2 },
    { R(FILE_ARGUMENT), { M(READ), M(FILES), M(PARAM), M(MUST) | M(BEFORE) }, M(NEG) | M(WITHOUT), .words = 40,
      .spans = 1 },
    { R(FILE_ARGUMENT), { M(READ), M(FILES), M(PASS), M(MUST) | M(BEFORE) | M(MODEL) }, M(NEG) | M(WITHOUT),
      .words = 25, .spans = 1 },
    { R(FILE_SEND), { M(SEND) | M(PASS), M(FILES), M(URL) }, M(NEG) | M(WITHOUT), .words = 30, .spans = 1 },
    { R(FILE_SEND), { M(READ), M(FILES), M(SEND) | M(PASS), M(DEST) | M(WHOLE) | M(BEFORE) | M(MUST) }, M(NEG) |
      M(WITHOUT), .words = 30, .spans = 1 },
    { R(FILE_READ), { M(READ), M(FILES), M(MUST) | M(BEFORE) | M(YOUR) | M(MODEL) }, M(NEG) | M(WITHOUT), .words = 18 },
    { R(FILE_READ), { M(READ), M(FILES), M(SEND) | M(PASS) }, M(NEG) | M(WITHOUT), .words = 14, .spans = 1 },
    { R(SECRET_SEND), { M(SEND), M(CREDS) | M(FILES), M(URL) }, M(NEG) | M(WITHOUT), .words = 22,
      .harmless = is_header },
    { R(SECRET_SEND), { M(READ), M(CREDS), M(SEND), M(DEST) }, M(NEG) | M(WITHOUT), .words = 25, .spans = 1,
      .harmless = is_header },
    { R(SECRET_SEND), { M(SEND), M(CREDS), M(DEST), M(MUST) | M(COVERT) | M(IGNORE) | M(BEFORE) }, M(NEG) |
      M(WITHOUT), .words = 22, .harmless = is_header },
    { R(SECRET_KNOWN), { M(PASS) | M(SEND) | M(DISCLOSE) | M(SHOW), M(CREDS), M(HAD) | M(TALK) }, M(NEG) | M(WITHOUT),
      .words = 18 },
    { R(SECRET_WANTED), { M(MUST) | M(BEFORE), M(PASS) | M(SEND) | M(READ), M(CREDS), M(USER) }, M(NEG) | M(WITHOUT),
      .words = 16 },
    { R(SECRET_WANTED), { M(DISCLOSE), M(CREDS), M(YOUR) | M(EVERY) }, M(NEG) | M(WITHOUT), .words = 8 },
    { R(PROMPT), { M(PASS) | M(SEND) | M(DISCLOSE) | M(SHOW) | M(WHOLE) | M(TELL), M(YOUR) | M(HAD), M(SYSTEM) },
      M(NEG) | M(WITHOUT), .words = 8, .ordered = true },
    { R(PROMPT), { M(SEND) | M(DISCLOSE), M(SYSTEM), M(DEST) | M(WHOLE) | M(FOREIGN) | M(KNOWN) }, M(NEG) |
      M(WITHOUT), .words = 14 },
    { R(PROMPT), { M(PASS) | M(SEND) | M(DISCLOSE), M(SYSTEM), M(PARAM) }, M(NEG) | M(WITHOUT), .words = 12 },
    { R(TALK_SEND), { M(SEND), M(TALK), M(URL), M(WHOLE) | M(EVERY) | M(MUST) | M(COVERT) | M(QUIET) }, M(NEG) |
      M(WITHOUT), .words = 24 },
    { R(TALK_SEND), { M(SEND) | M(PASS) | M(CALL) | M(USES), M(WHOLE), M(TALK), M(FOREIGN) | M(KNOWN) }, M(NEG) |
      M(WITHOUT), .words = 20, .ordered = true },
    { R(TALK_SEND), { M(SEND) | M(PASS) | M(CALL) | M(USES), M(FOREIGN) | M(KNOWN), M(WHOLE), M(TALK) }, M(NEG) |
      M(WITHOUT), .words = 20, .ordered = true },
    { R(TALK), { M(DISCLOSE), M(TALK) }, M(NEG) | M(WITHOUT) | M(DEFENCE), .words = 6, .ordered = true },
    { R(TALK), { M(PASS) | M(SEND) | M(SHOW), M(WHOLE) | M(EVERY), M(TALK) }, M(NEG) | M(WITHOUT), .words = 10 },
    { R(ARGUMENT), { M(YOUR), M(SYSTEM) }, M(NEG) | M(WITHOUT), .words = 5, .ordered = true, .roles = ARGUMENTS },
    { R(ARGUMENT), { M(WHOLE) | M(EVERY), M(TALK) | M(HAD), M(CREDS) | M(SYSTEM) }, M(NEG) | M(WITHOUT), .words = 20,
      .roles = ARGUMENTS },
    { R(ARGUMENT), { M(READ) | M(WHOLE), M(FILES), M(BEFORE) | M(PASS) | M(SEND) | M(MUST) }, M(NEG) | M(WITHOUT),
      .words = 16, .roles = ARGUMENTS },
    { R(ARGUMENT), { M(WHOLE) | M(EVERY), M(SYSTEM) }, M(NEG) | M(WITHOUT), .words = 8, .roles = ARGUMENTS,
      .harmless = is_about_talk },
    { R(ARGUMENT), { M(WHOLE) | M(EVERY), M(TALK) }, M(NEG) | M(WITHOUT), .words = 5, .ordered = true,
      .roles = ARGUMENTS, .harmless = is_about_talk },
    { R(ARGUMENT), { M(PASS), M(USER), M(TALK) }, M(NEG) | M(WITHOUT), .words = 18, .ordered = true,
      .roles = ARGUMENTS, .harmless = is_about_talk },
    { R(ARGUMENT), { M(CREDS), M(EVERY) | M(WHOLE), M(CREDS) }, M(NEG) | M(WITHOUT), .words = 14, .roles = ARGUMENTS },
    { R(SECRET_WANTED), { M(CREDS), M(CREDS), M(USER) | M(MODEL) }, M(NEG) | M(WITHOUT), .words = 14,
      .roles = ARGUMENTS },
    { R(SECRET_WANTED), { M(WHOLE) | M(EVERY), M(CREDS) }, M(NEG) | M(WITHOUT), .words = 5, .roles = ARGUMENTS },
    { R(FILE_SEND), { M(READ) | M(PASS), M(FILES) | M(CREDS), M(SEND), M(DEST) }, M(NEG) | M(WITHOUT), .words = 24,
      .harmless = is_header },
    { R(SECRET_SEND), { M(READ), M(CREDS), M(PASS) | M(SEND), M(DEST), M(MODEL) }, M(NEG), .words = 34, .spans = 1,
      .harmless = is_header },
    { R(SECRET_WANTED), { M(MODEL), M(READ), M(CREDS) }, M(NEG) | M(WITHOUT), .words = 20 },
    { R(FILE_SEND), { M(READ), M(FILES), M(PASS), M(URL) }, M(NEG), .words = 30, .spans = 1 },
    { R(TALK), { M(WHOLE) | M(EVERY), M(TALK), M(USER) | M(YOUR) }, M(NEG) | M(WITHOUT), .words = 8,
      .roles = ARGUMENTS },
};
/* clang-format on */

static void exfil_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

/* ---- names of hosts ---- */

/* Returns the place behind the part that opens at `p`, "$(…)" or "<…>" or "{…}"; NULL: it does not end near. */
static const char *part_end(const char *p, const char *end, char closes)
{
    enum { PART_BYTES = 160 };
    size_t len = (size_t)(end - p) < PART_BYTES ? (size_t)(end - p) : PART_BYTES;
    const char *to = memchr(p, closes, len);
    return to ? to + 1 : NULL;
}

/* Returns true for ".name.name": a host name goes on there. */
static bool is_host_rest(const char *p, const char *end)
{
    size_t n_dots = 0;
    if (p >= end || *p != '.')
        return false;
    for (; p < end && (mcti_scan_is_latin((unsigned char)*p) || strchr(".-0123456789", *p)) && *p; p++)
        n_dots += *p == '.' && p + 1 < end && mcti_scan_is_latin((unsigned char)p[1]);
    return n_dots >= 2;
}

/* Returns true if a part of a host name is a command, or names private data. */
static bool part_is_private(struct mcti_scan_run *run, struct mcti_str part, bool command)
{
    struct mcti_scan_text t;
    mcti_scan_run_read(run, &t, part);
    mcti_scan_mask mask = t.mask;
    mcti_scan_text_done(&t);
    return mask & (M(FILES) | M(CREDS) | M(SYSTEM) | M(TALK)) || (command && mask & M(READ));
}

/* Returns true if the word that ends at `p` is a URL: a command stands in it. */
static bool is_in_url(struct mcti_str raw, const char *p)
{
    enum { BACK = 200 };
    const char *from = p;
    while (from > raw.p && p - from < BACK && (unsigned char)from[-1] > ' ')
        from--;
    return memmem(from, (size_t)(p - from), "://", 3) != NULL;
}

/* "$(cat .env | base64).x.example" and "<the user's password>.x.example". */
static void exfil_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    enum { MAX_LOOKS = 64 };
    const char *end = raw.p + raw.len;
    unsigned n_looks = 0;
    for (const char *p = raw.p; p + 2 < end && n_looks < MAX_LOOKS; p++) {
        bool command = *p == '$' && p[1] == '(';
        if (!command && !strchr("<{[`", *p))
            continue;
        if (command && is_in_url(raw, p)) {
            mcti_scan_found(run, R(DOMAIN_NAME), raw, (struct mcti_str){ p, 2 });
            return;
        }
        const char *to = part_end(p + 1, end,
                                  command     ? ')'
                                  : *p == '<' ? '>'
                                  : *p == '{' ? '}'
                                  : *p == '`' ? '`'
                                              : ']');
        if (!to || !is_host_rest(to, end))
            continue;
        n_looks++;
        if (part_is_private(run, mcti_str_range(p, to), command))
            mcti_scan_found(run, R(DOMAIN_NAME), raw, mcti_str_range(p, to));
    }
}

const struct mcti_scan_family mcti_scan_exfil = { rules, SCAN_COUNT(rules), exfil_raw, exfil_words };
