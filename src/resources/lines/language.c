#include "resources/lines/language.h"

const struct mcti_word mcti_language_words[] = { { "zh", MCT_CHINESE }, { "en", MCT_ENGLISH }, { 0 } };

static const struct {
    const char *chinese, *english;
} phrases[MCT_SAY_N] = {
    [MCT_SAY_READ] = { "资源读取: ", "resource read: " },
    [MCT_SAY_CUT] = { "内容已截断", "content truncated" },
    [MCT_SAY_READ_LATE] = { "资源读取超时", "resource read timed out" },
    [MCT_SAY_LIST_LATE] = { "资源列表超时", "resource list timed out" },
    [MCT_SAY_CONNECTION] = { "MCP服务器连接失败", "connection to the MCP server failed" },
    [MCT_SAY_TIMEOUT] = { "请求超时", "request timed out" },
    [MCT_SAY_NOT_FOUND] = { "资源不存在", "resource not found" },
    [MCT_SAY_DENIED] = { "权限拒绝", "permission denied" },
    [MCT_SAY_INVALID_URI] = { "无效的URI格式", "invalid URI format" },
    [MCT_SAY_SERVER] = { "服务器返回错误", "the server answered with an error" },
    [MCT_SAY_REQUEST] = { "无效的请求", "invalid request" },
    [MCT_SAY_CANCELLED] = { "请求已取消", "request cancelled" },
    [MCT_SAY_INTERNAL] = { "内部错误", "internal error" },
};

const char *mcti_phrase(enum mcti_phrase phrase, enum mcti_language language)
{
    return language == MCT_ENGLISH ? phrases[phrase].english : phrases[phrase].chinese;
}

void mcti_phrase_put_list(struct mcti_buf *to, enum mcti_language language, uint64_t n_servers, uint64_t n_resources)
{
    bool english = language == MCT_ENGLISH;
    mcti_buf_addz(to, english ? "resource list: found " : "资源列表: 发现 ");
    mcti_buf_addu(to, n_servers);
    mcti_buf_addz(to, !english ? " 个服务器, 共 " : n_servers == 1 ? " server, " : " servers, ");
    mcti_buf_addu(to, n_resources);
    mcti_buf_addz(to, !english ? " 个资源" : n_resources == 1 ? " resource" : " resources");
}

/* ---- locales ---- */

enum mcti_language mcti_language_of_locale(const char *locale)
{
    static const char *const none[] = { "", "C", "POSIX" };
    size_t n = locale ? strcspn(locale, "_.@-") : 0;
    struct mcti_str word = { locale, n };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (mcti_str_is(word, none[i]))
            return MCT_CHINESE;
    return mcti_str_eq_nocase(word, MCT_STR("zh")) ? MCT_CHINESE : MCT_ENGLISH;
}
