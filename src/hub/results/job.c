/* Jobs that shorten results, see results.h. */
#include "hub/results/impl.h"

#include <stdlib.h>

enum { WORK_BYTES = 256 * 1024 }; /* of a turn: skipped bytes, of which one is little work */

struct mcti_result_job {
    struct mcti_list node; /* in mcti_results.jobs */
    struct mcti_results *results;
    uint64_t authority;
    size_t whole; /* length of the result */
    struct mcti_result_blocks blocks;
    struct mcti_buf others;
    struct mcti_keeping keeping;
    bool keeps, has_read; /* has_read: all blocks */
    struct mcti_result_cut cut;
    struct mcti_kept *kept;
    size_t charged;
    mcti_later_fn done;
    void *data;
};

struct mcti_result_job *mcti_result_job_new(struct mcti_results *r, struct mcti_str result, size_t budget,
                                            uint64_t authority)
{
    enum { ESCAPED_BYTES = 6 }; /* of a character in JSON, at most: what cannot fit need not be decoded */
    struct mcti_result_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    mcti_list_init(&job->node);
    job->results = r;
    job->authority = authority;
    job->whole = result.len;
    job->keeps = result.len / ESCAPED_BYTES <= r->opts.bytes / 2;
    mcti_buf_init(&job->others, 16 * budget);
    mcti_result_blocks_open(&job->blocks, result, &job->others, budget / 4);
    mcti_keeping_init(&job->keeping, r->opts.bytes / 2);
    mcti_result_cut_init(&job->cut, budget);
    return job;
}

void mcti_result_job_free(struct mcti_result_job *job)
{
    if (!job)
        return;
    if (job->charged)
        mcti_account_release(job->results->opts.account, MCT_HELD_PARKED, job->charged);
    mcti_list_remove(&job->node);
    mcti_buf_done(&job->others);
    mcti_keeping_done(&job->keeping);
    mcti_buf_done(&job->cut.to);
    free(job);
}

/* Puts the whole into the store, and ends what the client gets. */
static void job_end(struct mcti_result_job *job)
{
    job->kept = job->keeps ? mcti_keeping_take(&job->keeping) : NULL;
    if (job->kept && mcti_results_put(job->results, job->kept, job->authority) < 0)
        job->kept = NULL;
    mcti_result_cut_end(&job->cut, &job->blocks, job->whole, job->results, job->kept);
    job->results->n_cut++;
}

/* Goes on with the kept result. Returns true if its current part is complete. */
static bool job_keep(struct mcti_result_job *job, size_t *work)
{
    if (job->keeps && mcti_keeping_more(&job->keeping, work))
        return false;
    if (job->keeps && !mcti_keeping_ok(&job->keeping)) {
        mcti_keeping_done(&job->keeping);
        job->keeps = false;
    }
    return true;
}

/* Reads on to the next block. */
static void job_read(struct mcti_result_job *job, size_t *work)
{
    const struct mcti_result_block *block = &job->blocks.block;
    enum mcti_step step = mcti_result_blocks_next(&job->blocks, work);
    if (step == MCT_STEP_GOT)
        mcti_result_cut_block(&job->cut, block, job->keeps ? mcti_keeping_block(&job->keeping, block) : 0);
    job->has_read = step == MCT_STEP_END;
    if (job->has_read && job->keeps)
        mcti_keeping_structured(&job->keeping, job->blocks.structured);
}

/* Does so much work. Returns true when the job is done. */
static bool job_work(struct mcti_result_job *job, size_t work)
{
    while (work) {
        if (!job_keep(job, &work))
            continue;
        if (job->has_read) {
            job_end(job);
            return true;
        }
        job_read(job, &work);
    }
    return false;
}

void mcti_result_job_run(struct mcti_result_job *job)
{
    while (!job_work(job, SIZE_MAX / 8))
        ;
}

bool mcti_result_job_start(struct mcti_result_job *job, size_t bytes, mcti_later_fn done, void *data)
{
    struct mcti_results *r = job->results;
    if (!r->opts.account || mcti_account_charge(r->opts.account, MCT_HELD_PARKED, bytes))
        return false;
    job->charged = bytes;
    job->done = done;
    job->data = data;
    mcti_list_append(&r->jobs, &job->node);
    mcti_task_defer(r->sched, &r->work);
    return true;
}

void mcti_result_jobs_go_on(void *data)
{
    struct mcti_results *r = data;
    if (mcti_list_empty(&r->jobs))
        return;
    struct mcti_result_job *job = MCT_CONTAINER(r->jobs.next, struct mcti_result_job, node);
    bool is_done = job_work(job, WORK_BYTES);
    if (is_done)
        mcti_list_remove(&job->node);
    if (!mcti_list_empty(&r->jobs))
        mcti_task_defer(r->sched, &r->work);
    if (is_done)
        job->done(job->data);
}

struct mcti_kept *mcti_result_job_kept(const struct mcti_result_job *job)
{
    return job->kept;
}

struct mcti_str mcti_result_job_text(const struct mcti_result_job *job)
{
    return mcti_buf_str(&job->cut.to);
}
