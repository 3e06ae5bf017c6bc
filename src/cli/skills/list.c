/* skills list, skills show. */
#include "cli/skills/skills.h"

enum { NAME_COLUMNS = 12, INDENT = 4 };

/* ---- list ---- */

static void list_print_skill(void *data, struct mcti_provider *p, const struct mcti_skill *skill)
{
    const struct mcti_app *app = data;
    mcti_out(app, "%-*s ", (int)mcti_out_name_columns(app, NAME_COLUMNS), p->name);
    mcti_out_styled(app, MCT_BOLD, "%.*s", MCT_STR_ARG(skill->uri));
    printf(app->columns ? "\n%*s" : "%*s", app->columns ? INDENT : 2, "");
    mcti_out_wrapped(app, MCT_DIM, INDENT, INDENT, skill->description);
    putchar('\n');
}

/* Prints the entries as the servers wrote them, with the server of each. */
static void list_print_json(const struct mcti_app *app, const struct mcti_skills_lists *l)
{
    struct mcti_buf b, name;
    struct mcti_str entry;
    size_t n = 0;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_init(&name, 1u << 16);
    mcti_buf_addz(&b, "{\"skills\":[");
    for (size_t i = 0; i < l->listing.n_parts; i++) {
        struct mcti_json_iter it = mcti_listing_items(&l->listing.parts[i]);
        mcti_buf_clear(&name);
        mcti_json_put_string(&name, mcti_str_of(l->listing.parts[i].provider->name));
        const struct mcti_json_set set = { "server", mcti_buf_str(&name) };
        while (mcti_json_next_item(&it, &entry)) {
            mcti_buf_addz(&b, n++ ? "," : "");
            mcti_json_put_object(&b, entry, &set, 1);
        }
    }
    mcti_buf_addc(&b, ']');
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&name);
    mcti_buf_done(&b);
}

int mcti_skills_do_list(struct mcti_app *app, struct mcti_provider *only)
{
    struct mcti_skills_lists lists;
    int status = mcti_skills_ask_lists(app, only, &lists);
    if (!status) {
        mcti_out_page(app);
        if (app->opt.output == MCT_OUT_JSON)
            list_print_json(app, &lists);
        else
            mcti_skills_each(app, &lists, list_print_skill, app);
        status = lists.status;
    }
    mcti_skills_lists_done(&lists);
    return status;
}

/* ---- show ---- */

static void show_print_files(const struct mcti_app *app, const struct mcti_skill *s)
{
    if (s->is_dynamic)
        mcti_out(app, "files: not listed (dynamic), so they cannot be verified\n");
    else
        mcti_out(app, "files: %zu, %llu bytes\n", s->n_files, (unsigned long long)s->n_bytes);
    for (size_t i = 0; i < s->n_files; i++)
        mcti_out(app, "  %8llu  %.*s  %.*s\n", (unsigned long long)s->files[i].size, MCT_STR_ARG(s->files[i].digest),
                 MCT_STR_ARG(s->files[i].uri));
}

/* Prints a member of the frontmatter; a text as it is, any other value as JSON. */
static void show_print_member(const struct mcti_app *app, const struct mcti_json_member *m)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 20);
    if (mcti_json_unescape_any(m->value, &text) < 0)
        mcti_buf_add(&text, m->value);
    mcti_out_styled(app, MCT_BOLD, "%.*s:", MCT_STR_ARG(m->key));
    mcti_out(app, " ");
    mcti_out_wrapped(app, MCT_PLAIN, (unsigned)m->key.len + 2, INDENT, mcti_buf_str(&text));
    putchar('\n');
    mcti_buf_done(&text);
}

int mcti_skills_do_show(struct mcti_app *app, struct mcti_provider *only, const char *uri)
{
    struct mcti_skill_search found;
    struct mcti_json_member m;
    int status = mcti_skills_ask_search(app, only, uri, &found);
    if (!status && app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, found.skill.json);
    } else if (!status) {
        for (struct mcti_json_iter it = mcti_json_open(found.skill.frontmatter); mcti_json_next_member(&it, &m);)
            show_print_member(app, &m);
        mcti_out(app, "server: %s\n", found.provider->name);
        show_print_files(app, &found.skill);
    }
    mcti_skill_search_done(&found);
    return status;
}
