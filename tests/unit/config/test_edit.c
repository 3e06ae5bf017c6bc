#include "unit.h"

#include "config/edit/edit.h"

enum op { SET, INSERT, REMOVE, RENAME };

/* A case: `path` has its steps between slashes; `value` is the JSON or the new name. After NULL: the edit fails with
 * this message; the text stays. */
struct edit_case {
    enum op op;
    const char *path, *value, *before, *after, *message;
};

static const struct edit_case cases[] = {
    /* new files, empty objects */
    { INSERT, "s/a", "{}", "", "{\n  \"s\": {\n    \"a\": {}\n  }\n}\n", NULL },
    { INSERT, "s/a", "1", "{}", "{\n  \"s\": {\n    \"a\": 1\n  }\n}", NULL },
    { INSERT, "s/a", "1", "{\n}\n", "{\n  \"s\": {\n    \"a\": 1\n  }\n}\n", NULL },
    { INSERT, "s/a", "1", "{\n  \"s\": {}\n}\n", "{\n  \"s\": {\n    \"a\": 1\n  }\n}\n", NULL },
    { INSERT, "s/a", "1", "{\n  \"s\": { // none\n  }\n}\n", "{\n  \"s\": { // none\n    \"a\": 1\n  }\n}\n", NULL },
    { INSERT, "s/a", "1", "{\n  \"s\": { /* none */ }\n}\n", "{\n  \"s\": { /* none */\n    \"a\": 1\n  }\n}\n", NULL },
    /* one line */
    { INSERT, "s/b", "{\"c\": [1, 2]}", "{\"s\":{\"a\":{}}}", "{\"s\":{\"a\":{},\"b\":{\"c\":[1,2]}}}", NULL },
    { INSERT, "s/b", "{\"c\":1}", "{\"s\":{}}", "{\"s\":{\"b\":{\"c\":1}}}", NULL },
    { INSERT, "s/b", "{\"c\":1}", "{ \"s\": { } }", "{ \"s\": { \"b\": { \"c\": 1 } } }", NULL },
    { INSERT, "s/b", "1", "{ \"s\": { \"a\": 2 /* , */ } }", "{ \"s\": { \"a\": 2, /* , */ \"b\": 1 } }", NULL },
    { INSERT, "s/b", "1", "{\"s\": {\"a\": 2,}}", "{\"s\": {\"a\": 2, \"b\": 1,}}", NULL },
    { INSERT, "b", "{\"c\":1}", "{\"s\": {\n  \"a\": 2\n}}", "{\"s\": {\n  \"a\": 2\n}, \"b\": {\n  \"c\": 1\n}}",
      NULL },
    /* comments and commas */
    { INSERT, "s/b", "1", "{ // x\n\t\"s\": {\n\t\t\"a\": {}, // y\n\t} // z\n}",
      "{ // x\n\t\"s\": {\n\t\t\"a\": {}, // y\n\t\t\"b\": 1,\n\t} // z\n}", NULL },
    { INSERT, "s/b", "{\"c\":[]}", "{\n  \"s\": {\n    \"a\": {} /* , */\n    // no comma, here\n  }\n}\n",
      "{\n  \"s\": {\n    \"a\": {}, /* , */\n    // no comma, here\n    \"b\": {\n      \"c\": []\n    }\n  }\n}\n",
      NULL },
    { INSERT, "s/b", "1", "{\"s\":{\"a\":1/* x *//* , */}}", "{\"s\":{\"a\":1,/* x *//* , */\"b\":1}}", NULL },
    { INSERT, "s/b", "1", "{\"s\":{\"a\":1/* x *//**/,}}", "{\"s\":{\"a\":1/* x *//**/,\"b\":1,}}", NULL },
    { INSERT, "s/b", "1", "{\"s\":{\"a\":1/*/ x */,//y\n}}", "{\"s\":{\"a\":1/*/ x */,//y\n  \"b\":1,\n}}", NULL },
    { INSERT, "b", "1", "{\n  \"a\": \"// no, comment\"\n}", "{\n  \"a\": \"// no, comment\",\n  \"b\": 1\n}", NULL },
    /* line ends, tabs, marks, indentation of neighbours */
    { INSERT, "s/b", "{\"c\":1}", "{\r\n  \"s\": {\r\n  }\r\n}\r\n",
      "{\r\n  \"s\": {\r\n    \"b\": {\r\n      \"c\": 1\r\n    }\r\n  }\r\n}\r\n", NULL },
    { INSERT, "b", "1", "\xef\xbb\xbf{\r\n\t\"a\": 0\r\n}", "\xef\xbb\xbf{\r\n\t\"a\": 0,\r\n\t\"b\": 1\r\n}", NULL },
    { INSERT, "s/b", "{\"c\":{\"d\":1}}", "{\n    \"s\": {\n        \"a\": 1\n    }\n}\n",
      "{\n    \"s\": {\n        \"a\": 1,\n        \"b\": {\n            \"c\": {\n                \"d\": 1\n          "
      "  "
      "}\n        }\n    }\n}\n",
      NULL },
    { INSERT, "s/b", "{\"c\":[\"x\",\"y\"]}", "{\n \"s\": {\n  \"a\": {\"c\": [\"z\"]}\n }\n}",
      "{\n \"s\": {\n  \"a\": {\"c\": [\"z\"]},\n  \"b\": {\"c\": [\"x\", \"y\"]}\n }\n}", NULL },
    { INSERT, "b", "[\"x\",\"y\"]", "{\n  \"a\": [\n    1\n  ]\n}",
      "{\n  \"a\": [\n    1\n  ],\n  \"b\": [\n    \"x\",\n    \"y\"\n  ]\n}", NULL },
    { INSERT, "b", "1", "{\n  \"a\": 0 }\n", "{\n  \"a\": 0,\n  \"b\": 1 }\n", NULL },
    /* what is there */
    { INSERT, "s/a", "1", "{\"s\":{\"a\":{}}}", "{\"s\":{\"a\":{}}}", NULL },
    { SET, "s/a", "{\"x\":[1]}", "{\"s\":{\"a\": { \"x\" : [ 1 ] } }}", "{\"s\":{\"a\": { \"x\" : [ 1 ] } }}", NULL },
    { SET, "s/a", "2", "{\n  \"s\": {\n    \"a\": 1 // one\n  }\n}", "{\n  \"s\": {\n    \"a\": 2 // one\n  }\n}",
      NULL },
    { SET, "s/a", "{\"c\":2,\"d\":[3]}",
      "{\n  \"s\": {\n    \"a\": {\n      \"c\": 1\n    }, // x\n    \"b\": 0\n  }\n}",
      "{\n  \"s\": {\n    \"a\": {\n      \"c\": 2,\n      \"d\": [3]\n    }, // x\n    \"b\": 0\n  }\n}", NULL },
    { SET, "s/a/0", "\"z\"", "{\"s\": {\"a\": [\"x\", \"y\"]}}", "{\"s\": {\"a\": [\"z\", \"y\"]}}", NULL },
    { SET, "s/a/-", "\"z\"", "{\"s\": {\"a\": [\"x\", \"y\"]}}", "{\"s\": {\"a\": [\"x\", \"y\", \"z\"]}}", NULL },
    { SET, "s/a/-", "\"z\"", "{\n  \"s\": 1\n}", NULL, "f:2:8: \"s\" is not an object" },
    { SET, "a/-", "\"z\"", "{\n  \"s\": 1\n}", "{\n  \"s\": 1,\n  \"a\": [\"z\"]\n}", NULL },
    { SET, "a", "2", "{\"\\u0061\": 1}", "{\"\\u0061\": 2}", NULL },
    /* removing */
    { REMOVE, "a", NULL, "{\"a\": 1}", "{}", NULL },
    { REMOVE, "a", NULL, "{\n  \"a\": 1\n}\n", "{}\n", NULL },
    { REMOVE, "a", NULL, "{\n  // about a\n  \"a\": 1 // one\n}\n", "{\n  // about a\n}\n", NULL },
    { REMOVE, "a", NULL, "{\n  // about a\n  \"a\": 1, // one\n  \"b\": 2\n}\n", "{\n  // about a\n  \"b\": 2\n}\n",
      NULL },
    { REMOVE, "b", NULL, "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}\n", "{\n  \"a\": 1 // one\n}\n", NULL },
    { REMOVE, "b", NULL, "{\n  \"a\": 1, // one\n  \"b\": 2, // two\n}\n", "{\n  \"a\": 1, // one\n}\n", NULL },
    { REMOVE, "b", NULL, "{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t},\r\n\t\"c\": 3\r\n}",
      "{\r\n\t\"a\": 1,\r\n\t\"c\": 3\r\n}", NULL },
    { REMOVE, "a", NULL, "{\"a\": 1, \"b\": 2}", "{\"b\": 2}", NULL },
    { REMOVE, "b", NULL, "{\"a\": 1, \"b\": 2}", "{\"a\": 1}", NULL },
    { REMOVE, "b", NULL, "{\"a\": 1, \"b\": 2,}", "{\"a\": 1,}", NULL },
    { REMOVE, "b", NULL, "{ \"a\": 1, /* b: */ \"b\": 2 }", "{ \"a\": 1 /* b: */ }", NULL },
    { REMOVE, "a", NULL, "{ \"a\": 1, /* b: */ \"b\": 2 }", "{ /* b: */ \"b\": 2 }", NULL },
    { REMOVE, "a", NULL, "{ \"a\": 1,\n  \"b\": 2 }", "{ \"b\": 2 }", NULL },
    { REMOVE, "b", NULL, "{ \"a\": 1, // x\n  \"b\": 2 }", "{ \"a\": 1 // x\n   }", NULL },
    { REMOVE, "a", NULL, "{\n  // x\n  \"a\": 1, /* \n\"a\": 2 // */\n}", "{\n  // x\n   /* \n\"a\": 2 // */\n}",
      NULL },
    { REMOVE, "l/1", NULL, "{\"l\": [1, 2, 3]}", "{\"l\": [1, 3]}", NULL },
    { REMOVE, "l/2", NULL, "{\"l\": [1, 2, 3]}", "{\"l\": [1, 2]}", NULL },
    { REMOVE, "x/y", NULL, "{\"l\": 1}", "{\"l\": 1}", NULL },
    /* renaming */
    { RENAME, "s/a", "b", "{\"s\": {\"a\": 1, /* c */ \"c\": 2}}", "{\"s\": {\"b\": 1, /* c */ \"c\": 2}}", NULL },
    { RENAME, "s/a", "c", "{\"s\": {\"a\": 1,\n\"c\": 2}}", NULL,
      "f:2:1: \"c\" is there already; choose another name" },
    /* mistakes */
    { SET, "s/a", "1", "{\"s\": 1}", NULL, "f:1:7: \"s\" is not an object" },
    { SET, "s/a", "1", "{\n \"s\": {},\n \"s\": {}\n}", NULL,
      "f:3:2: duplicate key \"s\", which line 2 has already; remove one of them" },
    { SET, "s", "1", "[]", NULL, "f:1:1: the file must contain an object" },
    { SET, "s", "1", "{\n  \"a\": 1\n  \"b\": 2}", NULL, "f:3:3: not valid JSON: ',' or '}' expected" },
    { SET, "s", "1", "\xef\xbb\xbf{\"a\" 1}", NULL, "f:1:6: not valid JSON: ':' expected" },
    { SET, "s", "[1", "{}", NULL, "the new value of \"s\" is not valid JSON" },
    { SET, "l/x", "1", "{\"l\": [1]}", NULL,
      "f:1:7: \"x\" leads into a list; the number of an item, from 0 on, is needed" },
    { SET, "l/3", "1", "{\"l\": [1]}", NULL, "f:1:7: the list has 1 items only; number 3 cannot be reached" },
};

