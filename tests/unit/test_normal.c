#include "unit.h"

#include "golden.h"
#include "model/schema/profile.h"
#include "json/tree.h"
#include "json/write.h"
#include "schema/schema.h"

enum { TEXT = 8192 };

#include "quoted.h"

static const char *const golden_files[] = { "arrays",       "deepseek", "gemini", "llamacpp", "numbers",
                                            "openai",       "openapi",  "refs",   "root",     "strict",
                                            "strict_names", "unions",   "xai" };
enum { N_FILES = sizeof golden_files / sizeof *golden_files };

static const struct mcti_schema_profile *profile(const char *name)
{
    const struct mcti_schema_profile *p = mcti_schema_profile_find(mcti_str_of(name));
    assert_non_null(p);
    return p;
}

/* Initialises *to. */
static void normalise(struct mcti_buf *to, struct mcti_str schema, const struct mcti_schema_profile *p)
{
    struct mct_error err = { 0 };
    mcti_buf_init(to, 64u << 20);
    if (mcti_schema_normalise(to, schema, p, NULL, &err) < 0)
        fail_msg("%s of %.*s: %s", p->name, MCT_STR_ARG(schema), err.message);
    if (p->steps && !mcti_json_valid(mcti_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("no JSON: %.*s", MCT_STR_ARG(mcti_buf_str(to)));
}

/* ---- the rules, one file for each kind of step ---- */

typedef void case_fn(struct mcti_str row);

static void each_case(const char *file, case_fn *fn)
{
    struct mcti_buf text;
    struct mcti_json_fault fault;
    struct mcti_str row;
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "schemas/%s.json", file);
    read_golden(&text, path);
    if (!mcti_json_valid(mcti_buf_str(&text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        fail_msg("%s at byte %zu: %s", path, fault.offset, fault.why);
    for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&text)); mcti_json_next_item(&it, &row); n++)
        fn(row);
    assert_true(n > 0);
    mcti_buf_done(&text);
}

static void check_member(struct mcti_str row, struct mcti_str input, struct mcti_json_member m)
{
    const struct mcti_schema_profile *p = mcti_schema_profile_find(m.key);
    struct mcti_buf is, wanted;
    if (mcti_str_is(m.key, "strict_ok")) {
        assert_int_equal(mcti_schema_strict_ok(&input, 1), mcti_json_true(m.value));
        return;
    }
    assert_non_null(p);
    normalise(&is, input, p);
    mcti_buf_init(&wanted, 1u << 20);
    mcti_json_put_compact(&wanted, m.value);
    if (!mcti_str_eq(mcti_buf_str(&is), mcti_buf_str(&wanted)))
        fail_msg("%.*s, %s:\n%.*s\nnot\n%.*s", MCT_STR_ARG(mcti_json_get(row, "title")), p->name,
                 MCT_STR_ARG(mcti_buf_str(&is)), MCT_STR_ARG(mcti_buf_str(&wanted)));
    mcti_buf_done(&is);
    mcti_buf_done(&wanted);
}

static void check_case(struct mcti_str row)
{
    struct mcti_json_member m;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(row); mcti_json_next_member(&it, &m);) {
        if (mcti_str_is(m.key, "title") || mcti_str_is(m.key, "input"))
            continue;
        check_member(row, mcti_json_get(row, "input"), m);
        n++;
    }
    assert_true(n > 0);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], check_case);
}

