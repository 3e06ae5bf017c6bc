/*
 * Intent: signs that hold for any wording of an attack. Each is a verb class with an object class or an addressee, and
 * none is more than soft alone, because honest texts have one of them at times. Two of them close together are
 * `combined`.
 */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum {
    READER,
    ORDER,
    OBEY,
    COMMAND,
    DECEIVE,
    EXCUSE,
    OMIT,
    HUSH,
    PRIVATE,
    LOOK,
    HAND_OVER,
    UNASKED,
    DAMAGE,
    PERSIST,
    INTERCEPT,
    PHISH
};

static const struct mcti_scan_rule rules[] = {
    [READER] = { "intent.reader", MCT_SCAN_SOFT, "MCP06", "speaks to a model that happens to read it",
                 "AI/agents/any model + reads/processes this; \"Assistant, …\" with an order",
                 "Data does not speak to models. Read what is ordered.", .quotable = true, .hint = true, .weight = 2,
                 .sign = MCT_SIGN_ADDRESS },
    [ORDER] = { "intent.order", MCT_SCAN_SOFT, "MCP03", "orders the model to act",
                "model + buy/delete/grant/install/send", "Look what is ordered.", .quotable = true, .hint = true,
                .weight = 1 },
    [OBEY] = { "intent.obey", MCT_SCAN_SOFT, "MCP06", "demands obedience to a text, or to what tools return",
               "never refuse, do not question; follow + tool results", "Texts of servers have no authority.",
               .quotable = true, .hint = true, .weight = 2 },
    [COMMAND] = { "intent.command", MCT_SCAN_SOFT, "MCP06", "declares a text to be an order of the user",
                  "treat/regard/take + as a command, as if the user had typed it", "Do not use the item.",
                  .quotable = true, .hint = true, .weight = 2, .sign = MCT_SIGN_RANK },
    [DECEIVE] = { "intent.deceive", MCT_SCAN_SOFT, "MCP03", "tells the model what to make the user believe",
                  "pretend/say that/call it/if asked + user, answer",
                  "Do not use the item if it wants the user to be told something untrue.", .quotable = true,
                  .hint = true, .weight = 2, .sign = MCT_SIGN_SECRECY },
    [EXCUSE] = { "intent.excuse", MCT_SCAN_SOFT, "MCP03", "has words of a pretext",
                 "pretend, pretext, disguise, report success", "Read the sentence.", .quotable = true, .hint = true,
                 .weight = 1, .sign = MCT_SIGN_SECRECY },
    [OMIT] = { "intent.omit", MCT_SCAN_SOFT, "MCP03", "wants something left out of what the user sees",
               "leave out/skip/hide + answer, summary, this", "Check which text is left out.", .quotable = true,
               .hint = true, .weight = 2, .sign = MCT_SIGN_SECRECY },
    [HUSH] = { "intent.hush", MCT_SCAN_SOFT, "MCP03", "may ask for silence", "not + tell/announce/comment",
               "Read the sentence.", .quotable = true, .hint = true, .weight = 1, .sign = MCT_SIGN_SECRECY },
    [LOOK] = { "intent.look", MCT_SCAN_SOFT, "MCP10", "looks for private data", "search/list/send + home folder, mails",
               "Look whether the tool needs it.", .quotable = true, .hint = true, .weight = 1, .sign = MCT_SIGN_DATA },
    [DAMAGE] = { "intent.damage", MCT_SCAN_SOFT, "MCP03", "deletes files of the user",
                 "delete/wipe + home folder, private files", "Look what is deleted, and when.", .quotable = true,
                 .hint = true, .weight = 1 },
    [PERSIST] = { "intent.persist", MCT_SCAN_SOFT, "MCP03", "changes what the client or the shell starts with",
                  "add/write/change + CLAUDE.md, settings, shell start files, allow-lists",
                  "Look what is written there.", .quotable = true, .hint = true, .weight = 2, .sign = MCT_SIGN_TARGET },
    [INTERCEPT] = { "intent.intercept", MCT_SCAN_SOFT, "MCP03", "puts itself between the model and other tools",
                    "before/all/other + read/call/pass + this tool", "Look why everything should pass through it.",
                    .quotable = true, .hint = true, .weight = 2, .sign = MCT_SIGN_TOOLS },
    [PHISH] = { "intent.phish", MCT_SCAN_SOFT, "MCP10", "makes the model ask the user for secrets",
                "ask + user + password, card number, code", "Look who gets the answer.", .quotable = true, .hint = true,
                .weight = 2, .sign = MCT_SIGN_DATA },
    [PRIVATE] = { "intent.private", MCT_SCAN_SOFT, "MCP10", "collects private data at large",
                  "read/send/pass + all/whole + mails, contacts, home folder, files of the user",
                  "Look whether the tool needs it.", .quotable = true, .hint = true, .weight = 2,
                  .sign = MCT_SIGN_DATA },
    [HAND_OVER] = { "intent.hand-over", MCT_SCAN_SOFT, "MCP10", "wants secrets or context in an argument",
                    "pass/put + secrets/system prompt/conversation + name of an argument",
                    "Look whether the tool needs it.", .quotable = true, .hint = true, .weight = 2,
                    .sign = MCT_SIGN_DATA },
    [UNASKED] = { "intent.unasked", MCT_SCAN_SOFT, "MCP06", "acts without the consent of the user",
                  "delete/pay/grant/install + without asking, whatever the user says", "Do not use the item.",
                  .quotable = true, .hint = true, .weight = 2, .sign = MCT_SIGN_CONSENT },
};

