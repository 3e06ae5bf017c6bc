/* The tool that reads on in a result that was too long, see hub/results. It is offered where tools have budgets. */
#include "resources/dialect/impl.h"

#include "hub/call/start.h"
#include "hub/results/results.h"

enum { READ_BYTES = 20000 }; /* of one answer, where the smallest budget is larger */

static const char read_json[] = MCT_JSON({
    "name": "read_result",
    "description": "Read on in a tool result that was shortened, or search it for a text.",
    "inputSchema": { "type": "object", "properties": {
        "result": { "type": "string", "description": "mcptools://result/… as the shortened result names it." },
        "line": { "type": "integer", "minimum": 1, "description": "First line." },
        "lines": { "type": "integer", "minimum": 1, "description": "Number of lines; default: as many as fit." },
        "byte": { "type": "integer", "minimum": 0, "description": "First byte, instead of line." },
        "search": { "type": "string", "description": "Return only lines with this text, with their numbers." },
        "ignore_case": { "type": "boolean" },
        "context": { "type": "integer", "minimum": 0, "maximum": 20, "description": "Lines around each match." },
        "path": { "type": "string", "description": "JSON pointer into structuredContent, such as /items/0." },
        "block": { "type": "integer", "minimum": 1, "description": "Number of an image or other block." } },
        "required": ["result"] },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static size_t results_max(const struct mcti_results *r)
{
    size_t max = READ_BYTES;
    const struct mcti_result_rules *rules = r->opts.rules;
    if (rules->bytes)
        max = rules->bytes;
    for (size_t i = 0; !rules->bytes && i < rules->n; i++)
        if (rules->v[i].bytes && rules->v[i].bytes < max)
            max = rules->v[i].bytes;
    return max;
}

/* Answers with the part of the text, and a note that tells how to go on. */
static void results_answer(struct mcti_dialect_call *c, const struct mcti_kept *k, struct mcti_result_query *q)
{
    struct mcti_buf text, note, blocks;
    struct mct_error err;
    q->max = results_max(c->set->opts.results);
    mcti_buf_init(&text, 4 * q->max + 65536);
    mcti_buf_init(&note, 1024);
    mcti_buf_init(&blocks, 32 * q->max + 524288);
    int r = mcti_result_put_range(&text, &note, k, q, &err);
    mcti_buf_addz(&blocks, "[{\"type\":\"text\"");
    mcti_json_put_member(&blocks, "text", mcti_buf_str(&text));
    mcti_buf_addz(&blocks, "},{\"type\":\"text\"");
    mcti_json_put_member(&blocks, "text", mcti_buf_str(&note));
    mcti_buf_addz(&blocks, "}]");
    mcti_buf_done(&text);
    mcti_buf_done(&note);
    if (r == 0) {
        mcti_dialect_answer_blocks(c, &blocks);
        return;
    }
    mcti_buf_done(&blocks);
    mcti_dialect_refuse(c, "%s", err.message);
}

/* Answers with a block as the server sent it. */
static void results_answer_block(struct mcti_dialect_call *c, const struct mcti_kept *k, uint64_t number)
{
    struct mct_error err;
    struct mcti_buf blocks;
    struct mcti_str block = mcti_result_block(k, number, &err);
    if (!block.p) {
        mcti_dialect_refuse(c, "%s", err.message);
        return;
    }
    mcti_buf_init(&blocks, block.len + 2);
    mcti_buf_addc(&blocks, '[');
    mcti_buf_add(&blocks, block);
    mcti_buf_addc(&blocks, ']');
    mcti_dialect_answer_blocks(c, &blocks);
}

static void results_run(struct mcti_dialect_call *c)
{
    struct mcti_result_query q;
    struct mct_error err;
    const struct mcti_kept *k = NULL;
    mcti_result_query_init(&q);
    int r = mcti_result_query_args(&q, c->args, &err);
    if (r == 0 && !(k = mcti_results_find(c->set->opts.results, mcti_buf_str(&q.id), &c->reach.behalf->authority)))
        mcti_fail_no_result(&err);
    if (k)
        mcti_external_kept(c->reach.behalf, c->set->view->registry->outside, k->from);
    if (!k)
        mcti_dialect_refuse(c, "%s", err.message);
    else if (q.block)
        results_answer_block(c, k, q.block);
    else
        results_answer(c, k, &q);
    mcti_result_query_done(&q);
}

static const struct mcti_dialect_tool tools[] = { { .json = read_json, .run = results_run } };

const struct mcti_dialect mcti_dialect_results = { .name = "results", .tools = tools, .n_tools = 1 };