static void normalise_again(struct mcti_str row)
{
    struct mcti_buf once, twice, same;
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++) {
        if (!strcmp(p->name, "gemini") || !strcmp(p->name, "deepseek"))
            continue; /* what they take apart may lack items then, and gets them the second time */
        normalise(&once, mcti_json_get(row, "input"), p);
        normalise(&twice, mcti_buf_str(&once), p);
        mcti_buf_init(&same, 1u << 20);
        mcti_buf_addc(&same, '{');
        mcti_json_put_raw(&same, "const", mcti_buf_str(&once)); /* equal, but for the order of members */
        mcti_buf_addc(&same, '}');
        if (mcti_schema_check(mcti_buf_str(&same), mcti_buf_str(&twice), NULL) != MCT_SCHEMA_VALID)
            fail_msg("%s of %.*s:\n%.*s\n%.*s", p->name, MCT_STR_ARG(row), MCT_STR_ARG(mcti_buf_str(&once)),
                     MCT_STR_ARG(mcti_buf_str(&twice)));
        mcti_buf_done(&same);
        mcti_buf_done(&once);
        mcti_buf_done(&twice);
    }
}

/* A second time changes nothing. */
static void test_idempotent(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], normalise_again);
}

/* ---- what the tool accepts, the normalised schema accepts ---- */

static unsigned long chance_state;
static unsigned chance(unsigned n)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(chance_state >> 33) % n;
}

/* Names and values that stand in the schema itself hit its rules far more often than any others. */
static struct {
    struct mcti_str name[256], value[256];
    unsigned n_names, n_values;
} words;

static void collect(struct mcti_str value)
{
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_json_member m;
    struct mcti_str item;
    char type = mcti_json_type(value);
    if (type == '{')
        while (mcti_json_next_member(&it, &m)) {
            if (words.n_names < 256)
                words.name[words.n_names++] = m.key;
            collect(m.value);
        }
    else if (type == '[')
        while (mcti_json_next_item(&it, &item))
            collect(item);
    else if (words.n_values < 256)
        words.value[words.n_values++] = value;
}

static void put_instance(struct mcti_buf *to, int depth);

static void put_container(struct mcti_buf *to, bool object, int depth)
{
    struct mcti_str used[4];
    unsigned n = chance(5);
    mcti_buf_addc(to, object ? '{' : '[');
    for (unsigned i = 0, n_used = 0; i < n && i < 4; i++) {
        struct mcti_str name = words.name[chance(words.n_names)];
        bool again = false;
        for (unsigned k = 0; object && k < n_used; k++)
            again |= mcti_str_eq(used[k], name);
        if (again)
            continue;
        used[n_used] = name;
        mcti_buf_addz(to, n_used++ ? "," : "");
        if (object) {
            mcti_buf_addc(to, '"');
            mcti_buf_add(to, name);
            mcti_buf_addz(to, "\":");
        }
        put_instance(to, depth - 1);
    }
    mcti_buf_addc(to, object ? '}' : ']');
}

static void put_instance(struct mcti_buf *to, int depth)
{
    static const char *const plain[] = { "null", "true", "false", "0", "1", "2.5", "-7", "\"\"", "\"x\"", "\"1\"" };
    if (depth > 0 && chance(3) == 0)
        put_container(to, chance(3) > 0, depth);
    else if (chance(2) && words.n_values)
        mcti_buf_add(to, words.value[chance(words.n_values)]);
    else
        mcti_buf_addz(to, plain[chance(sizeof plain / sizeof *plain)]);
}

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

/* ---- profiles ---- */

static void test_profiles(void **state)
{
    static const char *const names[] = { "none",      "openclaw", "gemini",   "openai",  "openai-strict",
                                         "anthropic", "xai",      "deepseek", "llamacpp" };
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(profile(names[i])->name, names[i]);
    assert_null(mcti_schema_profile_find(MCT_STR("")));
    assert_null(mcti_schema_profile_find(MCT_STR("Gemini")));
    normalise(&b, MCT_STR("{ \"a\" : 1.50,\"a\":{} }"), profile("none"));
    assert_buf(&b, "{ \"a\" : 1.50,\"a\":{} }");
    mcti_buf_done(&b);
}