#define R(name) &rules[name]
#define ACTS (M(DO) | M(ACT) | M(SEND) | M(READ) | M(PASS) | M(CALL) | M(FOLLOW) | M(IGNORE) | M(TAMPER))
#define SENSITIVE (M(CREDS) | M(FILES) | M(SYSTEM) | M(TALK))
#define MOVES (M(READ) | M(SEND) | M(PASS))
#define NOT (M(NEG) | M(WITHOUT) | M(DEFENCE))

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(READER), { M(MODEL), M(READER) }, .words = 8 },
    { R(READER), { M(LETTER), M(MODEL) }, .words = 4, .ordered = true },
    { R(READER), { M(READER), M(MUST) | M(IGNORE) | M(LIE) | M(FEIGN) | M(QUIET) | M(OMIT) }, .words = 12 },
    { R(READER), { M(READER), M(DO) }, .words = 10, .ordered = true, .without = NOT },
    { R(COMMAND), { M(TREAT), M(OBEY) }, .words = 12, .ordered = true, .without = NOT },
    { R(OBEY), { M(OBEY) }, .words = 1, .without = NOT },
    { R(OBEY), { M(FOLLOW) | M(ANYWAY) | M(OBEY) | M(DO), M(TOOLOUT) }, .words = 8, .ordered = true, .without = NOT },
    { R(ORDER), { M(NEWTASK), M(DO) }, .words = 12, .ordered = true, .spans = 1 },
    { R(ORDER), { M(MODEL), ACTS | M(DOES) }, .words = 2, .ordered = true, .without = NOT },
    { R(ORDER), { M(MODEL), M(MUST) | M(SHOULD), ACTS }, .words = 6, .ordered = true, .without = NOT },
    { R(ORDER), { M(READER), ACTS }, .words = 10, .ordered = true, .without = NOT },
    { R(DECEIVE), { M(FEIGN) }, .words = 1 },
    { R(DECEIVE), { M(LIE), M(USER) | M(REPLY) }, .words = 8 },
    { R(DECEIVE), { M(LIE), M(TELL) | M(SHOW) | M(QUIET) | M(OMIT) }, .words = 8 },
    { R(EXCUSE), { M(LIE) }, .words = 1 },
    { R(OMIT), { M(OMIT), M(REPLY) | M(TELL) }, .words = 8, .ordered = true },
    { R(OMIT), { M(OMIT), M(THIS), M(USER) | M(REPLY) }, .words = 10, .ordered = true },
    { R(HUSH), { M(NEG) | M(WITHOUT), M(TELL) }, .words = 2, .ordered = true },
    { R(PRIVATE), { MOVES, M(WHOLE) | M(EVERY), M(PRIVATE) }, .words = 10, .without = NOT },
    { R(PRIVATE), { M(SEND) | M(PASS), M(PRIVATE), M(DEST) }, .words = 16, .without = NOT },
    { R(LOOK), { MOVES, M(PRIVATE) }, .words = 8, .without = NOT },
    { R(LOOK), { ACTS, M(FILES) }, .words = 10, .ordered = true, .without = NOT },
    { R(LOOK), { ACTS, M(EVERY) | M(USER) | M(HAD), M(CREDS) }, .words = 8, .ordered = true, .without = NOT },
    { R(LOOK), { ACTS, M(HOME) }, .words = 8, .ordered = true, .without = NOT },
    { R(PRIVATE), { ACTS, M(HOME), M(DEST) | M(PARAM) | M(SELF) | M(FOREIGN) | M(KNOWN) }, .words = 20,
      .without = NOT },
    { R(INTERCEPT), { M(EVERY) | M(OTHER) | M(OTHERS), MOVES | M(CALL), M(SELF) }, .words = 20, .spans = 1,
      .without = NOT },
    { R(INTERCEPT), { M(BEFORE) | M(STAND), M(EVERY) | M(OTHER) | M(OTHERS), M(SEND) | M(PASS), M(SELF) },
      .words = 24, .spans = 1 },
    { R(HAND_OVER), { M(WITHOUT), SENSITIVE, M(PARAM) }, .words = 12, .ordered = true },
    { R(PHISH), { M(ASK), M(CREDS) }, .words = 12, .ordered = true, .without = NOT },
    { R(PHISH), { M(READ), M(USER), M(CREDS) }, .words = 18, .without = NOT },
    { R(HAND_OVER), { MOVES | M(DO) | M(USES), SENSITIVE, M(PARAM) }, .words = 24, .spans = 1, .without = NOT },
    { R(UNASKED), { M(ACT), M(APPROVED) | M(ANYWAY) }, .words = 16 },
    { R(OMIT), { M(COVERT), ACTS }, .words = 3, .ordered = true, .without = NOT },
    { R(DAMAGE), { M(DELETE), M(PRIVATE) | M(FILES) }, .words = 6, .ordered = true, .without = NOT },
    { R(PERSIST), { M(PASS) | M(TAMPER) | M(ACT) | M(READ), M(CONFIG) }, .words = 10, .ordered = true, .without = NOT },
};
/* clang-format on */

