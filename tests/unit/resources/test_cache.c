/* The memory of what was read, on a virtual clock: what it keeps, for how long, and what makes it forget. */
#include "unit.h"

#include "resources/cache.h"
#include "hub/local/local.h"

struct world {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_provider *a, *b;
    struct mcti_cache *cache;
};

static void make(struct world *w, struct mcti_cache_opts opts)
{
    opts.enabled = true;
    mcti_sched_init(&w->sched);
    mcti_registry_init(&w->registry, &w->sched);
    w->a = mcti_provider_local_new("a", &w->sched, NULL);
    w->b = mcti_provider_local_new("b", &w->sched, NULL);
    assert_int_equal(mcti_registry_add(&w->registry, w->a), 0);
    assert_int_equal(mcti_registry_add(&w->registry, w->b), 0);
    w->cache = mcti_cache_new(&w->registry, &opts);
    assert_non_null(w->cache);
}

static void done(struct world *w)
{
    mcti_cache_free(w->cache);
    mcti_registry_done(&w->registry);
}

static void at(struct world *w, uint64_t ms)
{
    mcti_sched_run(&w->sched, ms);
}

static struct mcti_cache_key key(const struct mcti_provider *p, const char *uri)
{
    return (struct mcti_cache_key){ .connection = p, .uri = mcti_str_of(uri) };
}

static struct mcti_cache_place *miss(struct world *w, struct mcti_cache_key k)
{
    struct mcti_cache_place *place;
    struct mcti_outcome o;
    assert_false(mcti_cache_get(w->cache, &k, &o, &place));
    assert_non_null(place);
    return place;
}

static void check_miss(struct world *w, struct mcti_cache_key k)
{
    mcti_cache_place_free(miss(w, k));
}

static void check_hit(struct world *w, struct mcti_cache_key k, const char *result)
{
    struct mcti_cache_place *place;
    struct mcti_outcome o;
    assert_true(mcti_cache_get(w->cache, &k, &o, &place));
    assert_span(o.result, result);
}

static void put(struct mcti_cache_place *place, const char *result, enum mcti_rev rev)
{
    const struct mcti_call call = { .verb = MCT_VERB_RESOURCES_READ };
    const struct mcti_outcome o = { .result = mcti_str_of(result), .rev = rev };
    mcti_cache_put(place, &call, &o);
}

static void keep(struct world *w, struct mcti_cache_key k, const char *result)
{
    put(miss(w, k), result, MCT_REV_2025_11_25);
}

static uint64_t count(const struct world *w, const struct mcti_provider *p, enum mcti_cache_count what)
{
    return mcti_cache_count(w->cache, p, what);
}

#define TEXT(t) "{\"contents\":[{\"uri\":\"x://1\",\"text\":\"" t "\"}]}"

static void an_answer_is_kept_for_its_time(void **state)
{
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    keep(&w, key(w.a, "x://1"), TEXT("one"));
    check_hit(&w, key(w.a, "x://1"), TEXT("one"));
    check_miss(&w, key(w.a, "x://2"));
    check_miss(&w, key(w.b, "x://1"));
    at(&w, 29999);
    check_hit(&w, key(w.a, "x://1"), TEXT("one"));
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 1);
    at(&w, 30000);
    check_miss(&w, key(w.a, "x://1")); /* goes when it is looked for, and counts as not there */
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 0);
    assert_int_equal(count(&w, w.a, MCT_CACHE_BYTES), 0);
    assert_int_equal(count(&w, w.a, MCT_CACHE_HITS), 2);
    assert_int_equal(count(&w, w.a, MCT_CACHE_MISSES), 3);
    assert_int_equal(count(&w, w.b, MCT_CACHE_MISSES), 1);
    assert_int_equal(count(&w, w.a, MCT_CACHE_EVICTED), 0);
    done(&w);
}

static void callers_with_other_rights_have_their_own(void **state)
{
    struct world w;
    struct mcti_cache_key of_ann = { .authority = 1, .uri = MCT_STR("x://1") }, of_bob = of_ann;
    (void)state;
    make(&w, mcti_cache_defaults);
    of_ann.connection = of_bob.connection = w.a;
    of_bob.authority = 2;
    keep(&w, of_ann, TEXT("of ann"));
    check_miss(&w, of_bob);
    check_hit(&w, of_ann, TEXT("of ann"));
    done(&w);
}

