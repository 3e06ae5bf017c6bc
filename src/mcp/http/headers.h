/*
 * HTTP headers that repeat parts of a message (2026-07-28, "Streamable HTTP", "Request headers"): Mcp-Method, Mcp-Name,
 * and Mcp-Param-* for arguments whose schema has `x-mcp-header`.
 */
#ifndef MCT_MCP_HTTP_HEADERS_H
#define MCT_MCP_HTTP_HEADERS_H

#include "io/fetch/client.h"
#include "json/edit.h"
#include "mcp/message.h"

/* Writes a header value: the plain text if every byte is printable ASCII, it neither begins nor ends with a blank, and
 * it does not look encoded; otherwise "=?base64?…?=" of its UTF-8. */
void mcti_header_value_put(struct mcti_buf *to, struct mcti_str text);

/* Decodes a header value. Returns -1 if its encoding is malformed. */
int mcti_header_value_get(struct mcti_buf *to, struct mcti_str value);

/* Adds Mcp-Method and, for methods with a subject, Mcp-Name. */
void mcti_headers_put_standard(struct mcti_headers *to, const struct mcti_msg *msg);

/* Checks the `x-mcp-header` annotations of a tool's inputSchema. Returns -1 and sets *err if one is invalid, which
 * makes the tool unusable over HTTP: the name is not a token or is used twice, the type is not string, integer or
 * boolean, or the parameter is not reached by `properties` alone. */
int mcti_param_headers_check(struct mcti_str tool, struct mct_error *err);

/* Removes invalid annotations from a tool's inputSchema, which `e` is copying. */
void mcti_param_headers_drop_bad(struct mcti_json_edit *e, struct mcti_str input_schema);

/* Returns true if the tool has annotations and all of them are valid. */
bool mcti_tool_is_annotated(struct mcti_str tool);

/* Adds Mcp-Param-* for the arguments of a call of `tool`, which passed the check. Null and absent arguments have no
 * header. */
void mcti_headers_put_params(struct mcti_headers *to, struct mcti_str tool, struct mcti_str arguments);

/* Returns the first header `name` and sets *ret_count to their number. */
typedef struct mcti_str (*mcti_header_get_fn)(const void *from, const char *name, size_t *ret_count);

/* Compares the Mcp-Param-* headers of a call of an annotated tool with its arguments. Returns -1 and sets *err, with
 * -32020 if a header is missing, cannot be decoded or differs, and with -32602 if such an argument is duplicated. A
 * null or absent argument needs no header, and its header is ignored (2026-07-28, "Server Behavior for Custom
 * Headers"). */
int mcti_headers_check_params(struct mcti_str tool, struct mcti_str arguments, mcti_header_get_fn get, const void *from,
                              struct mct_error *err);

#endif
