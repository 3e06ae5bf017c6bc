/* The scriptable server: what its command line says, and what it has still to send. */
#ifndef MCT_TESTS_TEST_SERVER_H
#define MCT_TESTS_TEST_SERVER_H

#include "base/buf.h"
#include "base/list.h"
#include "mcp/message.h"

struct options {
    unsigned tools, resources, templates, prompts, page_size;
    unsigned list_delay_ms; /* of resources/list */
    unsigned pad;           /* bytes in the description of each resource */
    unsigned die_in_page;   /* ends in the middle of that page of a list, counted from 1 */
    unsigned delay_ms, garbage, stderr_lines, huge_bytes, exit_after;
    const char *name;                       /* in front of generated names and URIs */
    const char *tool_name;                  /* one more tool, named exactly so */
    const char *tool_json;                  /* one more tool, this object exactly */
    const char *era;                        /* "legacy", "2026", "both" */
    const char *revision;                   /* what initialize is answered with; NULL: what was asked */
    const char *hang_on, *exit_on, *refuse; /* a method */
    unsigned refuse_times, refuse_code;     /* 0: always; 0: 32603; the code is negated */
    const char *read_line; /* what resources/read is answered with, @@ stands for the id; NULL: properly */
    const char *record;    /* file that every line received is appended to */
    const char *spawn;     /* leave a process behind that ignores SIGTERM; see leave_behind() */
    bool silent, exit_at_start, loop_pages, ignore_eof, ignore_term, exit_on_probe, crlf, bad_list;
    bool announce;      /* resources: listChanged */
    bool endless_pages; /* another cursor each time */
    bool pause;         /* do nothing at all, for ever */
};

struct later {
    struct mcti_list node;
    uint64_t due_ms;
    char *text;
    size_t len;
};

struct server {
    struct options o;
    struct mcti_buf out;
    struct mcti_list later;
    unsigned extra_tools, calls, n_refused;
    uint64_t cancelled;
};

/* ---- answers.c ---- */

uint64_t test_server_now_ms(void);

/* Writes everything that is due to stdout. */
void test_server_flush(struct server *s);

void test_server_put_garbage(struct server *s);

/* Answers the request, as the options say. */
void test_server_answer(struct server *s, const struct mcti_msg *msg);
void test_server_refuse(struct server *s, const struct mcti_msg *msg, int code, const char *why);

#endif