static void not_everything_is_kept(void **state)
{
    static const struct {
        const char *result;
        bool kept;
    } rows[] = {
        { TEXT("t"), true },
        { "{\"contents\":[{\"blob\":\"AA==\"},{\"text\":\"t\"}]}", true },
        { "{\"contents\":[{\"text\":\"t\"}],\"resultType\":\"complete\"}", true },
        { "{\"contents\":[{\"blob\":\"AA==\"}]}", false },
        { "{\"contents\":[{\"text\":7}]}", false },
        { "{\"contents\":[]}", false },
        { "{\"contents\":\"text\"}", false },
        { "{}", false },
        { "{\"contents\":[{\"text\":\"t\"}],\"resultType\":\"input_required\"}", false },
        { "{\"contents\":[{\"text\":\"t\"}],\"resultType\":\"task\"}", false },
    };
    struct world w;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(&w, mcti_cache_defaults);
        keep(&w, key(w.a, "x://1"), rows[i].result);
        if (count(&w, w.a, MCT_CACHE_ENTRIES) != rows[i].kept)
            fail_msg("%s", rows[i].result);
        done(&w);
    }
}

static void errors_and_what_was_asked_for_are_not_kept(void **state)
{
    const struct mcti_call plain = { .verb = MCT_VERB_RESOURCES_READ }, asked = { .asked = true };
    const struct mct_error err = { .kind = MCT_ERR_TIMEOUT };
    const struct mcti_outcome refused = { .error = MCT_STR("{\"code\":-32002}") }, failed = { .failed = &err },
                              good = { .result = MCT_STR(TEXT("t")) };
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    mcti_cache_put(miss(&w, key(w.a, "x://1")), &plain, &refused);
    mcti_cache_put(miss(&w, key(w.a, "x://1")), &plain, &failed);
    mcti_cache_put(miss(&w, key(w.a, "x://1")), &asked, &good); /* it is what a person has answered */
    check_miss(&w, key(w.a, "x://1"));
    mcti_cache_put(miss(&w, key(w.a, "x://1")), &plain, &good);
    check_hit(&w, key(w.a, "x://1"), TEXT("t"));
    done(&w);
}

static void the_servers_time_counts_if_it_is_shorter(void **state)
{
    struct world w;
    const struct mcti_cache_key k[] = { { .uri = MCT_STR("x://short") },
                                        { .uri = MCT_STR("x://long") },
                                        { .uri = MCT_STR("x://none") },
                                        { .uri = MCT_STR("x://bad") } };
    (void)state;
    make(&w, mcti_cache_defaults);
    struct mcti_cache_key at_a[4];
    for (int i = 0; i < 4; i++) {
        at_a[i] = k[i];
        at_a[i].connection = w.a;
    }
    put(miss(&w, at_a[0]), "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":1000,\"cacheScope\":\"public\"}",
        MCT_REV_2026_07_28);
    put(miss(&w, at_a[1]), "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":90000}", MCT_REV_2026_07_28);
    put(miss(&w, at_a[2]), "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":0}", MCT_REV_2026_07_28);
    put(miss(&w, at_a[3]), "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":-5}", MCT_REV_2026_07_28);
    check_miss(&w, at_a[2]);
    check_miss(&w, at_a[3]);
    at(&w, 400); /* whoever gets it now has what is left of the time */
    check_hit(&w, at_a[0], "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":600,\"cacheScope\":\"public\"}");
    check_hit(&w, at_a[1], "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":89600}");
    at(&w, 1000);
    check_miss(&w, at_a[0]);
    at(&w, 30000);
    check_miss(&w, at_a[1]);
    /* the word means nothing in what a handshake server says, and is left as it is */
    keep(&w, at_a[0], "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":1}");
    at(&w, 31000);
    check_hit(&w, at_a[0], "{\"contents\":[{\"text\":\"t\"}],\"ttlMs\":1}");
    done(&w);
}