static void test_keywords_of_the_caller(void **state)
{
    static const char *const extra[] = { "format", "dependencies", NULL };
    char text[TEXT], wanted[TEXT];
    struct mcti_schema_profile p = *profile("none");
    struct mcti_buf b;
    (void)state;
    p.extra = extra;
    normalise(
        &b,
        json("{'properties':{'format':{'format':'x','contains':{'format':'y'}},'dependencies':{'dependencies':{}}},"
             "'default':{'format':1},'format':'z'}",
             text),
        &p);
    assert_buf(&b,
               quoted("{'properties':{'format':{'contains':{}},'dependencies':{}},'default':{'format':1}}", wanted));
    mcti_buf_done(&b);
}

static void test_strings_are_one_however_they_are_written(void **state)
{
    struct mcti_buf b;
    (void)state;
    normalise(&b,
              MCT_STR("{\"ty\\u0070e\":\"ob\\u006aect\",\"properties\":{\"a\":{\"\\u0024ref\":\"#\\/%24defs\"},"
                      "\"b\":{\"$ref\":\"#\\/\\u0024defs\\/N\"}},\"$defs\":{\"\\u004e\":{\"type\":\"null\"}}}"),
              profile("openclaw"));
    char *made = mcti_buf_take(&b);
    assert_non_null(strstr(made, "\"b\":{\"type\":\"null\"}"));
    free(made);
}

/* ---- limits ---- */

static void put_bomb(struct mcti_buf *to, int levels, const char *inner)
{
    mcti_buf_init(to, 1u << 20);
    mcti_buf_addz(to, "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/0\"}},\"$defs\":{");
    for (int i = 0; i < levels; i++)
        mcti_buf_printf(to,
                        "\"%d\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/"
                        "%d\"},\"b\":{\"$ref\":\"#/$defs/%d\"}}},",
                        i, i + 1, i + 1);
    mcti_buf_printf(to, "\"%d\":%s}}", levels, inner);
}

