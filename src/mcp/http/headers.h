/*
 * The parts of a message that 2026-07-28 repeats in HTTP headers ("Streamable HTTP", "Request
 * headers"): Mcp-Method, Mcp-Name, and Mcp-Param-* for arguments whose schema carries `x-mcp-header`.
 */
#ifndef MCT_MCP_HTTP_HEADERS_H
#define MCT_MCP_HTTP_HEADERS_H

#include "io/http/client.h"
#include "json/edit.h"
#include "mcp/message.h"

/* The value as it stands in a header: plain where every byte is printable ASCII, none of the outer ones
 * is blank and it does not look encoded itself; otherwise "=?base64?…?=" of its UTF-8. */
void mcti_header_value_put(struct mcti_buf *to, struct mcti_str text);

/* The text behind a header's value; -1 when it is encoded, and not well. */
int mcti_header_value_get(struct mcti_buf *to, struct mcti_str value);

/* Mcp-Method and, for the methods that have a subject, Mcp-Name. */
void mcti_headers_put_standard(struct mcti_headers *to, const struct mcti_msg *msg);

/* -1 with *err when an `x-mcp-header` in the tool's inputSchema breaks a rule, which makes the tool
 * unusable over HTTP: name no token, same name twice, type other than string, integer or boolean, or a
 * place that `properties` alone do not lead to. */
int mcti_param_headers_check(struct mcti_str tool, struct mct_error *err);

/* Leaves out of a tool's inputSchema, where `e` has come to, those annotations that break a rule. */
void mcti_param_headers_drop_bad(struct mcti_json_edit *e, struct mcti_str input_schema);

/* Whether it has such annotations, and they obey the rules. */
bool mcti_tool_is_annotated(struct mcti_str tool);

/* Mcp-Param-* for the arguments of a call of that tool (which passed the check). Null and absent ones
 * have no header. */
void mcti_headers_put_params(struct mcti_headers *to, struct mcti_str tool, struct mcti_str arguments);

/* The first header of that name and how many there are. */
typedef struct mcti_str (*mcti_header_get_fn)(const void *from, const char *name, size_t *ret_count);

/* Whether the Mcp-Param-* headers of a call of an annotated tool say what its arguments say: -1 with *err (-32020)
 * where one is missing, cannot be decoded or differs, or (-32602) where such an argument is there twice. For a null or
 * absent argument none is expected, and one that is there is not looked at (2026-07-28, "Server Behavior for Custom
 * Headers"). */
int mcti_headers_check_params(struct mcti_str tool, struct mcti_str arguments, mcti_header_get_fn get, const void *from,
                              struct mct_error *err);

#endif