static void what_was_used_least_lately_makes_room(void **state)
{
    struct world w;
    (void)state;
    make(&w, (struct mcti_cache_opts){ .ttl_ms = 1000, .max_entries = 2, .max_bytes = 1u << 20 });
    keep(&w, key(w.a, "x://1"), TEXT("1"));
    keep(&w, key(w.b, "x://2"), TEXT("2"));
    check_hit(&w, key(w.a, "x://1"), TEXT("1"));
    keep(&w, key(w.a, "x://3"), TEXT("3"));
    check_miss(&w, key(w.b, "x://2"));
    check_hit(&w, key(w.a, "x://1"), TEXT("1"));
    check_hit(&w, key(w.a, "x://3"), TEXT("3"));
    assert_int_equal(count(&w, w.b, MCT_CACHE_EVICTED), 1);
    assert_int_equal(count(&w, w.a, MCT_CACHE_EVICTED), 0);
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 2);
    done(&w);
}

static void memory_is_bounded(void **state)
{
    char big[5000];
    struct world w;
    (void)state;
    snprintf(big, sizeof big, "{\"contents\":[{\"text\":\"%04000d\"}]}", 0);
    make(&w, (struct mcti_cache_opts){ .ttl_ms = 1000, .max_entries = 100, .max_bytes = 9000 });
    for (int i = 0; i < 10; i++) {
        char uri[32];
        snprintf(uri, sizeof uri, "x://%d", i);
        keep(&w, key(w.a, uri), big);
        assert_true(count(&w, w.a, MCT_CACHE_BYTES) <= 9000);
    }
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 2);
    assert_int_equal(count(&w, w.a, MCT_CACHE_EVICTED), 8);
    done(&w);
    make(&w, (struct mcti_cache_opts){ .ttl_ms = 1000, .max_entries = 100, .max_bytes = 3000 });
    keep(&w, key(w.a, "x://small"), TEXT("t"));
    keep(&w, key(w.a, "x://big"), big); /* which would never fit, and costs the others nothing */
    check_hit(&w, key(w.a, "x://small"), TEXT("t"));
    check_miss(&w, key(w.a, "x://big"));
    done(&w);
}

static void two_that_asked_at_once_leave_one(void **state)
{
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    struct mcti_cache_place *first = miss(&w, key(w.a, "x://1")), *second = miss(&w, key(w.a, "x://1"));
    put(first, TEXT("first"), MCT_REV_2025_11_25);
    put(second, TEXT("second"), MCT_REV_2025_11_25);
    check_hit(&w, key(w.a, "x://1"), TEXT("second"));
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 1);
    done(&w);
}

static void updated(struct mcti_provider *p, const char *params)
{
    p->events.updated(p->events.data, p, mcti_str_of(params));
}

static void an_update_is_of_one_resource(void **state)
{
    static const char *const uris[] = { "x://1", "x://1/part", "x://1/party", "x://2" };
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    for (int i = 0; i < 4; i++)
        keep(&w, key(w.a, uris[i]), TEXT("t"));
    keep(&w, key(w.b, "x://1"), TEXT("t"));
    updated(w.a, "{\"uri\":\"x:\\/\\/1/part\"}");
    check_miss(&w, key(w.a, "x://1/part"));
    check_miss(&w, key(w.a, "x://1")); /* whose part it is */
    check_hit(&w, key(w.a, "x://1/party"), TEXT("t"));
    check_hit(&w, key(w.a, "x://2"), TEXT("t"));
    check_hit(&w, key(w.b, "x://1"), TEXT("t"));
    updated(w.a, "{}"); /* of what, nobody knows */
    check_miss(&w, key(w.a, "x://2"));
    done(&w);
}

static void a_server_that_changes_is_forgotten(void **state)
{
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    for (int i = 0; i < 3; i++) {
        keep(&w, key(w.a, "x://1"), TEXT("t"));
        keep(&w, key(w.b, "x://1"), TEXT("t"));
        if (i == 0)
            w.a->events.changed(w.a->events.data, w.a, 1u << MCT_RESOURCE);
        else if (i == 1)
            w.a->events.outdated(w.a->events.data, w.a);
        else
            mcti_provider_set_state(w.a, MCT_DISCONNECTED, NULL);
        check_hit(&w, key(w.b, "x://1"), TEXT("t"));
        keep(&w, key(w.a, "x://1"), TEXT("anew"));
        w.a->events.outdated(w.a->events.data, w.a);
        w.b->events.outdated(w.b->events.data, w.b);
    }
    keep(&w, key(w.a, "x://1"), TEXT("t"));
    w.a->events.changed(w.a->events.data, w.a, 1u << MCT_TOOL);
    check_hit(&w, key(w.a, "x://1"), TEXT("t"));
    done(&w);
}

