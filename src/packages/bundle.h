/* Bundles (.mcpb, before: .dxt): an archive with a manifest.json, and perhaps a signature behind it. */
#ifndef MCT_PACKAGES_BUNDLE_H
#define MCT_PACKAGES_BUNDLE_H

#include "packages/plan.h"
#include "packages/zip.h"

#define MCT_BUNDLE_BYTES ((size_t)512 << 20) /* a bundle */

enum mcti_signature {
    MCT_SIGNATURE_NONE,
    MCT_SIGNATURE_VALID,     /* by somebody whom a certificate authority of this system knows */
    MCT_SIGNATURE_UNTRUSTED, /* of this content, but by anybody */
    MCT_SIGNATURE_BROKEN     /* of another content, or damaged */
};

struct mcti_bundle {
    struct mcti_zip zip;
    struct mcti_str archive;   /* of the file, without the signature; borrowed */
    struct mcti_str signature; /* DER; absent: none */
    struct mcti_buf manifest;  /* valid JSON, an object */
};

/* Reads a bundle from memory. Returns -1 with *err. The caller ends *b with mcti_bundle_done() in any case. */
int mcti_bundle_open(struct mcti_bundle *b, struct mcti_str file, struct mct_error *err);
void mcti_bundle_done(struct mcti_bundle *b);

/* Returns "NAME-VERSION" of the manifest, made safe as the name of a folder, to free(); NULL when out of memory. */
char *mcti_bundle_folder_name(const struct mcti_bundle *b);

/* Compares the SHA-256 of a file with `hex`, in either case. */
bool mcti_bundle_has_hash(struct mcti_str file, const char *hex);

/* ---- signature.c ---- */

/* Checks the signature. `signer` gets the name in its certificate, which is a stranger's text; "": none. */
enum mcti_signature mcti_bundle_check_signature(const struct mcti_bundle *b, char *signer, size_t size);

/* ---- manifest.c ---- */

/* Fills an initialised plan from a manifest (versions 0.1 to 0.4) for a bundle that is or will be unpacked to `folder`.
 * Returns -1 with *err. */
int mcti_plan_read_manifest(struct mcti_plan *p, struct mcti_str manifest, const char *folder, struct mct_error *err);

#endif
