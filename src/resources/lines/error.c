#include "resources/lines/error.h"

#include "mcp/era.h"

static const struct mcti_block_fault_row rows[MCT_FAULT_N] = {
    [MCT_FAULT_CONNECTION] = { "ConnectionFailed", "MCP服务器连接失败", false, true, "Check Configuration", false },
    [MCT_FAULT_TIMEOUT] = { "Timeout", "请求超时", false, true, "Check Configuration", false },
    [MCT_FAULT_NOT_FOUND] = { "ResourceNotFound", "资源不存在", true, false, "Available Resources List", true },
    [MCT_FAULT_DENIED] = { "PermissionDenied", "权限拒绝", true, false, "Permission Denied", false },
    [MCT_FAULT_INVALID_URI] = { "InvalidURI", "无效的URI格式", false, true, NULL, false },
};

const struct mcti_block_fault_row *mcti_block_fault_row(enum mcti_block_fault fault)
{
    return &rows[fault];
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 3986 section 3.1. */
static bool has_scheme(struct mcti_str uri)
{
    size_t n = 0;
    while (n < uri.len && (is_alpha(uri.p[n]) || (n && uri.p[n] && strchr("0123456789+-.", uri.p[n]))))
        n++;
    return n && n < uri.len && uri.p[n] == ':';
}

static bool is_denial(const struct mct_error *err)
{
    return err->kind == MCT_ERR_POLICY || err->http_status == 401 || err->http_status == 403;
}

static bool lines_error_is_not_found(const struct mct_error *err, struct mcti_str uri)
{
    if (err->kind == MCT_ERR_NOT_FOUND || err->code == MCT_RPC_RESOURCE_NOT_FOUND)
        return true;
    return err->code == MCT_RPC_INVALID_PARAMS && uri.len && memmem(err->message, strlen(err->message), uri.p, uri.len);
}

enum mcti_block_fault mcti_block_fault_of(const struct mct_error *err, struct mcti_str uri)
{
    bool schemeless = uri.p && !has_scheme(uri);
    if (err->kind == MCT_ERR_TIMEOUT)
        return MCT_FAULT_TIMEOUT;
    if (is_denial(err))
        return MCT_FAULT_DENIED;
    if (schemeless && (err->kind == MCT_ERR_USAGE || err->kind == MCT_ERR_SERVER))
        return MCT_FAULT_INVALID_URI;
    if (lines_error_is_not_found(err, uri))
        return schemeless ? MCT_FAULT_INVALID_URI : MCT_FAULT_NOT_FOUND;
    return MCT_FAULT_CONNECTION;
}
