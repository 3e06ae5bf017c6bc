#include "gateway/tasks/id.h"

#include "json/write.h"

#include <stdlib.h>

#define PREFIX "mct3."

void mcti_task_id_done(struct mcti_task_id *id)
{
    free(id->server);
    free(id->tool);
    free(id->own);
    *id = (struct mcti_task_id){ 0 };
}

void mcti_task_id_put(struct mcti_buf *to, struct mcti_str key, struct mcti_str principal,
                      const struct mcti_task_id *id)
{
    const struct mcti_str texts[] = { principal, mcti_str_of(id->server), mcti_str_of(id->tool) };
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_TASK_ID_BYTES);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mcti_buf_addc(&b, i ? ',' : '[');
        mcti_json_put_string(&b, texts[i]);
    }
    mcti_buf_printf(&b, ",%s]", id->own);
    mcti_buf_addz(to, "\"" PREFIX);
    mcti_seal(to, key, mcti_buf_str(&b));
    mcti_buf_addc(to, '"');
    to->failed |= !mcti_buf_ok(&b);
    mcti_buf_done(&b);
}

/* Reads the contents of an id that this program has written. */
static int id_read(struct mcti_str array, struct mcti_str principal, struct mcti_task_id *ret)
{
    enum { PRINCIPAL, SERVER, TOOL, OWN, N };
    struct mcti_str item[N];
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(array); n < N && mcti_json_next_item(&it, &item[n]);)
        n++;
    char *whose = n == N ? mcti_json_dup(item[PRINCIPAL]) : NULL;
    bool is_own = whose && mcti_str_eq(mcti_str_of(whose), principal);
    free(whose);
    if (!is_own)
        return -1;
    ret->server = mcti_json_dup(item[SERVER]);
    ret->tool = mcti_json_dup(item[TOOL]);
    ret->own = mcti_str_dup(item[OWN]);
    return ret->server && ret->tool && ret->own ? 0 : -1;
}

int mcti_task_id_read(struct mcti_str text, struct mcti_str key, struct mcti_str principal, struct mcti_task_id *ret)
{
    static const struct mcti_str prefix = { PREFIX, sizeof PREFIX - 1 };
    struct mcti_buf b;
    *ret = (struct mcti_task_id){ 0 };
    if (!mcti_str_starts(text, prefix))
        return -1;
    mcti_buf_init(&b, MCT_TASK_ID_BYTES);
    int r = mcti_unseal(&b, key, (struct mcti_str){ text.p + prefix.len, text.len - prefix.len });
    if (r == 0)
        r = mcti_buf_ok(&b) ? id_read(mcti_buf_str(&b), principal, ret) : -1;
    mcti_buf_done(&b);
    if (r < 0)
        mcti_task_id_done(ret);
    return r;
}
