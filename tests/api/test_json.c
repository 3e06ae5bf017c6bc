/* The JSON writer and reader of the public headers. */
#include "api.h"

static void writes(void **state)
{
    struct mct_json_writer *w = mct_json_writer_new();
    struct mct_error err;
    (void)state;
    mct_json_put_object(w, NULL);
    mct_json_put_text(w, "a\"b", "\"\\\n\x01 \xc3\xa4 \xff");
    mct_json_put_text_len(w, "zero", "a\0b", 3);
    mct_json_put_int(w, "int", INT64_MIN);
    mct_json_put_number(w, "tenth", 0.1);
    mct_json_put_number(w, "big", 1e300);
    mct_json_put_number(w, "nan", 0.0 / 0.0);
    mct_json_put_bool(w, "yes", true);
    mct_json_put_null(w, "null");
    mct_json_put_text(w, "none", NULL);
    mct_json_put_array(w, "list");
    mct_json_put_json(w, NULL, " [1, 2] ");
    mct_json_put_object(w, NULL);
    mct_json_put_end(w);
    mct_json_put_end(w);
    mct_json_put_end(w);
    char *text = mct_json_writer_take(w, &err);
    assert_non_null(text);
    assert_string_equal(text, "{\"a\\\"b\":\"\\\"\\\\\\n\\u0001 \xc3\xa4 \xef\xbf\xbd\",\"zero\":\"a\\u0000b\","
                              "\"int\":-9223372036854775808,\"tenth\":0.1,\"big\":1e+300,\"nan\":null,\"yes\":true,"
                              "\"null\":null,\"none\":null,\"list\":[[1, 2],{}]}");
    mct_free(text);
}

enum { OBJECT = 1, ARRAY, END, KEYED, BARE, BAD };

static void mistakes(void **state)
{
    static const struct {
        int steps[6];
        const char *says;
    } rows[] = { { { 0 }, "no value was written" },
                 { { OBJECT }, "not ended" },
                 { { END }, "no object or array is open" },
                 { { OBJECT, BARE, END }, "without a key" },
                 { { ARRAY, KEYED, END }, "outside of an object" },
                 { { KEYED }, "outside of an object" },
                 { { BARE, BARE }, "after the outermost" },
                 { { BAD }, "not valid JSON" } };
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_json_writer *w = mct_json_writer_new();
        for (const int *step = rows[i].steps; *step; step++) {
            if (*step == OBJECT)
                mct_json_put_object(w, NULL);
            else if (*step == ARRAY)
                mct_json_put_array(w, NULL);
            else if (*step == END)
                mct_json_put_end(w);
            else if (*step == BAD)
                mct_json_put_json(w, NULL, "{");
            else
                mct_json_put_int(w, *step == KEYED ? "key" : NULL, 1);
        }
        assert_null(mct_json_writer_take(w, &err));
        assert_int_equal(err.kind, MCT_ERR_USAGE);
        assert_has(err.message, rows[i].says);
    }
    assert_null(mct_json_writer_take(NULL, &err)); /* as if memory had been exhausted */
    assert_int_equal(err.kind, MCT_ERR_NO_MEMORY);
    mct_json_put_int(NULL, NULL, 1);
    mct_json_writer_free(NULL);
    struct mct_json_writer *w = mct_json_writer_new();
    for (int i = 0; i < 1000; i++)
        mct_json_put_array(w, NULL);
    assert_null(mct_json_writer_take(w, &err));
    assert_has(err.message, "too deeply");
}

static void reads(void **state)
{
    struct mct_json json, list;
    struct mct_error err;
    int64_t n = 7;
    double d = 0;
    bool yes = false;
    (void)state;
    assert_ok(mct_json_read(" {\"t\":\"a\\u00e4\",\"n\":[1,2.5,-3,true,null,\"\\ud800\"],\"o\":{}} ", &json, &err));
    assert_int_equal(mct_json_type(json), MCT_JSON_OBJECT);
    char *text = mct_json_text(mct_json_get(json, "t"));
    assert_string_equal(text, "a\xc3\xa4");
    mct_free(text);
    assert_true(mct_json_is(mct_json_get(json, "t"), "a\xc3\xa4"));
    list = mct_json_get(json, "n");
    assert_true(mct_json_int(mct_json_at(list, 0), &n));
    assert_int_equal(n, 1);
    assert_false(mct_json_int(mct_json_at(list, 1), &n));
    assert_int_equal(n, 1);
    assert_true(mct_json_number(mct_json_at(list, 1), &d));
    assert_true(d == 2.5);
    assert_true(mct_json_int(mct_json_at(list, 2), &n));
    assert_int_equal(n, -3);
    assert_true(mct_json_bool(mct_json_at(list, 3), &yes) && yes);
    assert_false(mct_json_bool(mct_json_at(list, 4), &yes));
    assert_int_equal(mct_json_type(mct_json_at(list, 4)), MCT_JSON_NULL);
    assert_null(mct_json_text(mct_json_at(list, 5)));
    assert_int_equal(mct_json_type(mct_json_at(list, 6)), MCT_JSON_ABSENT);
    assert_int_equal(mct_json_type(mct_json_get(list, "x")), MCT_JSON_ABSENT);
    assert_int_equal(mct_json_type(mct_json_at(json, 0)), MCT_JSON_ABSENT);
    assert_false(mct_json_number(mct_json_get(json, "t"), &d));

    char keys[16] = "";
    for (struct mct_json_iter it = mct_json_each(json); mct_json_next(&it);) {
        char *key = mct_json_text(it.key);
        strcat(keys, key);
        mct_free(key);
    }
    assert_string_equal(keys, "tno");
    struct mct_json_iter empty = mct_json_each(mct_json_get(json, "o"));
    assert_false(mct_json_next(&empty));
    empty = mct_json_each(mct_json_get(json, "t"));
    assert_false(mct_json_next(&empty));
    n = 0;
    for (struct mct_json_iter it = mct_json_each(list); mct_json_next(&it); n++)
        assert_int_equal(mct_json_type(it.key), MCT_JSON_ABSENT);
    assert_int_equal(n, 6);

    assert_int_equal(mct_json_read("{", &json, &err), -1);
    assert_has(err.message, "not valid JSON");
    assert_int_equal(mct_json_read(NULL, &json, &err), -1);
    assert_int_equal(mct_json_read_len("[1]garbage", 3, &json, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(writes), cmocka_unit_test(mistakes), cmocka_unit_test(reads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
