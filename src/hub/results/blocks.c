/* The content blocks of a result, found in steps of bounded work. */
#include "hub/results/impl.h"

void mcti_result_blocks_open(struct mcti_result_blocks *b, struct mcti_str result, struct mcti_buf *others,
                             size_t max_other)
{
    *b = (struct mcti_result_blocks){
        .at = MCT_RESULT_IN_RESULT, .members = mcti_json_steps_open(result), .others = others, .max_other = max_other
    };
}

/* Notes a member of the result: of each name the first one. */
static void blocks_take_member(struct mcti_result_blocks *b, const struct mcti_json_member *m)
{
    struct mcti_str *to = mcti_json_key_is(m->key, "content")             ? &b->content
                          : mcti_json_key_is(m->key, "structuredContent") ? &b->structured
                          : mcti_json_key_is(m->key, "_meta")             ? &b->meta
                                                                          : NULL;
    if (to) {
        *to = to->p ? *to : m->value;
    } else if (b->others && m->value.len + m->key.len <= b->max_other) {
        mcti_buf_addc(b->others, ',');
        mcti_buf_add(b->others, mcti_json_key_value(m->key));
        mcti_buf_addc(b->others, ':');
        mcti_buf_add(b->others, m->value);
    }
}

/* Notes a member of a block. */
static void blocks_take_inner(struct mcti_result_block *block, const struct mcti_json_member *m)
{
    static const struct mcti_str names[] = { MCT_STR("type"),     MCT_STR("text"), MCT_STR("resource"),
                                             MCT_STR("mimeType"), MCT_STR("uri"),  MCT_STR("name") };
    struct mcti_str *const to[] = { &block->type,     &block->text,     &block->resource,
                                    &block->about[0], &block->about[1], &block->about[2] };
    size_t i = mcti_json_key_find(m->key, names, sizeof names / sizeof *names);
    if (i < sizeof names / sizeof *names && !to[i]->p)
        *to[i] = m->value;
}

/* Notes the text of an embedded resource. */
static void blocks_take_resource(struct mcti_result_block *block, const struct mcti_json_member *m)
{
    if (!block->text.p && mcti_json_key_is(m->key, "text"))
        block->text = m->value;
}

/* Goes on after the last member of a block or of its resource. Returns true if the block is complete. */
static bool blocks_close(struct mcti_result_blocks *b)
{
    struct mcti_result_block *block = &b->block;
    if (b->at == MCT_RESULT_IN_BLOCK && mcti_json_is(block->type, "resource")) {
        block->is_resource = true;
        block->text = MCT_STR_NONE;
        b->inner = mcti_json_steps_open(block->resource);
        b->at = MCT_RESULT_IN_RESOURCE;
        return false;
    }
    if (mcti_json_type(block->text) != '"' || !(block->is_resource || mcti_json_is(block->type, "text")))
        block->text = MCT_STR_NONE;
    b->at = MCT_RESULT_IN_CONTENT;
    return true;
}

static struct mcti_json_steps *blocks_steps(struct mcti_result_blocks *b)
{
    return b->at == MCT_RESULT_IN_RESULT ? &b->members : b->at == MCT_RESULT_IN_CONTENT ? &b->items : &b->inner;
}

/* Takes an element of what is being read. */
static void blocks_take(struct mcti_result_blocks *b, const struct mcti_json_member *m)
{
    if (b->at == MCT_RESULT_IN_RESULT) {
        blocks_take_member(b, m);
    } else if (b->at == MCT_RESULT_IN_CONTENT) {
        b->block = (struct mcti_result_block){ .whole = m->value };
        b->inner = mcti_json_steps_open(m->value);
        b->at = MCT_RESULT_IN_BLOCK;
    } else if (b->at == MCT_RESULT_IN_BLOCK) {
        blocks_take_inner(&b->block, m);
    } else {
        blocks_take_resource(&b->block, m);
    }
}

enum mcti_step mcti_result_blocks_next(struct mcti_result_blocks *b, size_t *work)
{
    struct mcti_json_member m = { MCT_STR_NONE, MCT_STR_NONE };
    while (*work) {
        enum mcti_step step = mcti_json_step(blocks_steps(b), work, &m);
        if (step == MCT_STEP_GOT) {
            blocks_take(b, &m);
        } else if (step == MCT_STEP_END && b->at == MCT_RESULT_IN_RESULT) {
            b->items = mcti_json_steps_open(b->content);
            b->at = MCT_RESULT_IN_CONTENT;
        } else if (step == MCT_STEP_END && b->at == MCT_RESULT_IN_CONTENT) {
            return MCT_STEP_END;
        } else if (step == MCT_STEP_END && blocks_close(b)) {
            return MCT_STEP_GOT;
        }
        *work -= *work && step != MCT_STEP_MORE; /* empty elements are work as well */
    }
    return MCT_STEP_MORE;
}
