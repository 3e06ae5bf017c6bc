/* Why servers refuse, from what they really say: each row is a form found in the source of the server or SDK named. */
#include "unit.h"

#include "resources/cause.h"

#define OTHER MCT_CAUSE_OTHER
#define ABSENT MCT_CAUSE_ABSENT
#define DENIED MCT_CAUSE_DENIED
#define MALFORMED MCT_CAUSE_MALFORMED

static const struct {
    int code;
    const char *says, *uri;
    enum mcti_cause means;
} rows[] = {
    /* server-everything 2026.8.31, dist/resources/templates.js */
    { -32603, "Unknown resource: demo://resource/dynamic/text/abc", "demo://resource/dynamic/text/abc", ABSENT },
    /* server-filesystem 2026.8.31, dist/lib.js, and what Node says in it */
    { -32603, "Access denied - path outside allowed directories: /etc/passwd not in /srv", "file:///etc/passwd",
      DENIED },
    { -32603, "Access denied - symlink target outside allowed directories: /x not in /srv", "file:///srv/x", DENIED },
    { -32603, "Parent directory does not exist: /srv/a", "file:///srv/a/b", ABSENT },
    { -32603, "ENOENT: no such file or directory, open '/srv/a'", "file:///srv/a", ABSENT },
    { -32603, "EACCES: permission denied, open '/srv/a'", "file:///srv/a", DENIED },
    { -32603, "EPERM: operation not permitted, open '/srv/a'", "file:///srv/a", DENIED },
    /* SDK for TypeScript: 1.x server/mcp.js, 2.x ResourceNotFoundError */
    { -32602, "MCP error -32602: Resource x:y not found", "x:y", ABSENT },
    { -32602, "Resource x:y disabled", "x:y", ABSENT },
    { -32602, "Resource not found: x:y", "x:y", ABSENT },
    { -32603, "Invalid URL", "readme", MALFORMED },
    /* SDK for Python: mcp 1.x answers with code 0, 2.x with -32602 and -32603 */
    { 0, "Unknown resource: x:y", "x:y", ABSENT },
    { -32602, "Unknown resource: x:y", "x:y", ABSENT },
    { 0, "Error reading resource x:y: [Errno 2] No such file or directory: '/a'", "x:y", ABSENT },
    { 0, "Error reading resource x:y: [Errno 13] Permission denied: '/a'", "x:y", DENIED },
    { -32603, "Error reading resource x:y", "x:y", OTHER },
    { 0, "1 validation error: Input should be a valid URL, relative URL without a base", "y", MALFORMED },
    /* SDK for Go: mcp/resource.go, os.Root, url.Parse() */
    { -32602, "Resource not found", "file:///a", ABSENT },
    { -32002, "Resource not found", "file:///a", ABSENT },
    { 0, "URI path \"/etc/passwd\" is not under any root", "file:///etc/passwd", DENIED },
    { 0, "openat ../a: path escapes from parent", "file:///../a", DENIED },
    { 0, "open a: no such file or directory", "file:///a", ABSENT },
    { 0, "open a: permission denied", "file:///a", DENIED },
    { 0, "parse \":a\": missing protocol scheme", ":a", MALFORMED },
    /* SDKs for Rust, Java and C# */
    { -32002, "resource_not_found", "x:y", ABSENT },
    { -32603, "No such file or directory (os error 2)", "x:y", ABSENT },
    { -32002, "Resource not found: x:y", "x:y", ABSENT },
    { -32602, "Unknown resource URI: 'x:y'", "x:y", ABSENT },
    { -32603, "Could not find file 'C:\\a'.", "file:///C:/a", ABSENT },
    { -32603, "Access to the path is denied: Access is denied.", "file:///C:/a", DENIED },

    { -32001, "Permission denied", "x:y", DENIED },
    { -32603, "Request failed with status code 403: Forbidden", "x:y", DENIED },
    { -32603, "HTTP 401 Unauthorized", "x:y", DENIED },
    { -32603, "资源不存在: x:y", "x:y", ABSENT },
    { -32603, "x:y没有权限", "x:y", DENIED },

    /* codes, without words */
    { -32002, "gone", "x:y", ABSENT },
    { -32602, "x:y", "x:y", ABSENT },
    { -32602, "bad cursor", "x:y", OTHER },
    { -32603, "boom", "x:y", OTHER },
    { -32603, "boom x:y", "x:y", OTHER },
    { 0, "", "x:y", OTHER },
    { -32002, "Permission denied", "x:y", DENIED }, /* words count more than codes */

    /* words in other words, and other things that are not found */
    { -32603, "superperman", "x:y", OTHER },
    { -32603, "opeacces1", "x:y", OTHER },
    { -32603, "API key not found", "x:y", OTHER },
    { -32603, "Session not found", "x:y", OTHER },
    { -32603, "API key not found; file not found", "x:y", OTHER }, /* the first words count */

    /* words of the URI are not the server's */
    { -32603, "boom: x://not found", "x://not found", OTHER },
    { -32603, "boom: X://NOT%20FOUND", "x://not%20found", OTHER },
    { -32603, "boom: '/srv/not found'", "file:///srv/not%20found", OTHER },
    { -32603, "boom: 'permission denied.md'", "docs://permission%20denied.md", OTHER },
    { -32603, "ENOENT: no such file or directory, open '/srv/permission denied'", "file:///srv/permission%20denied",
      ABSENT },
    { -32603, "EACCES: permission denied, open '/srv/not found'", "file:///srv/not%20found", DENIED },
    { -32603, "Resource not found", "x://not found", ABSENT }, /* the server's own words remain */
    { -32603, "boom %zz%", "x:%zz%", OTHER },

    /* lists */
    { -32603, "EACCES: permission denied", NULL, DENIED },
    { -32603, "file not found", NULL, OTHER },
    { -32002, "gone", NULL, OTHER },
};

static void servers_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err;
        mcti_fail(&err, MCT_ERR_SERVER, "%s", rows[i].says);
        err.code = rows[i].code;
        enum mcti_cause means = mcti_cause_of(&err, mcti_str_of(rows[i].uri));
        if (means != rows[i].means)
            fail_msg("%d %s (%s): %d", rows[i].code, rows[i].says, rows[i].uri, (int)means);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(servers_are_understood) };
    return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