static int edit_run(struct mcti_edit *e, const struct edit_case *c, struct mct_error *err)
{
    char steps[64], *save = NULL;
    const char *path[8] = { NULL };
    size_t n = 0;
    snprintf(steps, sizeof steps, "%s", c->path);
    for (char *step = strtok_r(steps, "/", &save); step && n < 7; step = strtok_r(NULL, "/", &save))
        path[n++] = step;
    switch (c->op) {
    case SET:
        return mcti_edit_set(e, path, mcti_str_of(c->value), err);
    case INSERT:
        return mcti_edit_insert(e, path, mcti_str_of(c->value), err);
    case REMOVE:
        return mcti_edit_remove(e, path, err);
    default:
        return mcti_edit_rename(e, path, c->value, err);
    }
}

static void each_case_gives_its_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct edit_case *c = &cases[i];
        struct mct_error err = { 0 };
        struct mcti_edit e;
        mcti_edit_init(&e, "f", mcti_str_of(c->before));
        int r = edit_run(&e, c, &err);
        mcti_buf_addc(&e.text, '\0');
        assert_string_equal(e.text.p, c->after ? c->after : c->before);
        assert_string_equal(err.message, c->message ? c->message : "");
        assert_int_equal(r, !c->after ? -1 : c->op != SET && !strcmp(c->before, c->after) ? 1 : 0);
        mcti_edit_done(&e);
    }
}

