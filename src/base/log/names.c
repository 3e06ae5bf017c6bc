#include "base/log/names.h"

#include <stdio.h>

enum { MORE_BYTES = sizeof " and 18446744073709551615 more" };

/* Returns how much of `name` fits into `room` bytes, without a part of a character (UTF-8). */
static size_t names_cut(struct mcti_str name, size_t room)
{
    if (name.len <= room)
        return name.len;
    while (room && ((unsigned char)name.p[room] & 0xc0) == 0x80)
        room--;
    return room;
}

void mcti_names_add(struct mcti_names *l, struct mcti_str name)
{
    const char *between = !l->n ? "" : l->between ? l->between : ", ";
    bool all_fit = l->n == l->n_shown;
    if (!l->err)
        return;
    l->n++;
    size_t len = strlen(l->err->message), used = len + strlen(between) + MORE_BYTES;
    size_t room = used < sizeof l->err->message ? sizeof l->err->message - used : 0;
    if (!room || !all_fit || (l->n > 1 && name.len > room))
        return;
    name.len = names_cut(name, room);
    snprintf(l->err->message + len, sizeof l->err->message - len, "%s%.*s", between, MCT_STR_ARG(name));
    l->n_shown++;
}

int mcti_names_end(struct mcti_names *l)
{
    if (!l->err || l->n == l->n_shown)
        return -1;
    size_t len = strlen(l->err->message);
    snprintf(l->err->message + len, sizeof l->err->message - len, "%s%zu more", l->n_shown ? " and " : "",
             l->n - l->n_shown);
    return -1;
}
