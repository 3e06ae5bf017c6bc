/* How servers that were found are printed. */
#include "cli/packages/packages.h"

void mcti_packages_print_text(const struct mcti_app *app, struct mcti_str text, unsigned indent)
{
    struct mcti_str line;
    while (mcti_str_split(&text, '\n', &line)) {
        printf("%*s", (int)indent, "");
        mcti_out_wrapped(app, MCT_PLAIN, indent, indent, line);
        putchar('\n');
    }
}

void mcti_packages_print_one(const struct mcti_app *app, const struct mcti_found_server *f, unsigned indent)
{
    const char *text = f->description ? f->description : f->title;
    mcti_out_styled(app, MCT_BOLD, "%s", f->name);
    mcti_out(app, "  %s%s%s%s\n", f->version, *f->runs ? "  " : "", f->runs, f->deprecated ? "  (deprecated)" : "");
    if (text)
        mcti_packages_print_text(app, mcti_str_of(text), indent);
}

void mcti_packages_print(const struct mcti_app *app, const struct mcti_found *l)
{
    for (size_t i = 0; i < l->n; i++)
        mcti_packages_print_one(app, &l->v[i], 4);
}
