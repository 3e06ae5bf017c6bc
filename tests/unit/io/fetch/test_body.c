/* Bodies in pieces. */
#include "unit.h"

#include "io/fetch/body.h"

enum { LONG = MCT_SPLICE_BYTES };

static struct mcti_chunk *long_chunk(void)
{
    struct mcti_buf b;
    mcti_buf_init(&b, SIZE_MAX);
    for (int i = 0; i < LONG; i++)
        mcti_buf_addc(&b, (char)('a' + i % 26));
    struct mcti_chunk *chunk = mcti_chunk_take(&b);
    assert_non_null(chunk);
    return chunk;
}

/* Reads the body by `step` bytes and compares it. */
static void check_read(const struct mcti_body *b, struct mcti_str whole, size_t step)
{
    char *got = malloc(whole.len + step);
    size_t at = 0, n;
    assert_non_null(got);
    while ((n = mcti_body_read(b, at, got + at, step)))
        at += n;
    assert_int_equal(at, whole.len);
    assert_memory_equal(got, whole.p, whole.len);
    free(got);
}

static void pieces_are_read_at_any_offset(void **state)
{
    struct mcti_chunk *chunk = long_chunk();
    char head[] = "{\"a\":", tail[] = "}";
    struct mcti_pieces p = { .chunk = chunk, .n = 3, .len = LONG + 6 };
    struct mcti_body b = { 0 };
    struct mcti_buf whole;
    (void)state;
    p.item[0] = mcti_str_of(head);
    p.item[1] = mcti_chunk_str(chunk);
    p.item[2] = mcti_str_of(tail);
    mcti_buf_init(&whole, SIZE_MAX);
    mcti_pieces_copy(&whole, &p);
    assert_int_equal(mcti_body_set(&b, &p), 0);
    head[0] = tail[0] = '!'; /* they were copied, the chunk was not */
    assert_ptr_equal(b.pieces.item[1].p, chunk->p);
    assert_int_equal(chunk->refs, 2);
    mcti_chunk_unref(chunk);
    for (size_t step = 1; step < 20; step += 6)
        check_read(&b, mcti_buf_str(&whole), step);
    check_read(&b, mcti_buf_str(&whole), whole.len + 1);
    mcti_body_done(&b);
    mcti_buf_done(&whole);
}

static void a_long_text_is_copied_once(void **state)
{
    struct mcti_chunk *chunk = long_chunk();
    const struct mcti_pieces p = mcti_pieces_one(mcti_chunk_str(chunk));
    struct mcti_body first = { 0 }, second = { 0 };
    (void)state;
    assert_int_equal(mcti_body_set(&first, &p), 0);
    assert_ptr_not_equal(first.pieces.item[0].p, chunk->p);
    assert_int_equal(mcti_body_set(&second, &first.pieces), 0);
    assert_ptr_equal(first.pieces.item[0].p, second.pieces.item[0].p);
    mcti_body_done(&first);
    check_read(&second, mcti_chunk_str(chunk), 1000);
    mcti_body_done(&second);
    mcti_chunk_unref(chunk);
}

static void an_empty_text_is_a_body(void **state)
{
    const struct mcti_pieces p = mcti_pieces_one(MCT_STR(""));
    struct mcti_body b = { 0 };
    (void)state;
    assert_int_equal(mcti_body_set(&b, &p), 0);
    assert_non_null(b.own);
    check_read(&b, MCT_STR(""), 1);
    mcti_body_done(&b);
    assert_null(b.own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_read_at_any_offset),
        cmocka_unit_test(a_long_text_is_copied_once),
        cmocka_unit_test(an_empty_text_is_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
