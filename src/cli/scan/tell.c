#include "cli/scan/scan.h"

/* Says each hard finding in one line. */
static void tell_findings(const struct mcti_scan_document *d)
{
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->v[i].report.n; k++) {
            const struct mcti_scan_finding *f = &d->v[i].report.v[k];
            if (f->severity == MCT_SCAN_HARD)
                mcti_say("Warning: %s %s %s (%s): %s", d->v[i].kind, d->v[i].item, f->rule->title, f->rule->id,
                         f->excerpt);
        }
}

size_t mcti_scan_tell_new(const struct mcti_provider *p)
{
    struct mcti_scan_document d = { 0 };
    struct mcti_scanner *s = mcti_scanner_new();
    size_t n_hard = 0;
    if (s && mcti_scan_document_init(&d, s) == 0) {
        mcti_scan_gather_names(&d, p);
        mcti_scan_gather(&d, p);
        n_hard = mcti_scan_document_count(&d, MCT_SCAN_HARD);
        tell_findings(&d);
        if (n_hard)
            mcti_say("What this server says to models looks hostile: 'mcptools scan %s' shows more.", p->name);
    }
    mcti_scan_document_done(&d);
    mcti_scanner_free(s);
    return n_hard;
}