/* ---- the reader is called by name ---- */

/* Returns the place in front of blanks, quotes and marks of Markdown. */
static size_t skip_back(struct mcti_str raw, size_t at)
{
    while (at && strchr(" \t\"'(*_[#-@/", raw.p[at - 1]))
        at--;
    return at;
}

/* Returns true if a sentence begins at `at`; a greeting may stand in front. */
static bool begins_sentence(struct mcti_str raw, size_t at)
{
    static const struct mcti_str greetings[] = { MCT_STR("hey"),  MCT_STR("hi"),        MCT_STR("hello"),
                                                 MCT_STR("dear"), MCT_STR("attention"), MCT_STR("okay"),
                                                 MCT_STR("now"),  MCT_STR("coding") };
    at = skip_back(raw, at > 0 && raw.p[at - 1] == ',' ? at - 1 : at);
    for (size_t i = 0; i < SCAN_COUNT(greetings); i++) {
        size_t n = greetings[i].len;
        if (at >= n && mcti_str_eq_nocase((struct mcti_str){ raw.p + at - n, n }, greetings[i])) {
            at = skip_back(raw, at - n);
            break;
        }
    }
    return !at || strchr(".!?;:\n)]|>}{", raw.p[at - 1]);
}

/* Returns true for "Assistant:", which is a turn of a conversation as well. */
static bool is_turn(const struct mcti_scan_text *t, const struct mcti_scan_token *name)
{
    static const struct mcti_str turns[] = { MCT_STR("assistant"), MCT_STR("agent"), MCT_STR("bot"), MCT_STR("chatbot"),
                                             MCT_STR("model") };
    struct mcti_str word = { t->raw.p + name->raw, name->rend - name->raw };
    for (size_t i = 0; i < SCAN_COUNT(turns); i++)
        if (mcti_str_eq_nocase(word, turns[i]))
            return true;
    return false;
}

/* Returns true if a sign that calls somebody follows: "Assistant, …", "Agents: …", "AI triage: …", "@agent …". */
static bool is_called_by_sign(const struct mcti_scan_text *t, const struct mcti_scan_token *name)
{
    enum { WORD_BYTES = 14 };
    const char *p = t->raw.p + name->rend, *end = t->raw.p + t->raw.len;
    if (name->raw && t->raw.p[name->raw - 1] == '@')
        return true;
    if (p < end && *p == ',')
        return true;
    for (size_t n = 0; p < end && n < WORD_BYTES && (*p == ' ' || mcti_scan_is_word((unsigned char)*p)); n++)
        p++;
    return p < end && *p == ':' && !is_turn(t, name);
}

/* Returns true if the model is called by its name, with an order behind. */
static bool is_called(const struct mcti_scan_text *t, size_t i)
{
    enum { NEAR = 16 };
    const mcti_scan_mask orders =
        ACTS | M(NEG) | M(MUST) | M(LIE) | M(FEIGN) | M(OMIT) | M(BEFORE) | M(WHEN) | M(USES) | M(STAND);
    const struct mcti_scan_token *name = &t->token[i], *next = i + 1 < t->n_tokens ? &t->token[i + 1] : NULL;
    return next && next->mask & orders && next->sentence == name->sentence && next->pos - name->pos <= NEAR &&
           is_called_by_sign(t, name) && begins_sentence(t->raw, name->raw);
}

static void intent_called(struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t i)
{
    struct mcti_str at = mcti_str_range(t->raw.p + t->token[i].raw, t->raw.p + t->token[i + 1].rend);
    mcti_scan_found(run, R(READER), t->raw, at);
    if (run->what->kind == MCT_SCAN_RESULT) /* the content of a result has nobody to call */
        mcti_scan_found(run, R(ORDER), t->raw, at);
}

static void intent_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
    for (size_t i = 0; i < t->n_tokens; i++)
        if (t->token[i].mask & M(MODEL) && !t->token[i].quoted && is_called(t, i)) {
            intent_called(run, t, i);
            return;
        }
}

const struct mcti_scan_family mcti_scan_intent = { rules, SCAN_COUNT(rules), NULL, intent_words };
