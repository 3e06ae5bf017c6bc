#include "tally.h"

#include "base/limits.h"

static unsigned hash_of(const char *who, struct mcti_str id)
{
    unsigned h = 2166136261u;
    for (; *who; who++)
        h = (h ^ (unsigned char)*who) * 16777619u;
    for (size_t i = 0; i < id.len; i++)
        h = (h ^ (unsigned char)id.p[i]) * 16777619u;
    return h;
}

static struct flow_request *request_of(struct flow_tally *t, const char *who, struct mcti_str id)
{
    unsigned hash = hash_of(who, id);
    for (unsigned i = 0; i < t->n; i++)
        if (t->v[i].hash == hash)
            return &t->v[i];
    if (t->n == FLOW_REQUESTS)
        return NULL;
    t->v[t->n] = (struct flow_request){ .hash = hash };
    return &t->v[t->n++];
}

static void asked(struct flow_tally *t, const char *who, struct mcti_str message, bool owed)
{
    struct mcti_str id = mcti_json_get(message, "id");
    struct flow_request *r = id.p ? request_of(t, who, id) : NULL;
    if (!r)
        return;
    r->n_asked++; /* also without a method: an invalid message may be answered */
    r->owed = owed && mcti_json_get(message, "method").p;
}

static void answered(struct flow_tally *t, const char *who, struct mcti_str message)
{
    struct mcti_str id = mcti_json_get(message, "id");
    bool is_answer = mcti_json_get(message, "result").p || mcti_json_get(message, "error").p;
    struct flow_request *r = is_answer && id.p && mcti_json_type(id) != 'n' ? request_of(t, who, id) : NULL;
    if (r)
        r->n_answered++;
}

void tally_asked(struct flow_tally *t, const char *who, struct mcti_str frame, bool owed)
{
    struct mcti_str message;
    if (!mcti_json_valid(frame, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        return; /* nobody can say whether it is a request */
    if (mcti_json_type(frame) != '[')
        asked(t, who, frame, owed);
    else
        for (struct mcti_json_iter it = mcti_json_open(frame); mcti_json_next_item(&it, &message);)
            asked(t, who, message, false); /* the whole may be refused */
}

void tally_answered(struct flow_tally *t, const char *who, struct mcti_str frame)
{
    struct mcti_str message;
    if (!mcti_json_valid(frame, MCT_LIMIT_JSON_DEPTH + 16, NULL, NULL)) {
        t->bad_frame = true;
        return;
    }
    if (mcti_json_type(frame) != '[')
        answered(t, who, frame);
    else
        for (struct mcti_json_iter it = mcti_json_open(frame); mcti_json_next_item(&it, &message);)
            answered(t, who, message);
}
