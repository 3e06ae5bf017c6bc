/* Accounts of held memory: when a charge succeeds, and which accounts may use a reserve. */
#include "unit.h"

#include "base/account.h"
#include "base/limits.h"

static struct mcti_memory memory;
static struct mcti_account anna, berta; /* principals */
static struct mcti_tally of_anna;

static struct mcti_account client_of(struct mcti_account *principal)
{
    return (struct mcti_account){ .parent = principal, .rule = &memory.rules[MCT_LEVEL_CLIENT] };
}

static int begin(void **state)
{
    (void)state;
    mcti_memory_init(
        &memory,
        &(struct mcti_memory_opts){
            .bytes = 100u << 20, .principal_share = 80, .client_share = 50, .server_share = 50, .apart = true });
    of_anna = (struct mcti_tally){ 0 };
    anna =
        (struct mcti_account){ .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL], .tally = &of_anna };
    berta = (struct mcti_account){ .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL] };
    return 0;
}

static void a_charge_counts_everywhere_or_nowhere(void **state)
{
    struct mcti_account c = client_of(&anna);
    (void)state;
    assert_null(mcti_account_charge(&c, MCT_HELD_CALL, 1000));
    assert_int_equal(c.held, 1000);
    assert_int_equal(of_anna.held[MCT_HELD_CALL], 1000);
    assert_int_equal(memory.whole.held, 1000);
    assert_int_equal(memory.tally.held[MCT_HELD_CALL], 1000);
    assert_ptr_equal(mcti_account_charge(&c, MCT_HELD_CALL, 51u << 20), &c);
    assert_ptr_equal(mcti_account_charge(&c, MCT_HELD_CALL, SIZE_MAX), &c);
    assert_int_equal(memory.whole.held, 1000);
    assert_int_equal(of_anna.refused[MCT_HELD_CALL], 2);
    assert_ptr_equal(mcti_account_over(&c, SIZE_MAX, 0), &c);
    assert_int_equal(of_anna.refused[MCT_HELD_CALL], 2);
    mcti_account_release(&c, MCT_HELD_CALL, 1000);
    assert_int_equal(c.held + anna.held + memory.whole.held + memory.tally.held[MCT_HELD_CALL], 0);
}

static void the_level_that_is_over_is_named(void **state)
{
    struct mcti_account a = client_of(&anna), b = client_of(&anna), c = client_of(&berta);
    (void)state;
    assert_null(mcti_account_charge(&a, MCT_HELD_REQUEST, 40u << 20));
    assert_ptr_equal(mcti_account_charge(&a, MCT_HELD_REQUEST, 20u << 20), &a);
    assert_ptr_equal(mcti_account_charge(&b, MCT_HELD_REQUEST, 45u << 20), &anna);
    assert_null(mcti_account_charge(&b, MCT_HELD_REQUEST, 29u << 20));
    assert_ptr_equal(mcti_account_charge(&c, MCT_HELD_REQUEST, 40u << 20), &memory.whole);
    assert_non_null(strstr(a.rule->refusal, "limits.client_share"));
    assert_non_null(strstr(anna.rule->refusal, "limits.principal_share"));
    assert_non_null(strstr(memory.whole.rule->refusal, "limits.memory_bytes"));
}

/* Other accounts of the same principal, and other principals, can still charge a little. */
static void the_reserve_is_for_those_who_hold_little(void **state)
{
    struct mcti_account a = client_of(&anna), b = client_of(&anna), c = client_of(&anna), d = client_of(&berta);
    (void)state;
    assert_null(mcti_account_charge(&a, MCT_HELD_ANSWER, 48u << 20));
    assert_null(mcti_account_charge(&b, MCT_HELD_ANSWER, 21u << 20));
    assert_ptr_equal(mcti_account_charge(&a, MCT_HELD_ANSWER, 2u << 20), &anna);
    assert_null(mcti_account_charge(&c, MCT_HELD_ANSWER, MCT_LIMIT_SMALL_BYTES));
    assert_ptr_equal(mcti_account_charge(&c, MCT_HELD_ANSWER, 1u << 20), &anna);
    assert_null(mcti_account_charge(&d, MCT_HELD_ANSWER, 18u << 20));
    assert_ptr_equal(mcti_account_charge(&d, MCT_HELD_ANSWER, 1u << 20), &memory.whole);
    struct mcti_account carla = { .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL] };
    struct mcti_account e = client_of(&carla);
    assert_null(mcti_account_charge(&e, MCT_HELD_ANSWER, 1u << 20));
}

