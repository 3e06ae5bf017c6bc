/* Quarantined items: in no list and under no name, admitted again in their place, and told of once. */
#include "unit.h"

#include "hub/vet/vet.h"
#include "hub/view/view.h"

/* A judge that distrusts objects with a word. */
struct word_judge {
    struct mcti_judge base;
    const char *bad, *odd; /* NULL: none */
    bool misses;
};

struct world {
    struct mcti_sched sched;
    struct mcti_registry r;
    struct mcti_vet vet;
    struct mcti_log log;
    struct mcti_provider p[2];
    struct word_judge *judge;
    unsigned n_changed, n_outdated, n_logged;
    char logged[512];
    uint64_t now_ms;
};

static struct world world;

static bool vet_has(struct mcti_str text, const char *word)
{
    return word && memmem(text.p, text.len, word, strlen(word));
}

static enum mcti_judgement word_judge(struct mcti_judge *j, const struct mcti_vetted *what, struct mcti_buf *why)
{
    const struct word_judge *w = (const struct word_judge *)j;
    bool bad = vet_has(what->text, w->bad), odd = vet_has(what->text, w->odd);
    mcti_buf_addz(why, bad ? "it is bad" : odd ? "it is odd" : "");
    return bad ? MCT_JUDGED_QUARANTINE : odd ? MCT_JUDGED_WARN : MCT_JUDGED_OK;
}

static void word_missing(struct mcti_judge *j, const struct mcti_provider *p, enum mcti_subject subject,
                         struct mcti_findings *to)
{
    (void)p;
    if (((const struct word_judge *)j)->misses && subject == MCT_SUBJECT_TOOL)
        mcti_findings_add(to, &(struct mcti_finding){ .subject = subject,
                                                      .judgement = MCT_JUDGED_WARN,
                                                      .id = MCT_STR("gone"),
                                                      .reason = MCT_STR("it is gone") });
}

static void word_advise(struct mcti_judge *j, const struct mcti_provider *p, const struct mcti_finding *f,
                        struct mcti_buf *to)
{
    (void)j;
    mcti_buf_printf(to, "ask %s about %.*s", p->name, MCT_STR_ARG(f->id));
}

static void word_free(struct mcti_judge *j)
{
    free(j);
}

static const struct mcti_judge_ops word_ops = {
    .name = "words", .judge = word_judge, .missing = word_missing, .advise = word_advise, .free = word_free
};

static const struct mcti_provider_ops vet_server_ops = { .type = "mcp",
                                                         .lists_foreign = true,
                                                         .free = mcti_provider_done };

static void vet_on_log(enum mct_log_level level, const char *text, void *data)
{
    (void)data;
    (void)level;
    world.n_logged++;
    snprintf(world.logged, sizeof world.logged, "%s", text);
}

static void vet_on_changed(void *data, struct mcti_provider *p, unsigned kinds)
{
    (void)p;
    (void)kinds;
    world.n_changed++;
    ((struct mcti_registry *)data)->generation++;
}

static void vet_on_outdated(void *data, struct mcti_provider *p)
{
    (void)data;
    (void)p;
    world.n_outdated++;
}

static void vet_give(int server, enum mcti_kind kind, const char *const *texts, size_t n)
{
    struct mcti_items items = { 0 };
    for (size_t i = 0; i < n; i++) {
        struct mcti_item *item = mcti_item_new(kind, mcti_str_of(texts[i]));
        assert_non_null(item);
        assert_int_equal(mcti_items_add(&items, item), 0);
    }
    mcti_provider_take_items(&world.p[server], kind, &items);
}

#define GIVE(server, kind, ...)                                                                                        \
    do {                                                                                                               \
        const char *const texts[] = { __VA_ARGS__ };                                                                   \
        vet_give(server, kind, texts, sizeof texts / sizeof *texts);                                                   \
    } while (0)

static void vet_open(const char *bad, const char *odd)
{
    world = (struct world){ .now_ms = 1000 };
    world.log = (struct mcti_log){ .level = MCT_LOG_WARN, .write = vet_on_log };
    mcti_sched_init(&world.sched);
    mcti_registry_init(&world.r, &world.sched);
    mcti_vet_init(&world.vet, &world.r);
    world.judge = calloc(1, sizeof *world.judge);
    *world.judge = (struct word_judge){ { &word_ops }, bad, odd, false };
    mcti_vet_add(&world.vet, &world.judge->base);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mcti_provider_init(&world.p[i], &vet_server_ops, i ? "b" : "a", &world.sched, &world.log), 0);
        assert_int_equal(mcti_registry_add(&world.r, &world.p[i]), 0);
        world.p[i].events.changed = vet_on_changed;
        world.p[i].events.outdated = vet_on_outdated;
        world.p[i].state = MCT_CONNECTED;
        world.p[i].info.rev = MCT_REV_LATEST;
    }
}

