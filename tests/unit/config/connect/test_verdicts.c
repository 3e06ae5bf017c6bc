#include "unit.h"

#include "config/connect/verdicts.h"

#include <sys/stat.h>
#include <unistd.h>

/* As the next run of a program does. */
static void read_again(struct mcti_verdicts *v)
{
    mcti_verdicts_done(v);
    mcti_verdicts_init(v);
}

static void verdicts_are_kept(void **state)
{
    char folder[] = "/tmp/mct-verdicts-XXXXXX", command[64];
    struct mcti_verdicts v;
    struct mcti_verdict got = { 0 };
    struct stat st;
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    mcti_verdicts_init(&v);
    mcti_verdicts_get(&v, "k1", &got);
    assert_int_equal(got.era, MCT_ERA_AUTO);
    mcti_verdicts_put(&v, "k1", &(struct mcti_verdict){ MCT_ERA_HANDSHAKE, 1 });
    mcti_verdicts_put(&v, "k2", &(struct mcti_verdict){ MCT_ERA_STATELESS, 0 });
    mcti_verdicts_put(&v, "k2", &(struct mcti_verdict){ MCT_ERA_STATELESS, 0 });
    read_again(&v);
    mcti_verdicts_get(&v, "k1", &got);
    assert_int_equal(got.era, MCT_ERA_HANDSHAKE);
    assert_int_equal(got.variant, 1);
    mcti_verdicts_get(&v, "k2", &got);
    assert_int_equal(got.era, MCT_ERA_STATELESS);
    assert_int_equal(stat(v.path, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
    assert_int_equal(got.both, MCT_BOTH_UNKNOWN);
    mcti_verdicts_put(&v, "k2", &(struct mcti_verdict){ MCT_ERA_STATELESS, 0, MCT_BOTH_YES });
    mcti_verdicts_put(&v, "k3", &(struct mcti_verdict){ MCT_ERA_STATELESS, 0, MCT_BOTH_NO });
    read_again(&v);
    mcti_verdicts_get(&v, "k2", &got);
    assert_int_equal(got.both, MCT_BOTH_YES);
    mcti_verdicts_get(&v, "k3", &got);
    assert_int_equal(got.both, MCT_BOTH_NO);
    /* old entries and broken files count for nothing */
    FILE *f = fopen(v.path, "w");
    fputs("{\"k1\":{\"stateless\":false,\"variant\":0,\"until\":1000}}", f);
    fclose(f);
    read_again(&v);
    got = (struct mcti_verdict){ 0 };
    mcti_verdicts_get(&v, "k1", &got);
    assert_int_equal(got.era, MCT_ERA_AUTO);
    f = fopen(v.path, "w");
    fputs("{\"k1\":", f);
    fclose(f);
    read_again(&v);
    mcti_verdicts_get(&v, "k1", &got);
    assert_int_equal(got.era, MCT_ERA_AUTO);
    mcti_verdicts_done(&v);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_kept),
    };
    return cmocka_run_group_tests_name("verdicts", tests, NULL, NULL);
}
