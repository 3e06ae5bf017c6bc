#include "auth/grant/code.h"

#include "auth/wire/form.h"
#include "auth/wire/text.h"

enum { QUERY_BYTES = 65536 };

enum part { STATE, ISS, CODE, ERROR, DESCRIPTION, N_PARTS };

static const char *const part_names[N_PARTS] = { "state", "iss", "code", "error", "error_description" };

struct answer {
    struct mcti_buf text[N_PARTS];
    int n[N_PARTS]; /* occurrences; -1: malformed */
};

static void answer_read(struct answer *a, struct mcti_str query)
{
    for (int i = 0; i < N_PARTS; i++) {
        mcti_buf_init_secret(&a->text[i], QUERY_BYTES);
        a->n[i] = mcti_form_get(query, part_names[i], &a->text[i]);
    }
}

static void answer_done(struct answer *a)
{
    for (int i = 0; i < N_PARTS; i++)
        mcti_buf_done(&a->text[i]);
}

/* ---- the checks, in order: each returns -1 and sets *why if the authorization has failed ---- */

static int check_occurrences(const struct answer *a, struct mct_error *why)
{
    for (int i = STATE; i <= ERROR; i++) {
        if (!mcti_buf_ok(&a->text[i]))
            return mcti_no_memory(why);
        if (a->n[i] < 0 || a->n[i] > 1)
            return mcti_fail(why, MCT_ERR_PROTOCOL,
                             "the answer of the authorization server has a parameter '%s' that is %s", part_names[i],
                             a->n[i] < 0 ? "malformed" : "there more than once");
    }
    return 0;
}

/* Compares byte for byte, also if the authorization server has not announced `iss` (2026-07-28 "Authorization Response
 * Validation"). */
static int check_issuer(const struct mcti_code_expected *e, const struct answer *a, struct mct_error *why)
{
    if (a->n[ISS] ? mcti_str_is(mcti_buf_str(&a->text[ISS]), e->issuer) : !e->needs_iss)
        return 0;
    return mcti_fail(why, MCT_ERR_AUTH,
                     "the answer %s the authorization server %.200s: another one may have sent it, so that it is not "
                     "used; try again, and if it happens again do not log in",
                     a->n[ISS] ? "is not from" : "does not name", e->issuer);
}

/* What an error means for a person. */
static const struct {
    const char *error, *text;
} error_texts[] = {
    { "access_denied", "the login was refused at the authorization server" },
    { "invalid_scope", "the authorization server does not know the scopes, or does not grant them: set \"auth\": "
                       "{\"scopes\": …}" },
    { "invalid_target", "the authorization server issues no tokens for this server" },
    { "invalid_client", "the authorization server does not know the client id: check \"auth\": {\"client_id\": …}" },
    { "unauthorized_client", "the authorization server does not allow this client to log in" },
    { "unsupported_response_type", "the authorization server does not support the authorization code flow" },
    { "login_required", "the authorization server wants a new login of the person" },
    { "consent_required", "the authorization server wants the consent of the person" },
    { "interaction_required", "the authorization server wants to ask the person something" },
    { "server_error", "the authorization server has failed: try again later" },
    { "temporarily_unavailable", "the authorization server is overloaded or under maintenance: try again later" },
    { "invalid_request", "the authorization server considers the request invalid" },
};

static const char *error_text(const char *error)
{
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (!strcmp(error, error_texts[i].error))
            return error_texts[i].text;
    return "the authorization server has refused";
}

static int check_error(const struct answer *a, struct mcti_oauth_error *error, struct mct_error *why)
{
    if (!a->n[ERROR])
        return 0;
    mcti_text_show(error->error, sizeof error->error, mcti_buf_str(&a->text[ERROR]));
    mcti_text_show(error->description, sizeof error->description, mcti_buf_str(&a->text[DESCRIPTION]));
    return mcti_fail(why, MCT_ERR_AUTH, "%s (%s%s%s)", error_text(error->error), error->error,
                     *error->description ? ": " : "", error->description);
}

static int check_code(const struct answer *a, struct mct_error *why)
{
    return a->text[CODE].len ? 0
                             : mcti_fail(why, MCT_ERR_PROTOCOL, "the answer of the authorization server has no code");
}

static int answer_judge(const struct mcti_code_expected *e, const struct answer *a, struct mcti_oauth_error *error,
                        struct mct_error *why)
{
    if (!mcti_buf_ok(&a->text[STATE]) || a->n[STATE] < 1 ||
        !mcti_str_eq_secret(mcti_buf_str(&a->text[STATE]), mcti_str_of(e->state)))
        return 0;
    return check_occurrences(a, why) < 0 || check_issuer(e, a, why) < 0 || check_error(a, error, why) < 0 ||
                   check_code(a, why) < 0
               ? -1
               : 1;
}

int mcti_code_judge(const struct mcti_code_expected *e, struct mcti_str query, struct mcti_buf *code,
                    struct mcti_oauth_error *error, struct mct_error *why)
{
    struct answer a;
    *error = (struct mcti_oauth_error){ 0 };
    if (query.len > QUERY_BYTES)
        return 0;
    answer_read(&a, query);
    int r = answer_judge(e, &a, error, why);
    if (r > 0)
        mcti_buf_add(code, mcti_buf_str(&a.text[CODE]));
    answer_done(&a);
    return r;
}
