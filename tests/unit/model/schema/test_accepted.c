#include "unit.h"

#include "instance.h"
#include "normal.h"
#include "schema/schema.h"

static unsigned n_valid;

static void accept_the_same(struct mcti_str row)
{
    struct mcti_str schema = mcti_json_get(row, "input");
    struct mcti_buf made, instance;
    struct mcti_schema_fault fault;
    memset(&words, 0, sizeof words);
    collect(schema);
    words.name[words.n_names++ % 256] = MCT_STR("other");
    normalise(&made, schema, profile("openclaw"));
    mcti_buf_init(&instance, 1u << 20);
    for (int i = 0; i < 300; i++) {
        mcti_buf_clear(&instance);
        put_container(&instance, true, 3);
        if (mcti_schema_check(schema, mcti_buf_str(&instance), NULL) != MCT_SCHEMA_VALID)
            continue;
        n_valid++;
        enum mcti_schema_verdict v = mcti_schema_check(mcti_buf_str(&made), mcti_buf_str(&instance), &fault);
        if (v != MCT_SCHEMA_VALID)
            fail_msg("%.*s\naccepts %.*s, but not\n%.*s\nas %s %s", MCT_STR_ARG(schema),
                     MCT_STR_ARG(mcti_buf_str(&instance)), MCT_STR_ARG(mcti_buf_str(&made)), fault.where, fault.why);
    }
    mcti_buf_done(&instance);
    mcti_buf_done(&made);
}

/* Not for unions at the root: of two schemas for one property the merge keeps the first. */
static void test_nothing_is_refused(void **state)
{
    static const char *const files[] = { "arrays", "gemini", "openapi", "refs", "root", "strict", "llamacpp" };
    (void)state;
    chance_state = 1;
    n_valid = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        each_case(files[i], accept_the_same);
    assert_true(n_valid > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
