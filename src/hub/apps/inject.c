#include "hub/apps/inject.h"

#include <strings.h>

enum { HEAD_WITHIN = 1 << 14 }; /* of a page: where its head has begun */

/* `parent` is replaced by an object that passes messages on; events seem to come from this object. */
static const char script_begin[] = "<script>(()=>{const names=";
static const char script_rest[] = ";const host=parent,own={postMessage(m,...more){"
                                  "if(m&&m.method===\"tools/call\"&&m.params&&Object.hasOwn(names,m.params.name))"
                                  "m={...m,params:{...m.params,name:names[m.params.name]}};"
                                  "host.postMessage(m,...more)}};"
                                  "const source=Object.getOwnPropertyDescriptor(MessageEvent.prototype,\"source\");"
                                  "Object.defineProperty(MessageEvent.prototype,\"source\",{configurable:true,get(){"
                                  "const from=source.get.call(this);return from===host?own:from}});"
                                  "Object.defineProperty(window,\"parent\",{configurable:true,value:own})})()</script>";

void mcti_app_script_begin(struct mcti_buf *to)
{
    mcti_buf_addz(to, script_begin);
    mcti_buf_addc(to, '{');
}

/* Writes a JSON string that cannot end the script. */
static void inject_put_name(struct mcti_buf *to, struct mcti_str name)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_APP_SCRIPT_BYTES);
    mcti_json_put_string(&text, name);
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] == '<')
            mcti_buf_addz(to, "\\u003c");
        else
            mcti_buf_addc(to, text.p[i]);
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

void mcti_app_script_add(struct mcti_buf *to, struct mcti_str own, struct mcti_str shown, size_t *n)
{
    mcti_buf_addz(to, (*n)++ ? "," : "");
    inject_put_name(to, own);
    mcti_buf_addc(to, ':');
    inject_put_name(to, shown);
}

void mcti_app_script_end(struct mcti_buf *to)
{
    mcti_buf_addc(to, '}');
    mcti_buf_addz(to, script_rest);
}

/* Returns what is behind the tag whose name begins with `tag`; NULL: the text has none near its beginning. */
static const char *inject_behind(struct mcti_str text, const char *tag)
{
    size_t n = strlen(tag), end = text.len < HEAD_WITHIN ? text.len : HEAD_WITHIN;
    for (size_t i = 0; i + n < end; i++) {
        if (strncasecmp(text.p + i, tag, n) != 0 || !strchr("> \t", text.p[i + n]))
            continue;
        const char *close = memchr(text.p + i, '>', text.len - i);
        return close ? close + 1 : NULL;
    }
    return NULL;
}

const char *mcti_app_script_place(struct mcti_str text)
{
    const char *at = inject_behind(text, "<head");
    at = at ? at : inject_behind(text, "<!doctype");
    return at ? at : text.p + 1;
}
