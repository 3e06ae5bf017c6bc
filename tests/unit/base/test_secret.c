/* Secret buffers: the linker puts __wrap_free() in the place of free(), to look at memory that is given back. */
#include "unit.h"

void __real_free(void *p);
void __wrap_free(void *p);

static const void *watched;
static size_t watched_len;
static bool was_freed, was_wiped;

void __wrap_free(void *p)
{
    if (p && p == watched) {
        was_freed = was_wiped = true;
        for (size_t i = 0; i < watched_len; i++)
            was_wiped &= !((const char *)p)[i];
        watched = NULL;
    }
    __real_free(p);
}

static void watch(const struct mcti_buf *b)
{
    watched = b->p;
    watched_len = b->len;
    was_freed = was_wiped = false;
}

static void fill(struct mcti_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mcti_buf_addc(b, 's');
    watch(b);
}

static void memory_is_wiped_before_it_is_freed(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init_secret(&b, 1000);
    fill(&b, 256);
    fill(&b, 0);
    mcti_buf_addc(&b, 's'); /* moves */
    assert_true(was_freed && was_wiped);
    assert_int_equal(b.len, 257);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(b.p[i], 's');
    watch(&b);
    mcti_buf_clear(&b);
    assert_true(was_freed && was_wiped);
    fill(&b, 10);
    mcti_buf_done(&b);
    assert_true(was_freed && was_wiped);
    fill(&b, 10); /* it is still secret */
    mcti_buf_done(&b);
    assert_true(was_freed && was_wiped);
    fill(&b, 1000);
    mcti_buf_addc(&b, 's'); /* fails */
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&b);
    assert_true(was_freed && was_wiped);
}

static void taken_texts_are_kept(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init_secret(&b, 1000);
    fill(&b, 5);
    char *z = mcti_buf_take(&b);
    assert_false(was_freed);
    assert_string_equal(z, "sssss");
    free(z);
    mcti_buf_done(&b);
}

/* Shows that the watch can fail. */
static void other_buffers_are_not_wiped(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    fill(&b, 10);
    mcti_buf_done(&b);
    assert_true(was_freed && !was_wiped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_wiped_before_it_is_freed),
        cmocka_unit_test(taken_texts_are_kept),
        cmocka_unit_test(other_buffers_are_not_wiped),
    };
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
