/* The answers on direct connections. */
#include "io/fetch/direct.h"

#include "base/limits.h"

#include <stdlib.h>

enum { UNPACKED_BYTES = 16384, GZIP_OR_ZLIB = 32 + MAX_WBITS };

static struct mcti_direct *answer_of(const llhttp_t *p)
{
    return p->data;
}

/* Appends to the head; what is behind the body is only counted. */
static int answer_add_head(struct mcti_direct *d, struct mcti_str part)
{
    struct mcti_fetch *f = d->fetch;
    if (d->head_done) {
        d->n_trailer += part.len;
        f->head_too_large = f->trailers_too_large = d->n_trailer > MCT_LIMIT_HTTP_HEADER_BYTES;
    } else {
        mcti_buf_add(&f->head, part);
        f->head_too_large = !mcti_buf_ok(&f->head);
    }
    return f->head_too_large ? -1 : 0;
}

static int answer_on_begin(llhttp_t *p)
{
    struct mcti_direct *d = answer_of(p);
    mcti_buf_clear(&d->fetch->head); /* a new head follows a 1xx answer */
    d->head_done = d->in_name = false;
    return 0;
}

/* Ends the line in front. A header without a value has no callback that could do it. */
static int answer_end_line(struct mcti_direct *d)
{
    const struct mcti_buf *head = &d->fetch->head;
    return d->head_done || !head->len || mcti_buf_last(head) == '\n' ? 0 : answer_add_head(d, MCT_STR("\r\n"));
}

static int answer_on_name(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_direct *d = answer_of(p);
    if (!d->in_name && answer_end_line(d) < 0)
        return -1;
    d->in_name = true;
    return answer_add_head(d, (struct mcti_str){ at, n });
}

static int answer_on_name_end(llhttp_t *p)
{
    answer_of(p)->in_name = false;
    return answer_add_head(answer_of(p), MCT_STR(": "));
}

static int answer_on_value(llhttp_t *p, const char *at, size_t n)
{
    return answer_add_head(answer_of(p), (struct mcti_str){ at, n });
}

/* Prepares for a body that is compressed, though nobody asked for that. */
static int answer_unpack(struct mcti_direct *d)
{
    struct mcti_str coding = mcti_fetch_header(d->fetch, "content-encoding");
    if (!coding.len || mcti_str_eq_nocase(coding, MCT_STR("identity")))
        return 0;
    d->unpack = calloc(1, sizeof *d->unpack);
    if (d->unpack && inflateInit2(d->unpack, GZIP_OR_ZLIB) == Z_OK)
        return 0;
    free(d->unpack);
    d->unpack = NULL;
    return -1;
}

static int answer_on_head(llhttp_t *p)
{
    struct mcti_direct *d = answer_of(p);
    struct mcti_fetch *f = d->fetch;
    f->status = p->status_code;
    if (answer_end_line(d) < 0)
        return -1;
    if (p->status_code == 101)
        snprintf(f->why, sizeof f->why, "the server changes to another protocol, which was not asked for");
    if (p->status_code < 200)
        return p->status_code == 101 ? -1 : 0;
    d->head_done = true;
    mcti_fetch_heard(f); /* but not for 1xx answers, which may come without end */
    if (answer_unpack(d) < 0)
        return -1;
    return mcti_fetch_take_head(f) ? 0 : -1;
}

static int answer_inflate(struct mcti_direct *d, struct mcti_str in)
{
    unsigned char out[UNPACKED_BYTES];
    z_stream *z = d->unpack;
    int status;
    z->next_in = (unsigned char *)(uintptr_t)in.p;
    z->avail_in = (unsigned)in.len;
    do {
        z->next_out = out;
        z->avail_out = sizeof out;
        status = inflate(z, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            snprintf(d->fetch->why, sizeof d->fetch->why, "the content encoding of the answer cannot be read");
            return -1;
        }
        size_t n = sizeof out - z->avail_out;
        if (n && !mcti_fetch_take_body(d->fetch, (struct mcti_str){ (char *)out, n }))
            return -1;
    } while (!z->avail_out && status != Z_STREAM_END);
    return 0;
}

static int answer_on_body(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_direct *d = answer_of(p);
    struct mcti_str bytes = { at, n };
    return d->unpack ? answer_inflate(d, bytes) : mcti_fetch_take_body(d->fetch, bytes) ? 0 : -1;
}

static int answer_on_end(llhttp_t *p)
{
    struct mcti_direct *d = answer_of(p);
    if (p->status_code < 200)
        return 0;
    d->complete = true;
    d->keeps = llhttp_should_keep_alive(p);
    return HPE_PAUSED;
}

static const llhttp_settings_t answer_settings = {
    .on_message_begin = answer_on_begin,
    .on_header_field = answer_on_name,
    .on_header_field_complete = answer_on_name_end,
    .on_header_value = answer_on_value,
    .on_headers_complete = answer_on_head,
    .on_body = answer_on_body,
    .on_message_complete = answer_on_end,
};

void mcti_direct_expect(struct mcti_direct *d)
{
    llhttp_init(&d->parser, HTTP_RESPONSE, &answer_settings);
    llhttp_set_lenient_headers(&d->parser, 1); /* as libcurl: control characters are harmless where texts are shown */
    d->parser.data = d;
    d->n_received = d->n_trailer = d->fetch->useless_bytes = 0;
    d->complete = d->keeps = false;
}

bool mcti_direct_take(struct mcti_direct *d, struct mcti_str bytes, CURLcode *ret_code)
{
    struct mcti_fetch *f = d->fetch;
    d->n_received += bytes.len;
    f->useless_bytes += bytes.len; /* until the parser finds a part of the answer among them */
    enum llhttp_errno e = llhttp_execute(&d->parser, bytes.p, bytes.len);
    *ret_code = CURLE_RECV_ERROR;
    if (d->complete) {
        d->keeps = d->keeps && llhttp_get_error_pos(&d->parser) == bytes.p + bytes.len;
        return true;
    }
    if (e == HPE_OK)
        return !mcti_fetch_is_flooded(f);
    if (f->cancelled || f->head_too_large || f->unread)
        *ret_code = CURLE_WRITE_ERROR;
    else if (!f->why[0])
        snprintf(f->why, sizeof f->why, "the answer is no HTTP: %s", llhttp_get_error_reason(&d->parser));
    return false;
}

bool mcti_direct_take_end(struct mcti_direct *d)
{
    llhttp_finish(&d->parser);
    d->keeps = false;
    return d->complete;
}

void mcti_direct_forget(struct mcti_direct *d)
{
    if (d->unpack)
        inflateEnd(d->unpack);
    free(d->unpack);
    d->unpack = NULL;
}
