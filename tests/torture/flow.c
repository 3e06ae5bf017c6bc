#include "torture.h"

#include "failing.h"
#include "flow/run_flow.h"

static unsigned n_promised(const struct torture_notes *notes, unsigned hash)
{
    unsigned n = 0;
    for (unsigned i = 0; i < notes->n; i++)
        n += notes->v[i] == hash;
    return n;
}

static void promise(struct torture_notes *notes, const struct flow_request *r)
{
    for (unsigned i = 0; i < r->n_answered && notes->n < TORTURE_NOTES; i++)
        notes->v[notes->n++] = r->hash;
}

/* What was answered without a failure is answered with one, too, unless its connection has ended; nothing is answered
 * twice. */
const char *torture_flow(const struct torture_case *c, const struct torture_run *run)
{
    static struct flow_tally tally;
    const char *wrong = flow_run(c->name, &tally);
    if (!wrong && tally.bad_frame)
        wrong = "a message that is no JSON";
    for (unsigned i = 0; i < tally.n && !wrong; i++) {
        const struct flow_request *r = &tally.v[i];
        unsigned promised = run->fails ? n_promised(run->notes, r->hash) : 0;
        unsigned due = promised < r->n_asked ? promised : r->n_asked;
        if (!run->fails)
            promise(run->notes, r);
        else if (r->n_answered > r->n_asked)
            wrong = "more answers than requests";
        else if (r->owed && r->n_answered < due)
            wrong = "a request without an answer";
    }
    return wrong;
}
