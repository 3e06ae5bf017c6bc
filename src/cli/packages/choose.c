/* A choice among the servers that a search has found. */
#include "cli/packages/adding.h"

#include <stdlib.h>

enum { CHOOSE_SHOWN = 12 };

static void choose_show(const struct mcti_adding *a, const struct mcti_found *found, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mcti_found_server *f = &found->v[i];
        if (n > 1)
            mcti_out(a->app, "%3zu) ", i + 1);
        mcti_packages_print_one(a->app, f, n > 1 ? 5 : 4);
    }
    if (n < found->n)
        mcti_out(a->app, "     … and %zu more; further words narrow the search\n", found->n - n);
}

/* Returns the chosen name, owned, or NULL with *err. */
static char *choose_ask(struct mcti_adding *a, const struct mcti_found *found, struct mct_error *err)
{
    size_t n = found->n < CHOOSE_SHOWN ? found->n : CHOOSE_SHOWN;
    choose_show(a, found, n);
    size_t number = n == 1 ? 1 : mcti_prompt_number(&a->prompt, n, 1); /* it is confirmed later */
    char *name = number ? strdup(found->v[number - 1].name) : NULL;
    if (!number)
        mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    else if (!name)
        mcti_no_memory(err);
    return name;
}

static char *choose_among(struct mcti_adding *a, const struct mcti_found *found, struct mct_error *err)
{
    if (!found->n)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "the registry %s has no server that matches all of these words",
                         mcti_packages_registry(a->app)),
               NULL;
    if (a->prompt.is_open)
        return choose_ask(a, found, err);
    struct mcti_buf b;
    mcti_buf_init(&b, 400);
    for (size_t i = 0; i < found->n && i < 5; i++)
        mcti_buf_printf(&b, "%s%s", i ? ", " : "", found->v[i].name);
    mcti_fail(err, MCT_ERR_USAGE, "give the whole name of %s: %.*s%s",
              found->n == 1 ? "the server" : "one of these servers", (int)b.len, b.p, found->n > 5 ? ", …" : "");
    mcti_buf_done(&b);
    return NULL;
}

/* Appends the words of a line. Returns -1 with *err. */
static int choose_ask_words(struct mcti_adding *a, struct mcti_strings *words, struct mct_error *err)
{
    char *line = mcti_prompt_line(&a->prompt, "Search the registry for: ");
    struct mcti_str rest = mcti_str_of(line ? line : ""), word;
    int r = line ? 0 : mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    while (r == 0 && mcti_str_split(&rest, ' ', &word))
        if (word.len && mcti_strings_add(words, word) < 0)
            r = mcti_no_memory(err);
    free(line);
    return r < 0 || words->n ? r : mcti_fail(err, MCT_ERR_USAGE, "nothing to search for");
}

char *mcti_adding_choose(struct mcti_adding *a, const char *const *words, size_t n, struct mct_error *err)
{
    struct mcti_strings list = { 0 };
    struct mcti_found found = { 0 };
    bool more;
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++)
        r = mcti_strings_add(&list, mcti_str_of(words[i])) < 0 ? mcti_no_memory(err) : 0;
    if (r == 0 && !n)
        r = a->prompt.is_open ? choose_ask_words(a, &list, err) : mcti_command_usage(a->app->command, err);
    r = r < 0 ? r : mcti_packages_search(a->app, &list, &found, &more, err);
    char *name = r == 0 ? choose_among(a, &found, err) : NULL;
    mcti_found_done(&found);
    mcti_strings_clear(&list);
    return name;
}