/* Files of programs that read neither comments nor trailing commas are edited only if they have none. */
static void strict_files_have_no_comments(void **state)
{
    static const char *const path[] = { "a", NULL };
    static const char *const bad[] = { "{ // x\n}", "{\"b\": 1,}" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mcti_edit e;
        mcti_edit_init(&e, NULL, mcti_str_of(bad[i]));
        assert_int_equal(mcti_edit_set(&e, path, MCT_STR("1"), NULL), 0);
        mcti_edit_done(&e);
        mcti_edit_init(&e, NULL, mcti_str_of(bad[i]));
        e.strict = true;
        assert_int_equal(mcti_edit_set(&e, path, MCT_STR("1"), NULL), -1);
        assert_buf(&e.text, bad[i]);
        mcti_edit_done(&e);
    }
}

static void values_are_found_with_their_place(void **state)
{
    static const char *const path[] = { "l", "1", NULL }, *const none[] = { "l", "1", "x", NULL },
                             *const more[] = { "m", NULL };
    struct mcti_edit_value v;
    struct mcti_edit e;
    (void)state;
    mcti_edit_init(&e, NULL, MCT_STR("{\n  \"l\": [1,\n   {/*,*/}]}"));
    assert_int_equal(mcti_edit_get(&e, path, &v, NULL), 0);
    assert_buf(&v.json, "{     }");
    assert_int_equal(v.line, 3);
    assert_int_equal(v.column, 4);
    mcti_buf_done(&v.json);
    assert_int_equal(mcti_edit_get(&e, none, &v, NULL), 1);
    assert_int_equal(mcti_edit_get(&e, more, &v, NULL), 1);
    mcti_edit_done(&e);
}

/* ---- differences ---- */

static void differs(const char *before, const char *after, const char *diff)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_edit_put_diff(&b, "f", mcti_str_of(before), mcti_str_of(after));
    assert_buf(&b, diff);
    mcti_buf_done(&b);
}

static void differences_have_lines_around(void **state)
{
    (void)state;
    differs("a\n", "a\n", "");
    differs("", "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    differs("a\nb\nc\n", "a\nx\nc",
            "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+x\n+c\n\\ No newline at end of file\n");
    differs("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "1\nx\n2\n3\n4\n5\n6\n7\n8\n9\n10\n12\n",
            "--- f\n+++ f\n@@ -1,4 +1,5 @@\n 1\n+x\n 2\n 3\n 4\n@@ -8,5 +9,4 @@\n 8\n 9\n 10\n-11\n 12\n");
    differs("1\n2\n3\n4\n5\n", "0\n2\n3\n4\n6\n", "--- f\n+++ f\n@@ -1,5 +1,5 @@\n-1\n+0\n 2\n 3\n 4\n-5\n+6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_gives_its_text),
        cmocka_unit_test(strict_files_have_no_comments),
        cmocka_unit_test(values_are_found_with_their_place),
        cmocka_unit_test(differences_have_lines_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
