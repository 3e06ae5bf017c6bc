/* The signature of a bundle: a detached PKCS #7 over the archive. */
#include "packages/bundle.h"

#include "base/log/visible.h"

#include <limits.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

static bool signature_verify(CMS_ContentInfo *cms, struct mcti_str content, X509_STORE *store, unsigned flags)
{
    BIO *in = BIO_new_mem_buf(content.p, (int)content.len);
    bool good = in && CMS_verify(cms, NULL, store, in, NULL, flags | CMS_BINARY) == 1;
    BIO_free(in);
    ERR_clear_error();
    return good;
}

static void signature_name(CMS_ContentInfo *cms, char *signer, size_t size)
{
    STACK_OF(X509) *signers = CMS_get0_signers(cms);
    if (signers && sk_X509_num(signers) > 0)
        X509_NAME_get_text_by_NID(X509_get_subject_name(sk_X509_value(signers, 0)), NID_commonName, signer, (int)size);
    sk_X509_free(signers);
    mcti_visible(signer);
}

enum mcti_signature mcti_bundle_check_signature(const struct mcti_bundle *b, char *signer, size_t size)
{
    *signer = '\0';
    if (!b->signature.p)
        return MCT_SIGNATURE_NONE;
    const unsigned char *p = (const unsigned char *)b->signature.p;
    CMS_ContentInfo *cms = b->archive.len <= INT_MAX ? d2i_CMS_ContentInfo(NULL, &p, (long)b->signature.len) : NULL;
    X509_STORE *store = X509_STORE_new();
    enum mcti_signature found = MCT_SIGNATURE_BROKEN;
    if (store) {
        X509_STORE_set_default_paths(store);
        X509_STORE_set_purpose(store, X509_PURPOSE_ANY);
    }
    if (cms && store && signature_verify(cms, b->archive, store, 0))
        found = MCT_SIGNATURE_VALID;
    else if (cms && store && signature_verify(cms, b->archive, store, CMS_NO_SIGNER_CERT_VERIFY))
        found = MCT_SIGNATURE_UNTRUSTED;
    if (found != MCT_SIGNATURE_BROKEN)
        signature_name(cms, signer, size);
    X509_STORE_free(store);
    CMS_ContentInfo_free(cms);
    ERR_clear_error();
    return found;
}
