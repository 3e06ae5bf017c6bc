/* The scanner: any text, as a file and as plain text. Excerpts are valid text without hidden characters. */
#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "scan/document/document.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_finding(const struct mcti_scan_finding *f)
{
    struct mcti_str excerpt = mcti_str_of(f->excerpt);
    if (!mcti_utf8_valid(excerpt) || !f->rule || !*f->rule->id)
        abort();
    for (size_t i = 0; i < excerpt.len; i++)
        if (mcti_control_len(excerpt.p + i, excerpt.len - i))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mcti_scanner *scanner;
    struct mcti_scan_document d;
    scanner = scanner ? scanner : mcti_scanner_new();
    if (!scanner || mcti_scan_document_init(&d, scanner) < 0)
        return 0;
    mcti_scan_document_read(&d, (struct mcti_str){ (const char *)data, size });
    mcti_scan_document_add(&d, MCT_STR("server"), "text", MCT_STR(""), (struct mcti_str){ (const char *)data, size });
    for (size_t i = 0; i < d.n; i++)
        for (size_t k = 0; k < d.v[i].report.n; k++)
            check_finding(&d.v[i].report.v[k]);
    mcti_scan_document_done(&d);
    return 0;
}
