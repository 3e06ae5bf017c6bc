/* Servers that are replaced and removed while the gateway runs, as when the configuration is read again. */
#include "flow.h"

#include <stdlib.h>

enum { DRAIN_MS = 60000 };

static struct mcti_provider *change_find(struct flow *f, struct mcti_str name)
{
    struct mcti_provider *p = mcti_registry_find(&f->registry, name);
    if (!p)
        flow_fail(f, "no such server", name.p);
    return p;
}

/* "SERVER PARTY [OPTION]…": the new one takes its place at once. */
static void do_replace(struct flow *f, struct mcti_str rest)
{
    struct mcti_str server, party;
    mcti_str_split(&rest, ' ', &server);
    mcti_str_split(&rest, ' ', &party);
    struct mcti_provider *old = change_find(f, server), *fresh = party_make_server(f, party, old->name, rest);
    if (mcti_registry_replace(&f->registry, old, fresh, DRAIN_MS) < 0) {
        fresh->ops->free(fresh);
        flow_fail(f, "out of memory", party.p);
    }
    mcti_registry_start_one(&f->registry, fresh);
    flow_settle(f);
}

static void do_remove(struct flow *f, struct mcti_str name)
{
    if (mcti_registry_retire_later(&f->registry, change_find(f, name), DRAIN_MS) < 0)
        flow_fail(f, "out of memory", name.p);
    flow_settle(f);
}

static void do_kept(struct flow *f, struct mcti_str n)
{
    flow_settle(f);
    if (f->registry.n_retired != strtoul(n.p, NULL, 10))
        flow_fail(f, "another number of removed servers is kept", n.p);
}

bool change_line(struct flow *f, struct mcti_str word, struct mcti_str rest)
{
    static const struct {
        const char *word;
        void (*run)(struct flow *f, struct mcti_str rest);
    } words[] = { { "replace", do_replace }, { "remove", do_remove }, { "kept", do_kept } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mcti_str_is(word, words[i].word)) {
            words[i].run(f, rest);
            return true;
        }
    return false;
}