static void an_answer_from_before_a_change_is_not_kept(void **state)
{
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    struct mcti_cache_place *early = miss(&w, key(w.a, "x://1")), *other = miss(&w, key(w.b, "x://1"));
    updated(w.a, "{\"uri\":\"x://1\"}");
    put(early, TEXT("old"), MCT_REV_2025_11_25);
    put(other, TEXT("t"), MCT_REV_2025_11_25);
    check_miss(&w, key(w.a, "x://1"));
    check_hit(&w, key(w.b, "x://1"), TEXT("t"));
    done(&w);
}

static void a_branch_is_a_connection_of_its_own(void **state)
{
    struct mcti_provider branch = { 0 };
    struct world w;
    (void)state;
    make(&w, mcti_cache_defaults);
    branch.origin = w.a;
    keep(&w, key(w.a, "x://1"), TEXT("shared"));
    check_miss(&w, key(&branch, "x://1"));
    keep(&w, key(&branch, "x://1"), TEXT("own"));
    check_hit(&w, key(&branch, "x://1"), TEXT("own"));
    assert_int_equal(count(&w, w.a, MCT_CACHE_ENTRIES), 2);
    w.a->events.outdated(w.a->events.data, &branch); /* it ends: nobody else's is touched */
    check_miss(&w, key(&branch, "x://1"));
    check_hit(&w, key(w.a, "x://1"), TEXT("shared"));
    keep(&w, key(&branch, "x://1"), TEXT("own"));
    w.a->events.outdated(w.a->events.data, w.a); /* the server as such */
    check_miss(&w, key(&branch, "x://1"));
    done(&w);
}

static void some_questions_are_not_looked_up(void **state)
{
    static const struct {
        const char *params;
        bool may;
    } rows[] = {
        { "{\"uri\":\"x://1\"}", true },
        { "{\"uri\":\"x://1\",\"_meta\":{}}", true },
        { "{\"uri\":\"x://1\",\"_meta\":{\"progressToken\":1,\"io.modelcontextprotocol/"
          "protocolVersion\":\"2026-07-28\"}}",
          true },
        { "{\"uri\":\"x://1\",\"_meta\":{\"progressToken\":1,\"com.example/user\":\"ann\"}}", false },
        { "{\"uri\":\"x://1\",\"_meta\":{\"traceparent\":\"00-1\"}}", false },
        { "{\"uri\":\"x://1\",\"cursor\":\"c\"}", false },
        { "{\"uri\":\"x://1\",\"requestState\":\"s\"}", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_cache_accepts(mcti_str_of(rows[i].params)) != rows[i].may)
            fail_msg("%s", rows[i].params);
}

static void it_is_off_unless_wanted(void **state)
{
    struct mcti_registry r;
    struct mcti_sched sched;
    (void)state;
    mcti_sched_init(&sched);
    mcti_registry_init(&r, &sched);
    struct mcti_cache_opts off = mcti_cache_defaults;
    off.enabled = off.by_ttl = false;
    assert_null(mcti_cache_new(&r, &off));
    mcti_cache_free(NULL);
    mcti_cache_place_free(NULL);
    mcti_registry_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_kept_for_its_time),
        cmocka_unit_test(callers_with_other_rights_have_their_own),
        cmocka_unit_test(not_everything_is_kept),
        cmocka_unit_test(errors_and_what_was_asked_for_are_not_kept),
        cmocka_unit_test(the_servers_time_counts_if_it_is_shorter),
        cmocka_unit_test(what_was_used_least_lately_makes_room),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(two_that_asked_at_once_leave_one),
        cmocka_unit_test(an_update_is_of_one_resource),
        cmocka_unit_test(a_server_that_changes_is_forgotten),
        cmocka_unit_test(an_answer_from_before_a_change_is_not_kept),
        cmocka_unit_test(a_branch_is_a_connection_of_its_own),
        cmocka_unit_test(some_questions_are_not_looked_up),
        cmocka_unit_test(it_is_off_unless_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