static bool explodes(int levels, const char *inner, const char *name)
{
    struct mcti_schema_report report = { false };
    struct mcti_buf bomb, made;
    put_bomb(&bomb, levels, inner);
    mcti_buf_init(&made, 64u << 20);
    assert_int_equal(mcti_schema_normalise(&made, mcti_buf_str(&bomb), profile(name), &report, NULL), 0);
    assert_true(made.len < MCT_LIMIT_SCHEMA_GROWTH_BYTES + bomb.len);
    assert_true(mcti_json_valid(mcti_buf_str(&made), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    mcti_buf_done(&bomb);
    mcti_buf_done(&made);
    return report.cut;
}

/* "Billion laughs": what doubles at each level is cut within its budget, and that is said. */
static void test_bomb(void **state)
{
    (void)state;
    for (const struct mcti_schema_profile *p = mcti_schema_profiles + 1; p->name; p++) {
        assert_true(explodes(100, "{\"type\":\"string\"}", p->name));
        assert_true(explodes(20, "{\"type\":\"string\"}", p->name));
        assert_false(explodes(8, "{\"type\":\"string\"}", p->name));
    }
    assert_false(explodes(100, "{\"type\":\"string\"}", "none"));
}

/* The budget is one of bytes, too. */
static void test_bomb_of_text(void **state)
{
    struct mcti_buf inner;
    (void)state;
    mcti_buf_init(&inner, 1u << 20);
    mcti_buf_addz(&inner, "{\"description\":\"");
    for (int i = 0; i < 65536; i++)
        mcti_buf_addc(&inner, 'x');
    mcti_buf_addz(&inner, "\"}");
    char *text = mcti_buf_take(&inner);
    assert_true(explodes(8, text, "openclaw"));
    assert_false(explodes(2, text, "openclaw"));
    free(text);
}

static void put_repeated(struct mcti_buf *to, const char *before, const char *unit, const char *after, int n)
{
    mcti_buf_init(to, 16u << 20);
    mcti_buf_addz(to, before);
    for (int i = 0; i < n; i++)
        mcti_buf_printf(to, unit, i, i + 1);
    mcti_buf_addz(to, after);
}

static void assert_refused(struct mcti_str schema, enum mct_error_kind kind, const char *why)
{
    struct mct_error err = { 0 };
    struct mcti_buf made;
    mcti_buf_init(&made, 64u << 20);
    assert_int_equal(mcti_schema_normalise(&made, schema, profile("gemini"), NULL, &err), -1);
    assert_int_equal(err.kind, kind);
    assert_string_equal(err.message, why);
    assert_int_equal(made.len, 0);
    mcti_buf_done(&made);
}

static void test_limits(void **state)
{
    struct mcti_buf b;
    (void)state;
    put_repeated(&b, "", "{\"items\":", "", 128);
    mcti_buf_addz(&b, "1");
    for (int i = 0; i < 128; i++)
        mcti_buf_addc(&b, '}');
    struct mcti_buf made;
    normalise(&made, mcti_buf_str(&b), profile("openclaw"));
    mcti_buf_done(&made);
    mcti_buf_done(&b);

    put_repeated(&b, "", "[", "", 129);
    for (int i = 0; i < 129; i++)
        mcti_buf_addc(&b, ']');
    assert_refused(mcti_buf_str(&b), MCT_ERR_LIMIT, "the schema: is nested too deeply");
    mcti_buf_done(&b);

    put_repeated(&b, "{\"enum\":[0", ",%d", "]}", MCT_LIMIT_SCHEMA_NODES);
    assert_refused(mcti_buf_str(&b), MCT_ERR_LIMIT, "the schema: has too many values");
    mcti_buf_done(&b);

    assert_refused(MCT_STR("[]"), MCT_ERR_USAGE, "the schema of a tool must be an object");
    assert_refused(MCT_STR("true"), MCT_ERR_USAGE, "the schema of a tool must be an object");
}

/* A chain of references is as deep as it is long. */
static void test_chain(void **state)
{
    struct mcti_schema_report report = { false };
    struct mcti_buf b, made;
    (void)state;
    put_repeated(&b, "{\"$ref\":\"#/$defs/0\",\"$defs\":{", "\"%d\":{\"$ref\":\"#/$defs/%d\"},", "\"x\":{}}}", 20000);
    mcti_buf_init(&made, 1u << 20);
    assert_int_equal(mcti_schema_normalise(&made, mcti_buf_str(&b), profile("openclaw"), &report, NULL), 0);
    assert_true(report.cut);
    mcti_buf_done(&b);
    mcti_buf_done(&made);
}

/* ---- may it be sent ---- */

static void test_violations(void **state)
{
    static const struct {
        const char *schema, *list;
    } rows[] = {
        { "{'type':'object','properties':{'$dynamicRef':{'type':'string'}},'default':{'$dynamicRef':'#x'}}", "[]" },
        { "{}", "[]" },
        { "[]", "['parameters must be a JSON object schema']" },
        { "{'type':'string'}", "['parameters.type must be \\'object\\'']" },
        { "{'type':['object']}", "['parameters.type must be \\'object\\'']" },
        { "{'properties':{'a':{'$dynamicRef':'#x'},'properties':{'items':[{'$dynamicAnchor':'x'}]}}}",
          "['parameters.properties.a.$dynamicRef','parameters.properties.properties.items[0].$dynamicAnchor']" },
        { "{'properties':{'a':{'maximum':1e999},'b':{'enum':[1e308,-1e400]}}}",
          "['parameters.properties.a.maximum is not a finite number','parameters.properties.b.enum[1] is not a finite "
          "number']" },
    };
    char schema[TEXT], list[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        struct mcti_str wanted = json(rows[i].list, list), item;
        size_t n = 0;
        mcti_buf_init(&b, 1u << 20);
        for (struct mcti_json_iter it = mcti_json_open(wanted); mcti_json_next_item(&it, &item);)
            n++;
        assert_int_equal(mcti_schema_violations(&b, json(rows[i].schema, schema), "parameters"), n);
        assert_buf(&b, list);
        mcti_buf_done(&b);
    }
}

static void test_strict_set(void **state)
{
    char a[TEXT], b[TEXT], c[TEXT];
    struct mcti_str set[] = { json("{}", a), json("{'properties':{'a':{'type':'string'}},'required':['a']}", b),
                              json("{'properties':{'a':{'type':'string'}}}", c) };
    (void)state;
    assert_true(mcti_schema_strict_ok(set, 0));
    assert_true(mcti_schema_strict_ok(set, 2));
    assert_false(mcti_schema_strict_ok(set, 3));
}

/* ---- the way back ---- */

struct back {
    const char *profile, *schema, *given, *wanted;
    bool accepted; /* by the tool, in the end */
};

static void test_arguments(void **state)
{
    static const struct back rows[] = {
        { "gemini", "{'properties':{'n':{'enum':[1,2.50,true,null,'x']}}}", "{'n':'2.5'}", "{'n':2.50}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,true,null]}}}", "{'n':'true'}", "{'n':true}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,true,null]}}}", "{'n':'null'}", "{'n':null}", true },
        { "gemini", "{'properties':{'n':{'enum':[12345678901234567890]}}}", "{'n':'12345678901234567890'}",
          "{'n':12345678901234567890}", true },
        { "gemini", "{'properties':{'n':{'const':7}}}", "{'n':'7'}", "{'n':7}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,'1']}}}", "{'n':'1'}", "{'n':'1'}", true },
        { "gemini", "{'properties':{'n':{'enum':[1,2]}}}", "{'n':'3'}", "{'n':'3'}", false },
        { "gemini", "{'properties':{'n':{'enum':[1]},'s':{'type':'string'}}}", "{'s':'1','n':'1'}", "{'s':'1','n':1}",
          true },
        { "gemini", "{'properties':{'a':{'items':{'enum':[1,2]}}}}", "{'a':['1','2']}", "{'a':[1,2]}", true },
        { "gemini", "{'properties':{'a':{'prefixItems':[{'type':'string'},{'const':2}]}}}", "{'a':['2','2']}",
          "{'a':['2',2]}", true },
        { "gemini", "{'properties':{'o':{'additionalProperties':{'enum':[5]}}}}", "{'o':{'k':'5'}}", "{'o':{'k':5}}",
          true },
        { "gemini",
          "{'properties':{'t':{'$ref':'#/$defs/T'}},'$defs':{'T':{'properties':{'v':{'const':1},'t':{'$ref':'#/$defs/"
          "T'}}}}}",
          "{'t':{'v':'1','t':{'v':'1','t':{'v':'1'}}}}", "{'t':{'v':1,'t':{'v':1,'t':{'v':1}}}}", true },
        { "gemini",
          "{'anyOf':[{'properties':{'k':{'const':1},'a':{'type':'string'}},'required':['k']},{'properties':{'k':{'"
          "const':2}},'required':['k']}]}",
          "{'k':'2','a':'2'}", "{'k':2,'a':'2'}", true },
        { "openai-strict", "{'properties':{'a':{'type':'string'},'b':{'type':'string'}},'required':['a']}",
          "{'a':'x','b':null}", "{'a':'x'}", true },
        { "openai-strict", "{'properties':{'a':{'type':'string'}},'required':['a']}", "{'a':null}", "{'a':null}",
          false },
        { "openai-strict", "{'properties':{'a':{'type':['string','null']},'b':{'type':'integer'}}}",
          "{'a':null,'b':null}", "{'a':null}", true },
        { "openai-strict",
          "{'properties':{'a':{'anyOf':[{'type':'integer'},{'type':'null'}]},'b':{'$ref':'#/$defs/S'},'c':{}},"
          "'$defs':{'S':{'type':'string'}}}",
          "{'a':null,'b':null,'c':null}", "{'a':null,'c':null}", true },
        { "openai-strict", "{'properties':{'o':{'properties':{'x':{'enum':[1]}}}}}", "{'o':{'x':null,'y':null}}",
          "{'o':{'y':null}}", true },
        { "openai", "{'properties':{'a':{'type':'string'}}}", "{ 'a' : 'as it is' }", "{ 'a' : 'as it is' }", true },
        { "none", "{'properties':{'n':{'enum':[1]}}}", "{'n':'1'}", "{'n':'1'}", false },
        { "xai", "{'properties':{'a':{'type':'string'}}}",
          "{'a':'&lt;b&gt; &amp;amp; &#65;&#x42;&quot;&apos; &nope; & &#xd800; &#0;','&lt;':[1,{'x':'&amp;'}]}",
          "{'a':'<b> &amp; AB\\'` &nope; & &#xd800; &#0;','&lt;':[1,{'x':'&'}]}", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char schema[TEXT], given[TEXT], wanted[TEXT];
        struct mcti_str s = json(rows[i].schema, schema);
        struct mcti_buf b;
        mcti_buf_init(&b, 1u << 20);
        assert_int_equal(mcti_schema_restore(&b, s, json(rows[i].given, given), profile(rows[i].profile), NULL), 0);
        quoted(rows[i].wanted, wanted);
        for (char *p = wanted; *p; p++) /* there is no other way to write it */
            *p = *p == '`' ? '\'' : *p;
        if (!mcti_str_eq(mcti_buf_str(&b), mcti_str_of(wanted)))
            fail_msg("%s %s: %.*s, not %s", rows[i].profile, schema, MCT_STR_ARG(mcti_buf_str(&b)), wanted);
        assert_int_equal(mcti_schema_check(s, mcti_buf_str(&b), NULL) == MCT_SCHEMA_VALID, rows[i].accepted);
        mcti_buf_done(&b);
    }
}

static void leave_what_is_accepted(struct mcti_str row)
{
    struct mcti_str schema = mcti_json_get(row, "input");
    struct mcti_buf instance, back;
    memset(&words, 0, sizeof words);
    collect(schema);
    words.name[words.n_names++ % 256] = MCT_STR("other");
    mcti_buf_init(&instance, 1u << 20);
    mcti_buf_init(&back, 1u << 20);
    for (int i = 0; i < 100; i++) {
        mcti_buf_clear(&instance);
        mcti_buf_clear(&back);
        put_container(&instance, true, 3);
        assert_int_equal(mcti_schema_restore(&back, schema, mcti_buf_str(&instance), profile("gemini"), NULL), 0);
        assert_true(mcti_json_valid(mcti_buf_str(&back), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
        if (mcti_schema_check(schema, mcti_buf_str(&instance), NULL) != MCT_SCHEMA_VALID)
            continue;
        n_valid++;
        assert_true(mcti_str_eq(mcti_buf_str(&back), mcti_buf_str(&instance)));
    }
    mcti_buf_done(&instance);
    mcti_buf_done(&back);
}

static void test_accepted_arguments_stay(void **state)
{
    (void)state;
    chance_state = 7;
    n_valid = 0;
    for (size_t i = 0; i < N_FILES; i++)
        each_case(golden_files[i], leave_what_is_accepted);
    assert_true(n_valid > 1000);
}

/* Large arguments for a large schema cost what the budget allows, and come back as they were. */
static void test_arguments_are_bounded(void **state)
{
    struct mcti_buf schema, arguments, back;
    (void)state;
    put_repeated(&schema, "{\"additionalProperties\":{\"enum\":[0", ",%d", "]}}", 20000);
    put_repeated(&arguments, "{\"x\":0", ",\"k%d\":\"no\"", "}", 20000);
    mcti_buf_init(&back, 16u << 20);
    assert_int_equal(
        mcti_schema_restore(&back, mcti_buf_str(&schema), mcti_buf_str(&arguments), profile("gemini"), NULL), 0);
    assert_true(mcti_str_eq(mcti_buf_str(&back), mcti_buf_str(&arguments)));
    mcti_buf_done(&schema);
    mcti_buf_done(&arguments);
    mcti_buf_done(&back);
}

/* Looking for a null, or for a type, among very many words costs the budget too: when it is spent, what is left stays.
 */
static void test_long_lists_of_words_are_bounded(void **state)
{
    static const struct {
        const char *head, *word, *tail, *first, *more;
    } rows[] = {
        { "{\"properties\":{\"a\":{\"items\":{\"properties\":{\"x\":{\"enum\":[0", ",%d", "]}}}}}}",
          "{\"a\":[{\"x\":null}", ",{\"x\":null}" },
        { "{\"properties\":{\"a\":{\"items\":{\"properties\":{\"x\":{\"type\":[\"integer\"", ",\"t%d\"", "]}}}}}}",
          "{\"a\":[{\"x\":null}", ",{\"x\":null}" },
        { "{\"properties\":{\"a\":{\"items\":{\"anyOf\":[{\"const\":1},{\"type\":[\"integer\"", ",\"t%d\"", "]}]}}}}",
          "{\"a\":[\"1\"", ",\"1\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf schema, arguments, back;
        char text[64];
        put_repeated(&schema, rows[i].head, rows[i].word, rows[i].tail, 20000);
        put_repeated(&arguments, rows[i].first, rows[i].more, "]}", 20000);
        mcti_buf_init(&back, 16u << 20);
        assert_int_equal(
            mcti_schema_restore(&back, mcti_buf_str(&schema), mcti_buf_str(&arguments), profile("gemini"), NULL), 0);
        assert_true(mcti_buf_str(&back).len > mcti_buf_str(&arguments).len * 9 / 10 && back.len < arguments.len);
        snprintf(text, sizeof text, "%s]}", rows[i].more);
        assert_memory_equal(back.p + back.len - strlen(text), text, strlen(text));
        mcti_buf_done(&schema);
        mcti_buf_done(&arguments);
        mcti_buf_done(&back);
    }
}

/* ---- the cache ---- */

static struct mcti_str cached(struct mcti_schema_cache *c, const char *schema, const struct mcti_schema_profile *p)
{
    char text[TEXT];
    struct mcti_str s = MCT_STR_NONE;
    assert_int_equal(mcti_schema_cache_get(c, json(schema, text), p, &s, NULL, NULL), 0);
    return s;
}

static void test_cache(void **state)
{
    static const char *const extra[] = { "title", NULL };
    struct mcti_schema_profile without = *profile("openclaw");
    struct mcti_schema_cache *c = mcti_schema_cache_new(100000);
    struct mct_error err = { 0 };
    struct mcti_str text;
    (void)state;
    assert_non_null(c);
    without.extra = extra;
    struct mcti_str first = cached(c, "{'title':'T'}", profile("openclaw"));
    assert_span(first, "{\"title\":\"T\"}");
    assert_ptr_equal(cached(c, "{'title':'T'}", profile("openclaw")).p, first.p);
    assert_span(cached(c, "{'title':'T'}", &without), "{}");
    assert_span(cached(c, "{'title':'T'}", profile("anthropic")),
                "{\"title\":\"T\",\"type\":\"object\",\"properties\":{}}");
    assert_ptr_equal(cached(c, "{'title':'T'}", profile("openclaw")).p, first.p);
    assert_int_equal(mcti_schema_cache_get(c, MCT_STR("[]"), &without, &text, NULL, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    mcti_schema_cache_free(c);
    mcti_schema_cache_free(NULL);
}

static void test_cache_tells_of_cuts(void **state)
{
    struct mcti_schema_cache *c = mcti_schema_cache_new(1u << 20);
    struct mcti_buf bomb;
    struct mcti_str text;
    (void)state;
    put_bomb(&bomb, 40, "{}");
    for (int i = 0; i < 2; i++) {
        struct mcti_schema_report report = { false };
        assert_int_equal(mcti_schema_cache_get(c, mcti_buf_str(&bomb), profile("openclaw"), &text, &report, NULL), 0);
        assert_true(report.cut);
    }
    mcti_buf_done(&bomb);
    mcti_schema_cache_free(c);
}

/* However many are asked for, the newest is there, also when it alone is more than the cache may hold. */
static void test_cache_is_bounded(void **state)
{
    struct mcti_schema_cache *c = mcti_schema_cache_new(2000);
    char schema[64], wanted[128];
    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(schema, sizeof schema, "{'title':'%d'}", i);
        snprintf(wanted, sizeof wanted, "{\"title\":\"%d\"}", i);
        assert_span(cached(c, schema, profile("openclaw")), wanted);
    }
    mcti_schema_cache_free(c);
    c = mcti_schema_cache_new(0);
    assert_span(cached(c, "{'title':'T'}", profile("openclaw")), "{\"title\":\"T\"}");
    mcti_schema_cache_free(c);
}

/* ---- the tree ---- */

static void test_tree(void **state)
{
    struct mcti_json_tree t;
    struct mcti_json_node *root, *object;
    struct mcti_buf b;
    (void)state;
    mcti_json_tree_init(&t, 1u << 20);
    assert_int_equal(
        mcti_json_tree_read(&t, MCT_STR(" { \"b\" : 1.0 , \"a\":[ {} , [ ] ,\"\\u0041\\/\"],\"b\":2e5, \"\":null } "),
                            (struct mcti_json_limits){ 4, 8 }, &root, NULL),
        0);
    mcti_buf_init(&b, 1024);
    mcti_json_tree_write(&b, root);
    assert_buf(&b, "{\"b\":2e5,\"a\":[{},[],\"A/\"],\"\":null}");
    object = mcti_json_tree_new(&t, '{');
    for (int i = 0; i < 100; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i % 50);
        struct mcti_json_node *k = mcti_json_tree_copy_text(&t, mcti_str_of(key));
        mcti_json_tree_put(&t, object, k->text, k);
    }
    assert_int_equal(object->n, 50);
    mcti_json_tree_remove(&t, object, MCT_STR("7"));
    assert_null(mcti_json_tree_get(&t, object, MCT_STR("7")));
    for (int i = 0; i < 50; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        struct mcti_json_node *k = mcti_json_tree_get(&t, object, mcti_str_of(key));
        assert_true(i == 7 ? !k : k && mcti_str_is(k->text, key));
    }
    assert_true(mcti_json_tree_ok(&t));
    mcti_buf_done(&b);
    mcti_json_tree_done(&t);
}

/* Without memory there is no crash and no result. */
static void test_tree_without_memory(void **state)
{
    size_t n_read = 0;
    (void)state;
    for (size_t max = 0; max < 6000; max += 16) {
        struct mcti_json_tree t;
        struct mcti_json_node *root;
        mcti_json_tree_init(&t, max);
        struct mcti_str text =
            MCT_STR("{\"a\":[1,2,3,4,5,6,7,8,9],\"b\":{\"c\":{\"d\":{\"e\":\"f\"}}},\"g\":[{},{},{},{},{},{}]}");
        int r = mcti_json_tree_read(&t, text, (struct mcti_json_limits){ 8, 100 }, &root, NULL);
        n_read += r == 0;
        assert_true(r < 0 || mcti_json_tree_ok(&t));
        assert_true(t.arena.used <= max);
        mcti_json_tree_done(&t);
    }
    assert_in_range(n_read, 1, 374);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_nothing_is_refused),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_keywords_of_the_caller),
        cmocka_unit_test(test_strings_are_one_however_they_are_written),
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_bomb_of_text),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_strict_set),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_accepted_arguments_stay),
        cmocka_unit_test(test_arguments_are_bounded),
        cmocka_unit_test(test_long_lists_of_words_are_bounded),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_tells_of_cuts),
        cmocka_unit_test(test_cache_is_bounded),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