static void vet_turn(void)
{
    mcti_sched_run(&world.sched, ++world.now_ms);
}

static void vet_close(void)
{
    mcti_registry_done(&world.r);
    mcti_vet_done(&world.vet);
}

static void vet_open_view(struct mcti_view *v)
{
    const struct mcti_naming naming = { .scheme = "double", .separator = "__", .max_length = 64 };
    const struct mcti_view_opts opts = { .naming = &naming };
    assert_int_equal(mcti_view_init(v, &world.r, &opts), 0);
}

static void a_quarantined_tool_has_no_name(void **state)
{
    struct mcti_view v;
    struct mct_error err;
    (void)state;
    vet_open("BAD", NULL);
    GIVE(0, MCT_TOOL, "{\"name\":\"one\"}", "{\"name\":\"x.y\",\"description\":\"BAD\"}", "{\"name\":\"x_y\"}");
    GIVE(1, MCT_TOOL, "{\"name\":\"one\"}");
    vet_open_view(&v);
    const struct mcti_exposures *e = mcti_view_items(&v, MCT_TOOL);
    assert_int_equal(e->n, 3);
    for (size_t i = 0; i < e->n; i++)
        assert_false(mcti_str_is(mcti_item_id(e->v[i].item), "x.y"));
    const char *const names[] = { "a.x.y", "a__x.y", "x.y" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        err = (struct mct_error){ 0 };
        assert_null(mcti_view_named(&v, MCT_TOOL, mcti_str_of(names[i]), &err));
        assert_int_equal(err.kind, MCT_ERR_POLICY);
        assert_string_equal(err.message, "tool 'x.y' of server 'a' is quarantined (words): it is bad; ask a about x.y");
        assert_string_equal(err.server, "a");
    }
    const struct mcti_exposure *other = mcti_view_named(&v, MCT_TOOL, MCT_STR("a.x_y"), &err);
    assert_non_null(other);
    char name[80];
    snprintf(name, sizeof name, "%.*s", MCT_STR_ARG(other->name));
    world.judge->bad = NULL; /* names do not depend on judges */
    mcti_vet_again(&world.vet);
    vet_turn();
    other = mcti_view_named(&v, MCT_TOOL, MCT_STR("a.x_y"), &err);
    assert_true(other && mcti_str_is(other->name, name));
    assert_int_equal(mcti_view_items(&v, MCT_TOOL)->n, 4);
    mcti_view_done(&v);
    vet_close();
}

