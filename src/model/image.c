#include "model/image.h"

#include "base/base64.h"
#include "json/scan.h"
#include "model/degrade.h"
#include "model/schema/provider_rules.h"

#include <stdio.h>

struct image_size {
    unsigned width, height; /* 0: unknown */
};

/* ---- what the bytes of an image say ---- */

static unsigned image_be(const unsigned char *p, int n)
{
    unsigned value = 0;
    for (int i = 0; i < n; i++)
        value = value << 8 | p[i];
    return value;
}

static unsigned image_le(const unsigned char *p, int n)
{
    unsigned value = 0;
    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

/* PNG (3rd edition) section 11.2.1: IHDR is the first chunk. */
static struct image_size png_size(const unsigned char *p, size_t n)
{
    return n < 24 ? (struct image_size){ 0 } : (struct image_size){ image_be(p + 16, 4), image_be(p + 20, 4) };
}

/* GIF89a section 18: the logical screen. */
static struct image_size gif_size(const unsigned char *p, size_t n)
{
    return n < 10 ? (struct image_size){ 0 } : (struct image_size){ image_le(p + 6, 2), image_le(p + 8, 2) };
}

/* ITU-T T.81 section B.2.2: the frame header, after segments that have a length. */
static struct image_size jpeg_size(const unsigned char *p, size_t n)
{
    for (size_t at = 2; at + 9 < n && p[at] == 0xff; at += 2 + image_be(p + at + 2, 2)) {
        bool frame = p[at + 1] >= 0xc0 && p[at + 1] <= 0xcf && !strchr("\xc4\xc8\xcc", p[at + 1]);
        if (frame)
            return (struct image_size){ image_be(p + at + 7, 2), image_be(p + at + 5, 2) };
    }
    return (struct image_size){ 0 };
}

/* RFC 9649 section 2.7 (VP8X), 3.4 (VP8L), and RFC 6386 section 9.1 (VP8). */
static struct image_size webp_size(const unsigned char *p, size_t n)
{
    if (n < 30)
        return (struct image_size){ 0 };
    if (!memcmp(p + 12, "VP8X", 4))
        return (struct image_size){ image_le(p + 24, 3) + 1, image_le(p + 27, 3) + 1 };
    if (!memcmp(p + 12, "VP8L", 4))
        return (struct image_size){ (image_le(p + 21, 4) & 0x3fff) + 1, (image_le(p + 21, 4) >> 14 & 0x3fff) + 1 };
    return (struct image_size){ image_le(p + 26, 2) & 0x3fff, image_le(p + 28, 2) & 0x3fff };
}

/* The types that providers accept. */
static const struct image_type {
    const char *mime;
    const char *magic;
    size_t len, at;
    struct image_size (*size)(const unsigned char *p, size_t n);
} image_types[] = {
    { "image/png", "\x89PNG\r\n\x1a\n", 8, 0, png_size },
    { "image/jpeg", "\xff\xd8\xff", 3, 0, jpeg_size },
    { "image/gif", "GIF8", 4, 0, gif_size },
    { "image/webp", "WEBP", 4, 8, webp_size },
};

enum { N_TYPES = sizeof image_types / sizeof *image_types };

static const struct image_type *type_of_bytes(struct mcti_str bytes)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (bytes.len >= image_types[i].at + image_types[i].len &&
            !memcmp(bytes.p + image_types[i].at, image_types[i].magic, image_types[i].len))
            return &image_types[i];
    return NULL;
}

static const struct image_type *type_of_word(struct mcti_str word)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (mcti_json_is(word, image_types[i].mime))
            return &image_types[i];
    return NULL;
}

/* ---- what a provider says to it ---- */

/* Appends the text in place of the image: that of mcti_degrade_block() with the reason. */
static int image_refused(struct mcti_buf *why, struct mcti_str block, const char *reason)
{
    mcti_degrade_block(why, block);
    if (why->len && why->p[why->len - 1] == ']')
        why->len--;
    mcti_buf_printf(why, "; not sent: %s]", reason);
    return -1;
}

static int image_check_size(struct mcti_buf *why, const struct mcti_provider_rules *rules, struct mcti_str block,
                            struct image_size size)
{
    char reason[96];
    if (!rules->max_image_side || (size.width <= rules->max_image_side && size.height <= rules->max_image_side))
        return 0;
    snprintf(reason, sizeof reason, "%u x %u pixels; at most %u on a side are accepted", size.width, size.height,
             rules->max_image_side);
    return image_refused(why, block, reason);
}

int mcti_model_image_read(struct mcti_buf *to, const struct mcti_provider_rules *rules, struct mcti_str block,
                          const char **ret_mime, struct mcti_buf *why)
{
    const struct image_type *type = type_of_word(mcti_json_get(block, "mimeType")), *real;
    struct mcti_buf bytes;
    char reason[96];
    int r;
    if (!type)
        return image_refused(why, block, "only PNG, JPEG, GIF and WebP images are accepted");
    mcti_json_unescape_any(mcti_json_get(block, "data"), to);
    snprintf(reason, sizeof reason, "larger than %zu MiB in base64", rules->max_image >> 20);
    if (to->len > rules->max_image)
        return image_refused(why, block, reason);
    mcti_buf_init(&bytes, to->max);
    r = !to->len || mcti_base64_get(&bytes, mcti_buf_str(to)) < 0
            ? image_refused(why, block, to->len ? "invalid base64" : "it is empty")
            : 0;
    real = type_of_bytes(mcti_buf_str(&bytes));
    if (r == 0 && real) /* providers refuse an image whose type is not the one that is said */
        r = image_check_size(why, rules, block, real->size((const unsigned char *)bytes.p, bytes.len));
    *ret_mime = real ? real->mime : type->mime;
    to->failed |= bytes.failed; /* out of memory is no fault of the image */
    mcti_buf_done(&bytes);
    return r;
}
