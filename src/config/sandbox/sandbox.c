/* "sandbox": checks its values, and merges those of a server with those of all servers. */
#include "config/sandbox/sandbox.h"

#include <ctype.h>
#include <stdlib.h>

enum { MIN_MEMORY = 1 << 20, MAX_PORT = 65535, MAX_HOST = 253 };

/* Reads "512m", "2g", "65536k" or a number of bytes. Returns 0 if it is none, or too small for a program. */
static uint64_t read_size(const char *text)
{
    static const char units[] = "bkmgt";
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = strchr(units, *end ? tolower((unsigned char)*end) : 'b');
    unsigned bits = unit ? 10 * (unsigned)(unit - units) : 0;
    bool is_whole = unit && (!*end || !end[1]);
    return is_whole && n <= UINT64_MAX >> bits && n << bits >= MIN_MEMORY ? (uint64_t)n << bits : 0;
}

bool mcti_config_read_peer(struct mcti_str text, struct mcti_str *ret_host, unsigned *ret_port)
{
    const char *colon = memrchr(text.p, ':', text.len);
    char digits[8] = "";
    if (!colon || colon == text.p || text.len > MAX_HOST)
        return false;
    struct mcti_str host = mcti_str_range(text.p, colon), port = mcti_str_range(colon + 1, text.p + text.len);
    if (memchr(host.p, ':', host.len) && host.p[0] != '[')
        return false;
    const char *star = memrchr(host.p, '*', host.len);
    if (star && (star != host.p || (host.len > 1 && host.p[1] != '.')))
        return false;
    for (size_t i = 0; i < host.len; i++)
        if ((unsigned char)host.p[i] <= ' ' || strchr("/@?#,", host.p[i]))
            return false;
    *ret_host = host;
    *ret_port = 0;
    if (mcti_str_is(port, "*"))
        return true;
    for (size_t i = 0; i < port.len; i++)
        if (!isdigit((unsigned char)port.p[i]) || port.len >= sizeof digits)
            return false;
    memcpy(digits, port.p, port.len < sizeof digits ? port.len : 0);
    *ret_port = (unsigned)atoi(digits);
    return *ret_port > 0 && *ret_port <= MAX_PORT;
}

static bool is_switch(const char *text)
{
    return !strcmp(text, "on") || !strcmp(text, "off");
}

enum mcti_sandbox_network mcti_config_network_of(const struct mcti_strings *network)
{
    if (!network->n || !strcmp(network->v[0], "on"))
        return MCT_SANDBOX_NET_ON;
    return !strcmp(network->v[0], "off") ? MCT_SANDBOX_NET_OFF : MCT_SANDBOX_NET_LIST;
}

static const char *network_mistake(const struct mcti_strings *network)
{
    struct mcti_str host;
    unsigned port;
    if (network->n == 1 && is_switch(network->v[0]))
        return NULL;
    for (size_t i = 0; i < network->n; i++)
        if (!mcti_config_read_peer(mcti_str_of(network->v[i]), &host, &port))
            return "\"sandbox.network\" must be \"on\", \"off\", or a list of HOST:PORT, such as "
                   "\"api.example.com:443\" and \"*.example.com:443\"";
    return NULL;
}

const char *mcti_config_sandbox_mistake(const struct mcti_config_sandbox *x)
{
    if (x->memory && !read_size(x->memory))
        return "\"sandbox.memory\" must be a number of bytes with a unit, at least 1m: \"512m\" or \"2g\"";
    for (size_t i = 0; i < x->allow.n; i++)
        if (!mcti_word_find(mcti_sandbox_allows, mcti_str_of(x->allow.v[i])))
            return "\"sandbox.allow\" has an unknown word; known: \"namespaces\", \"unix-sockets\", \"debug\", "
                   "\"private-addresses\"";
    return network_mistake(&x->network);
}

void mcti_config_clear_sandbox(struct mcti_config_sandbox *x)
{
    mcti_strings_clear(&x->read);
    mcti_strings_clear(&x->write);
    mcti_strings_clear(&x->network);
    mcti_strings_clear(&x->allow);
    free(x->memory);
    *x = (struct mcti_config_sandbox){ 0 };
}

/* ---- what applies to a server ---- */

bool mcti_config_sandbox_is_written(const struct mcti_config_sandbox *x)
{
    return x->read.n || x->write.n || x->network.n || x->allow.n || x->memory || x->processes;
}

const struct mcti_strings *mcti_config_sandbox_network(const struct mcti_config_sandbox *all,
                                                       const struct mcti_config_sandbox *own)
{
    return own->network.n ? &own->network : &all->network;
}

uint64_t mcti_config_sandbox_memory(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own)
{
    return read_size(own->memory ? own->memory : all->memory);
}

unsigned mcti_config_sandbox_processes(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own)
{
    return own->processes ? own->processes : all->processes;
}

static unsigned allow_bits(const struct mcti_strings *words)
{
    unsigned bits = 0;
    for (size_t i = 0; i < words->n; i++) {
        const struct mcti_word *w = mcti_word_find(mcti_sandbox_allows, mcti_str_of(words->v[i]));
        bits |= w ? w->value : 0;
    }
    return bits;
}

unsigned mcti_config_sandbox_allow(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own)
{
    return allow_bits(&own->allow) | allow_bits(&all->allow);
}
