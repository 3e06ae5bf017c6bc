#include "unit.h"

#include "base/buf.h"

enum { LONG = 2 * MCT_SPLICE_BYTES };

/* Returns a chunk of LONG bytes that all differ from their neighbours. */
static struct mcti_chunk *chunk_new(void)
{
    struct mcti_buf b;
    mcti_buf_init(&b, LONG);
    for (int i = 0; i < LONG; i++)
        mcti_buf_addc(&b, (char)('a' + i % 26));
    struct mcti_chunk *c = mcti_chunk_take(&b);
    assert_non_null(c);
    assert_null(b.p);
    return c;
}

static void short_texts_are_no_chunks(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_buf_addz(&b, "short");
    assert_null(mcti_chunk_take(&b));
    assert_buf(&b, "short");
    mcti_buf_done(&b);
}

static void bytes_live_as_long_as_a_reference(void **state)
{
    struct mcti_chunk *c = chunk_new(), *again = mcti_chunk_ref(c);
    struct mcti_buf b;
    (void)state;
    mcti_chunk_unref(c);
    assert_int_equal(mcti_chunk_str(again).p[27], 'b');
    mcti_buf_init(&b, LONG);
    mcti_chunk_give_back(again, &b);
    assert_int_equal(b.len, LONG);
    mcti_buf_done(&b);
    mcti_chunk_unref(NULL);
}

static void shared_bytes_are_not_given_back(void **state)
{
    struct mcti_chunk *c = chunk_new();
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, LONG);
    mcti_chunk_give_back(mcti_chunk_ref(c), &b);
    assert_int_equal(b.len, 0);
    mcti_chunk_unref(c);
}

/* Writes "<", a long span, "-", a short span of the chunk, ">". */
static void write_both(struct mcti_buf *b, struct mcti_str whole)
{
    mcti_buf_addc(b, '<');
    mcti_buf_add(b, (struct mcti_str){ whole.p + 1, MCT_SPLICE_BYTES });
    mcti_buf_addc(b, '-');
    mcti_buf_add(b, (struct mcti_str){ whole.p, 3 });
    mcti_buf_addc(b, '>');
}

static void pieces_are_the_text(void **state)
{
    struct mcti_chunk *c = chunk_new();
    struct mcti_splices splices = { .chunk = c };
    struct mcti_buf b, plain, all;
    (void)state;
    mcti_buf_init(&b, LONG);
    mcti_buf_init(&plain, LONG);
    mcti_buf_init(&all, LONG);
    b.splices = &splices;
    write_both(&b, mcti_chunk_str(c));
    write_both(&plain, mcti_chunk_str(c));
    assert_buf(&b, "<-abc>");
    struct mcti_pieces p = mcti_pieces_of(&b);
    assert_int_equal(p.n, 3);
    assert_int_equal(p.len, plain.len);
    assert_false(mcti_pieces_shared(&p, 0));
    assert_true(mcti_pieces_shared(&p, 1));
    assert_true(p.item[1].p == mcti_chunk_str(c).p + 1);
    mcti_pieces_copy(&all, &p);
    assert_int_equal(all.len, plain.len);
    assert_memory_equal(all.p, plain.p, plain.len);
    mcti_buf_done(&b);
    mcti_buf_done(&plain);
    mcti_buf_done(&all);
    mcti_chunk_unref(c);
}

static void limits_count_splices(void **state)
{
    struct mcti_chunk *c = chunk_new();
    struct mcti_splices splices = { .chunk = c };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, MCT_SPLICE_BYTES + 100);
    b.splices = &splices;
    mcti_buf_add(&b, (struct mcti_str){ mcti_chunk_str(c).p, MCT_SPLICE_BYTES });
    assert_true(mcti_buf_ok(&b));
    mcti_buf_add(&b, (struct mcti_str){ mcti_chunk_str(c).p, MCT_SPLICE_BYTES });
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&b);
    mcti_chunk_unref(c);
}

/* More spans than there is room for are copied, and spans of other memory always are. */
static void the_rest_is_copied(void **state)
{
    struct mcti_chunk *c = chunk_new(), *other = chunk_new();
    struct mcti_splices splices = { .chunk = c };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 8 * LONG);
    b.splices = &splices;
    mcti_buf_add(&b, (struct mcti_str){ mcti_chunk_str(other).p, MCT_SPLICE_BYTES });
    assert_int_equal(splices.n, 0);
    for (int i = 0; i < MCT_SPLICES + 2; i++)
        mcti_buf_add(&b, (struct mcti_str){ mcti_chunk_str(c).p, MCT_SPLICE_BYTES });
    assert_int_equal(splices.n, MCT_SPLICES);
    assert_int_equal(mcti_pieces_of(&b).len, (MCT_SPLICES + 3) * (size_t)MCT_SPLICE_BYTES);
    mcti_buf_done(&b);
    mcti_chunk_unref(c);
    mcti_chunk_unref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_texts_are_no_chunks),
        cmocka_unit_test(bytes_live_as_long_as_a_reference),
        cmocka_unit_test(shared_bytes_are_not_given_back),
        cmocka_unit_test(pieces_are_the_text),
        cmocka_unit_test(limits_count_splices),
        cmocka_unit_test(the_rest_is_copied),
    };
    return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