static void a_slot_follows_what_is_there(void **state)
{
    struct mcti_account c = client_of(&anna);
    size_t charged = 0;
    (void)state;
    assert_null(mcti_account_set(&c, MCT_HELD_EVENT, &charged, 300));
    assert_null(mcti_account_set(&c, MCT_HELD_EVENT, &charged, 100));
    assert_int_equal(memory.whole.held, 100);
    assert_ptr_equal(mcti_account_set(&c, MCT_HELD_EVENT, &charged, 60u << 20), &c);
    assert_int_equal(charged, 100);
    mcti_account_put(&c, MCT_HELD_EVENT, &charged, 60u << 20);
    assert_int_equal(memory.whole.held, 60u << 20);
    assert_null(mcti_account_set(&c, MCT_HELD_EVENT, &charged, 55u << 20)); /* a decrease never fails */
    mcti_account_put(&c, MCT_HELD_EVENT, &charged, 0);
    assert_int_equal(memory.whole.held, 0);
}

/* mcti_account_over() counts nothing, unlike a charge. */
static void what_would_be_over_can_be_asked(void **state)
{
    struct mcti_account c = client_of(&anna);
    (void)state;
    assert_null(mcti_account_charge(&c, MCT_HELD_EVENT, 50u << 20));
    assert_ptr_equal(mcti_account_over(&c, 1, 0), &c);
    assert_null(mcti_account_over(&c, 1, 1));
    mcti_account_add(&anna, MCT_HELD_EVENT, 30u << 20);
    assert_ptr_equal(mcti_account_over(&c, 1u << 20, 1u << 20), &anna);
    assert_null(mcti_account_over(&c, 1u << 20, 11u << 20));
    assert_int_equal(of_anna.refused[MCT_HELD_EVENT], 0);
    assert_int_equal(anna.held, 80u << 20);
}

static void one_principal_has_everything(void **state)
{
    struct mcti_account local = { .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL] };
    struct mcti_account c = client_of(&local), d = client_of(&local);
    (void)state;
    mcti_memory_init(&memory, &(struct mcti_memory_opts){ .bytes = 100u << 20, .client_share = 50 });
    assert_null(mcti_account_charge(&c, MCT_HELD_CALL, 50u << 20));
    assert_null(mcti_account_charge(&d, MCT_HELD_CALL, 37u << 20));
    assert_ptr_equal(mcti_account_charge(&d, MCT_HELD_CALL, 2u << 20), &local);
    assert_non_null(strstr(local.rule->refusal, "limits.memory_bytes"));
    assert_true(mcti_account_within(&d, &memory.whole) && mcti_account_within(&d, &d) && !mcti_account_within(&d, &c));
}

static void defaults_are_those_of_limits(void **state)
{
    (void)state;
    mcti_memory_init(&memory, &(struct mcti_memory_opts){ 0 });
    assert_int_equal(memory.rules[MCT_LEVEL_WHOLE].share, MCT_LIMIT_MEMORY_BYTES);
    assert_int_equal(memory.rules[MCT_LEVEL_CLIENT].share, MCT_LIMIT_MEMORY_BYTES / 100 * MCT_LIMIT_CLIENT_SHARE);
    assert_string_equal(mcti_held_word(MCT_HELD_PARKED), "parked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_charge_counts_everywhere_or_nowhere, begin),
        cmocka_unit_test_setup(the_level_that_is_over_is_named, begin),
        cmocka_unit_test_setup(the_reserve_is_for_those_who_hold_little, begin),
        cmocka_unit_test_setup(a_slot_follows_what_is_there, begin),
        cmocka_unit_test_setup(what_would_be_over_can_be_asked, begin),
        cmocka_unit_test_setup(one_principal_has_everything, begin),
        cmocka_unit_test(defaults_are_those_of_limits),
    };
    return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