static void items_come_back_in_their_place(void **state)
{
    (void)state;
    vet_open("BAD", NULL);
    GIVE(0, MCT_PROMPT, "{\"name\":\"p\",\"description\":\"BAD\"}", "{\"name\":\"q\"}",
         "{\"name\":\"r\",\"description\":\"BAD\"}", "{\"name\":\"s\"}");
    assert_int_equal(world.p[0].items[MCT_PROMPT].n, 2);
    assert_int_equal(world.p[0].barred[MCT_PROMPT].n, 2);
    assert_int_equal(mcti_vetted_n_barred(&world.p[0]), 2);
    world.judge->bad = "q";
    mcti_vet_again(&world.vet);
    vet_turn();
    assert_int_equal(world.p[0].items[MCT_PROMPT].n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(mcti_item_id(world.p[0].items[MCT_PROMPT].v[i]).p[0], "prs"[i]);
    mcti_vet_clear(&world.vet);
    mcti_vet_again(&world.vet);
    vet_turn();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(mcti_item_id(world.p[0].items[MCT_PROMPT].v[i]).p[0], "pqrs"[i]);
    assert_int_equal(mcti_vetted_n_barred(&world.p[0]), 0);
    vet_close();
}

static int vet_check_uri(const char *uri, struct mct_error *err)
{
    *err = (struct mct_error){ 0 };
    return mcti_vet_check_uri(&world.p[0], mcti_str_of(uri), err);
}

static void uris_of_quarantined_resources_and_templates_are_refused(void **state)
{
    struct mct_error err;
    (void)state;
    vet_open("BAD", NULL);
    GIVE(0, MCT_RESOURCE, "{\"uri\":\"x://a\",\"name\":\"BAD\"}", "{\"uri\":\"x://t/1\",\"name\":\"n\"}");
    GIVE(0, MCT_TEMPLATE, "{\"uriTemplate\":\"x://t/{i}\",\"name\":\"BAD\"}", "{\"uriTemplate\":\"x://u/{i}\"}");
    assert_int_equal(vet_check_uri("x://a", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_POLICY);
    assert_int_equal(vet_check_uri("x://t/2", &err), -1);
    assert_int_equal(vet_check_uri("x://t/{i}", &err), -1);
    assert_int_equal(vet_check_uri("x://t/1", &err), 0); /* listed, and admitted */
    assert_int_equal(vet_check_uri("x://u/1", &err), 0);
    assert_true(world.n_outdated > 0);
    struct mcti_call call = { .verb = MCT_VERB_RESOURCES_READ, .params = MCT_STR("{\"uri\":\"x:\\/\\/a\"}") };
    assert_int_equal(mcti_vet_check(&world.p[0], &call, &err), -1);
    call = (struct mcti_call){ .verb = MCT_VERB_COMPLETE,
                               .params = MCT_STR("{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x://t/{i}\"}}") };
    assert_int_equal(mcti_vet_check(&world.p[0], &call, &err), -1);
    call.params = MCT_STR("{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x://u/{i}\"}}");
    assert_int_equal(mcti_vet_check(&world.p[0], &call, &err), 0);
    vet_close();
}

static void findings_are_told_once(void **state)
{
    struct mcti_buf status;
    (void)state;
    vet_open("BAD", "ODD");
    for (int i = 0; i < 3; i++)
        GIVE(0, MCT_TOOL, "{\"name\":\"one\",\"title\":\"ODD\"}", "{\"name\":\"two\",\"title\":\"BAD\"}");
    assert_int_equal(world.n_logged, 2);
    assert_string_equal(world.logged, "server 'a': tool 'two' is quarantined (words): it is bad");
    assert_int_equal(world.p[0].n_quarantines, 1);
    assert_int_equal(world.p[0].n_warnings, 1);
    world.judge->misses = true;
    mcti_vet_again(&world.vet);
    vet_turn();
    vet_turn();
    assert_int_equal(world.n_logged, 4); /* each of the two servers misses it */
    mcti_buf_init(&status, 4096);
    mcti_vetted_put(&status, &world.p[0]);
    assert_buf(&status,
               "\"quarantined\":1,\"findings\":[{\"type\":\"tool\",\"name\":\"one\",\"judgement\":\"warn\","
               "\"judge\":\"words\",\"reason\":\"it is odd\"},{\"type\":\"tool\",\"name\":\"two\",\"judgement\":"
               "\"quarantine\",\"judge\":\"words\",\"reason\":\"it is bad\"},{\"type\":\"tool\",\"name\":\"gone\","
               "\"judgement\":\"warn\",\"judge\":\"words\",\"reason\":\"it is gone\"}]");
    mcti_buf_done(&status);
    vet_close();
}

static void many_findings_are_bounded(void **state)
{
    struct mcti_items items = { 0 };
    char text[80];
    (void)state;
    vet_open("BAD", NULL);
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "{\"name\":\"t%d\",\"description\":\"BAD\"}", i);
        assert_int_equal(mcti_items_add(&items, mcti_item_new(MCT_TOOL, mcti_str_of(text))), 0);
    }
    mcti_provider_take_items(&world.p[0], MCT_TOOL, &items);
    assert_int_equal(world.p[0].items[MCT_TOOL].n, 0);
    assert_int_equal(world.p[0].barred[MCT_TOOL].n, 3000);
    assert_int_equal(world.p[0].findings[MCT_SUBJECT_TOOL].n, 1000);
    assert_int_equal(world.p[0].findings[MCT_SUBJECT_TOOL].n_left_out, 2000);
    assert_int_equal(world.n_logged, 11);
    struct mct_error err;
    struct mcti_call call = { .verb = MCT_VERB_TOOLS_CALL, .params = MCT_STR("{\"name\":\"t2999\"}") };
    assert_int_equal(mcti_vet_check(&world.p[0], &call, &err), -1);
    assert_string_equal(err.message, "tool 't2999' of server 'a' is quarantined");
    vet_close();
}

static void texts_about_the_server_are_judged(void **state)
{
    (void)state;
    vet_open("BAD", NULL);
    world.p[0].info.instructions = strdup("do BAD things");
    world.p[0].info.server_info = strdup("{\"name\":\"BAD\"}");
    mcti_vetted_identity(&world.p[0]);
    assert_null(mcti_provider_instructions(&world.p[0]).p);
    assert_null(mcti_provider_server_info(&world.p[0]).p);
    assert_int_equal(mcti_vetted_n_barred(&world.p[0]), 2);
    world.judge->bad = NULL;
    mcti_vet_again(&world.vet);
    vet_turn();
    assert_span(mcti_provider_instructions(&world.p[0]), "do BAD things");
    vet_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarantined_tool_has_no_name),
        cmocka_unit_test(items_come_back_in_their_place),
        cmocka_unit_test(uris_of_quarantined_resources_and_templates_are_refused),
        cmocka_unit_test(findings_are_told_once),
        cmocka_unit_test(many_findings_are_bounded),
        cmocka_unit_test(texts_about_the_server_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
