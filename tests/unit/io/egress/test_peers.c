/* The list of peers, and how the configuration writes them. */
#include "unit.h"

#include "config/sandbox/sandbox.h"
#include "io/egress/impl.h"

static const struct {
    const char *rule;
    unsigned port; /* of the rule; 0: any */
    const char *host;
    unsigned wanted;
    enum mcti_egress_verdict verdict;
} peers[] = {
    { "a.example.com", 443, "a.example.com", 443, EGRESS_PUBLIC },
    { "a.example.com", 443, "A.EXAMPLE.com", 443, EGRESS_PUBLIC },
    { "a.example.com", 443, "a.example.com.", 443, EGRESS_PUBLIC },
    { "a.example.com", 443, "a.example.com", 80, EGRESS_NO },
    { "a.example.com", 0, "a.example.com", 80, EGRESS_PUBLIC },
    { "a.example.com", 443, "b.a.example.com", 443, EGRESS_NO },
    { "*.example.com", 443, "a.example.com", 443, EGRESS_PUBLIC },
    { "*.example.com", 443, "a.b.example.com", 443, EGRESS_PUBLIC },
    { "*.example.com", 443, "example.com", 443, EGRESS_NO },
    { "*.example.com", 443, ".example.com", 443, EGRESS_NO },
    { "*.example.com", 443, "aexample.com", 443, EGRESS_NO },
    { "*.example.com", 443, "a.example.com.evil.org", 443, EGRESS_NO },
    { "*", 443, "anything", 443, EGRESS_PUBLIC },
    { "*", 443, "127.0.0.1", 443, EGRESS_PUBLIC },
    { "127.0.0.1", 5432, "127.0.0.1", 5432, EGRESS_ANY },
    { "::1", 5432, "::1", 5432, EGRESS_ANY },
    { "localhost", 5432, "localhost", 5432, EGRESS_ANY },
    { "localhost", 5432, "127.0.0.1", 5432, EGRESS_NO },
    { "a", 1, "", 1, EGRESS_NO },
    { "a", 1, ".", 1, EGRESS_NO },
};

static void peers_match_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        struct mcti_egress_rule rule = { (char *)(uintptr_t)peers[i].rule, peers[i].port };
        const struct mcti_egress e = { .rules = &rule, .n_rules = 1 };
        if (mcti_egress_judge(&e, mcti_str_of(peers[i].host), peers[i].wanted) != peers[i].verdict)
            fail_msg("row %zu: %s:%u", i, peers[i].host, peers[i].wanted);
    }
}

static const struct {
    const char *text, *host; /* host: NULL: it is a mistake */
    unsigned port;
} written[] = {
    { "a.example.com:443", "a.example.com", 443 },
    { "*.example.com:*", "*.example.com", 0 },
    { "*:80", "*", 80 },
    { "127.0.0.1:65535", "127.0.0.1", 65535 },
    { "[::1]:1", "[::1]", 1 },
    { "a:0", NULL, 0 },
    { "a:65536", NULL, 0 },
    { "a:99999999999", NULL, 0 },
    { "a:", NULL, 0 },
    { ":1", NULL, 0 },
    { "a", NULL, 0 },
    { "::1:1", NULL, 0 },
    { "a b:1", NULL, 0 },
    { "https://a:1", NULL, 0 },
    { "x*.com:1", NULL, 0 },
    { "a.*:1", NULL, 0 },
    { "*a.com:1", NULL, 0 },
    { "a@b:1", NULL, 0 },
    { "a:1x", NULL, 0 },
};

static void peers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        struct mcti_str host;
        unsigned port;
        bool is_peer = mcti_config_read_peer(mcti_str_of(written[i].text), &host, &port);
        if (is_peer != (written[i].host != NULL) ||
            (is_peer && (!mcti_str_is(host, written[i].host) || port != written[i].port)))
            fail_msg("%s", written[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(peers_match_as_written), cmocka_unit_test(peers_are_read) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
