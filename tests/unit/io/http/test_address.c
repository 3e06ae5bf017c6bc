#include "unit.h"

#include "io/http/address.h"

#include <netinet/in.h>
#include <sys/un.h>

static const struct {
    const char *text;
    bool is_public;
} addresses[] = {
    { "0.0.0.0", false },
    { "0.255.255.255", false },
    { "1.0.0.0", true },
    { "8.8.8.8", true },
    { "9.255.255.255", true },
    { "10.0.0.0", false },
    { "10.255.255.255", false },
    { "11.0.0.0", true },
    { "100.63.255.255", true },
    { "100.64.0.0", false },
    { "100.100.100.200", false },
    { "100.127.255.255", false },
    { "100.128.0.0", true },
    { "126.255.255.255", true },
    { "127.0.0.1", false },
    { "127.255.255.255", false },
    { "128.0.0.0", true },
    { "168.63.129.15", true },
    { "168.63.129.16", false },
    { "168.63.129.17", true },
    { "169.253.255.255", true },
    { "169.254.169.254", false },
    { "169.255.0.0", true },
    { "172.15.255.255", true },
    { "172.16.0.0", false },
    { "172.31.255.255", false },
    { "172.32.0.0", true },
    { "191.255.255.255", true },
    { "192.0.0.192", false },
    { "192.0.1.0", true },
    { "192.0.2.1", false },
    { "192.0.3.0", true },
    { "192.88.99.1", false },
    { "192.88.98.255", true },
    { "192.88.100.0", true },
    { "192.167.255.255", true },
    { "192.168.0.1", false },
    { "192.169.0.0", true },
    { "198.17.255.255", true },
    { "198.18.0.1", false },
    { "198.19.255.255", false },
    { "198.20.0.0", true },
    { "198.51.99.255", true },
    { "198.51.100.1", false },
    { "198.51.101.0", true },
    { "203.0.112.255", true },
    { "203.0.113.1", false },
    { "203.0.114.0", true },
    { "223.255.255.255", true },
    { "224.0.0.1", false },
    { "239.255.255.255", false },
    { "240.0.0.1", false },
    { "255.255.255.255", false },

    { "::", false },
    { "::1", false },
    { "::2", false },
    { "::10.0.0.1", false }, /* compatible */
    { "::8.8.8.8", false },
    { "::ffff:8.8.8.8", true }, /* mapped */
    { "::ffff:127.0.0.1", false },
    { "::ffff:169.254.169.254", false },
    { "::ffff:0:8.8.8.8", true }, /* translated */
    { "::ffff:0:10.0.0.1", false },
    { "::fffe:8.8.8.8", false },
    { "64:ff9b::8.8.8.8", true }, /* NAT64 */
    { "64:ff9b::192.168.1.1", false },
    { "64:ff9b::1:8.8.8.8", false },
    { "64:ff9b:1::8.8.8.8", false },
    { "100::1", false },
    { "1fff:ffff::", false },
    { "2001::1", false }, /* Teredo */
    { "2001:0:4136:e378:8000:63bf:3fff:fdd2", false },
    { "2001:2::1", false },
    { "2001:1ff::1", false },
    { "2001:200::1", true },
    { "2001:db7:ffff::", true },
    { "2001:db8::1", false },
    { "2001:db9::1", true },
    { "2001:4860:4860::8888", true },
    { "2002:808:808::1", true }, /* 6to4 */
    { "2002:7f00:1::1", false },
    { "2002:a9fe:a9fe::", false },
    { "2003::1", true },
    { "2606:4700::1111", true },
    { "3ffe:ffff::", true },
    { "3fff::1", false },
    { "3fff:fff::1", false },
    { "3fff:1000::1", true },
    { "4000::1", false },
    { "5f00::1", false },
    { "fbff::1", false },
    { "fc00::1", false },
    { "fd12:3456::1", false },
    { "fe80::1", false },
    { "fec0::1", false },
    { "ff02::1", false },
    { "ffff::1", false },
};

static void the_registries_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct mcti_str text = mcti_str_of(addresses[i].text);
        struct sockaddr_storage a;
        assert_true(mcti_address_read(text, &a));
        if (mcti_address_is_public((struct sockaddr *)&a) != addresses[i].is_public ||
            mcti_address_text_is_private(text) == addresses[i].is_public)
            fail_msg("%s is %s", addresses[i].text, addresses[i].is_public ? "public" : "not public");
    }
}

static void texts_are_addresses_or_nothing(void **state)
{
    static const char *const bad[] = { "",
                                       "localhost",
                                       "10.0.0",
                                       "10.0.0.1.",
                                       "0x7f.0.0.1",
                                       "010.0.0.1",
                                       " ::1",
                                       "[::1",
                                       "::1]",
                                       "[]",
                                       "[",
                                       "1.2.3.4.5",
                                       "256.0.0.1",
                                       "2130706433",
                                       "1:2:3:4:5:6:7:8:9",
                                       "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000" };
    struct sockaddr_storage a;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (mcti_address_read(mcti_str_of(bad[i]), &a))
            fail_msg("'%s' is an address", bad[i]);
        assert_false(mcti_address_text_is_private(mcti_str_of(bad[i])));
    }
    assert_false(mcti_address_read(MCT_STR_NONE, &a));
    assert_false(mcti_address_read(MCT_STR("127.0.0.1\0.example"), &a));
    assert_true(mcti_address_text_is_private(MCT_STR("[::1]")));
    assert_true(mcti_address_text_is_private(MCT_STR("[fe80::1%25eth0]")));
    assert_true(mcti_address_text_is_private(MCT_STR("fe80::1%eth0")));
}

static void other_families_are_not_public(void **state)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "8.8.8.8" };
    (void)state;
    assert_false(mcti_address_is_public((struct sockaddr *)&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registries_decide),
        cmocka_unit_test(texts_are_addresses_or_nothing),
        cmocka_unit_test(other_families_are_not_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
