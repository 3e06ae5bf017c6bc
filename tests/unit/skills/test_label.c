/* Names of servers in URIs of skills. */
#include "unit.h"

#include "json/scan.h"
#include "skills/label.h"

static void labels_are_reversible(void **state)
{
    static const struct {
        const char *server, *own, *labelled;
    } rows[] = {
        { "s", "skill://git-workflow/SKILL.md", "skill://s/git-workflow/SKILL.md" },
        { "my server", "skill://a", "skill://my%20server/a" },
        { "a/b", "skill://a", "skill://a%2Fb/a" },
        { "s", "skill://+x/y", "skill://s/++x/y" },
        { "s", "skill://++x", "skill://s/+++x" },
        { "s", "github://o/r/SKILL.md", "skill://s/+github/o/r/SKILL.md" },
        { "s", "file:///a/SKILL.md", "skill://s/+file//a/SKILL.md" },
        { "s", "urn:a/SKILL.md", "skill://s/+urn:a/SKILL.md" },
        { "s", "skill:a", "skill://s/+skill:a" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        mcti_skill_put_labelled(&b, mcti_str_of(rows[i].server), mcti_str_of(rows[i].own));
        assert_buf(&b, rows[i].labelled);
        mcti_buf_clear(&b);
        assert_true(mcti_skill_put_unlabelled(&b, mcti_str_of(rows[i].server), mcti_str_of(rows[i].labelled)));
        assert_buf(&b, rows[i].own);
        mcti_buf_done(&b);
    }
}

static void label_of_another_server_is_none(void **state)
{
    static const char *const uris[] = { "skill://st/a", "skill://s", "skill://s/", "skill:/s/a", "x://s/a", "" };
    (void)state;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        assert_false(mcti_skill_put_unlabelled(&b, MCT_STR("s"), mcti_str_of(uris[i])));
        assert_int_equal(b.len, 0);
        mcti_buf_done(&b);
    }
}

static void results_are_relabelled(void **state)
{
    static const struct {
        enum mcti_skill_relabel which;
        const char *before, *after;
    } rows[] = {
        { MCT_RELABEL_ALL, "{ \"contents\": [ {\"uri\":\"skill://a/x\", \"text\":\"skill://a/x\"} ] }",
          "{ \"contents\": [ {\"uri\":\"skill://s/a/x\", \"text\":\"skill://a/x\"} ] }" },
        { MCT_RELABEL_ALL,
          "{\"skill\":{\"uri\":\"x://a/SKILL.md\",\"frontmatter\":{\"uri\":\"skill://a\",\"resources\":"
          "[{\"uri\":\"skill://a\"}]},\"resources\":[{\"uri\":\"x://a/SKILL.md\"}]}}",
          "{\"skill\":{\"uri\":\"skill://s/+x/a/SKILL.md\",\"frontmatter\":{\"uri\":\"skill://a\",\"resources\":"
          "[{\"uri\":\"skill://a\"}]},\"resources\":[{\"uri\":\"skill://s/+x/a/SKILL.md\"}]}}" },
        { MCT_RELABEL_ALL, "{\"skills\":[{\"resources\":\"dynamic\",\"uri\":\"skill:\\/\\/a\"},7]}",
          "{\"skills\":[{\"resources\":\"dynamic\",\"uri\":\"skill://s/a\"},7]}" },
        { MCT_RELABEL_SCHEME,
          "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"skill://a\"},{\"type\":\"resource\","
          "\"resource\":{\"uri\":\"file:///a\"}},{\"resource\":{\"uri\":\"skill://"
          "b\"}}],\"structuredContent\":{\"uri\":"
          "\"skill://a\"},\"_meta\":{\"uri\":\"skill://a\"}}",
          "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"skill://s/"
          "a\"},{\"type\":\"resource\",\"resource\":{\"uri\":"
          "\"file:///a\"}},{\"resource\":{\"uri\":\"skill://s/b\"}}],\"structuredContent\":{\"uri\":\"skill://"
          "a\"},\"_meta\":"
          "{\"uri\":\"skill://a\"}}" },
        { MCT_RELABEL_SCHEME,
          "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":"
          "\"skill://a\"}}},{\"content\":[{\"uri\":\"skill://b\"}]}]}",
          "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":\"skill://s/"
          "a\"}}},"
          "{\"content\":[{\"uri\":\"skill://s/b\"}]}]}" },
        { MCT_RELABEL_SCHEME, "{\"contents\":[]}", "{\"contents\":[]}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        assert_true(mcti_json_valid(mcti_str_of(rows[i].before), 64, NULL, NULL));
        mcti_buf_init(&b, 4096);
        mcti_skill_put_result(&b, MCT_STR("s"), rows[i].which, mcti_str_of(rows[i].before));
        assert_buf(&b, rows[i].after);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_reversible),
        cmocka_unit_test(label_of_another_server_is_none),
        cmocka_unit_test(results_are_relabelled),
    };
    return cmocka_run_group_tests_name("skills: labels", tests, NULL, NULL);
}
