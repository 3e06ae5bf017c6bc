#include "stored.h"

#include <sched.h>
#include <sys/mman.h>

static void a_lock_excludes_others(void **state)
{
    struct mcti_auth_store *s = stored_open("file"), *other = stored_open("file");
    struct mct_error err;
    char key[MCT_AUTH_KEY_CHARS + 1];
    (void)state;
    mcti_auth_key(key, MCT_STR("https://example.com/other"), MCT_STR(""));
    assert_int_equal(s->ops->lock(s, stored_key, &err), 1);
    assert_int_equal(s->ops->lock(s, stored_key, &err), 0);
    assert_int_equal(other->ops->lock(other, stored_key, &err), 0);
    assert_int_equal(other->ops->lock(other, key, &err), 1);
    other->ops->unlock(other, stored_key); /* it has none */
    assert_int_equal(other->ops->lock(other, stored_key, &err), 0);
    s->ops->unlock(s, stored_key);
    assert_int_equal(other->ops->lock(other, stored_key, &err), 1);
    mcti_auth_store_free(other); /* ends its locks */
    assert_int_equal(s->ops->lock(s, stored_key, &err), 1);
    assert_int_equal(s->ops->lock(s, key, &err), 1);
    mcti_auth_store_free(s);
}

static void lock_files_do_not_pile_up(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    (void)state;
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    s->ops->unlock(s, stored_key);
    assert_int_equal(stored_n_files(), 0);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    stored_save(s, stored_key, "text");
    s->ops->unlock(s, stored_key);
    assert_int_equal(stored_n_files(), 2);
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    assert_int_equal(s->ops->save(s, stored_key, MCT_STR_NONE, NULL), 0);
    assert_int_equal(stored_n_files(), 1);
    s->ops->unlock(s, stored_key);
    assert_int_equal(stored_n_files(), 0);
    mcti_auth_store_free(s);
}

/* Starts a process that takes the lock, tells so, and keeps it until it is killed. */
static pid_t start_holder(void)
{
    int told[2];
    char byte = 0;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct mcti_auth_store *s = mcti_auth_store_open("file", stored_folder, NULL);
        byte = s && s->ops->lock(s, stored_key, NULL) == 1 ? 'y' : 'n';
        (void)!write(told[1], &byte, 1);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(told[0]);
    return pid;
}

static void a_lock_ends_with_its_process(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    (void)state;
    for (int i = 0; i < 3; i++) {
        pid_t pid = start_holder();
        assert_int_equal(s->ops->lock(s, stored_key, NULL), 0);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
        s->ops->unlock(s, stored_key);
    }
    mcti_auth_store_free(s);
}

/* A forked copy of this process, which a program may leave running, must not keep a lock that was ended. */
static void a_copy_of_the_process_keeps_no_lock(void **state)
{
    struct mcti_auth_store *s = stored_open("file"), *other = stored_open("file");
    (void)state;
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    s->ops->unlock(s, stored_key);
    assert_int_equal(other->ops->lock(other, stored_key, NULL), 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    mcti_auth_store_free(other);
    mcti_auth_store_free(s);
}

enum { RACERS = 4, ROUNDS = 100 };

/* Adds 1 to the number that is stored, ROUNDS times, each time under the lock. */
static void add_under_lock(void)
{
    struct mcti_auth_store *s = mcti_auth_store_open("file", stored_folder, NULL);
    for (int i = 0; i < ROUNDS;) {
        struct mcti_buf b;
        char text[32];
        int locked = s->ops->lock(s, stored_key, NULL);
        if (locked < 0)
            _exit(2);
        if (!locked) {
            sched_yield();
            continue;
        }
        mcti_buf_init(&b, 64);
        if (s->ops->load(s, stored_key, &b, NULL) < 0)
            _exit(3);
        snprintf(text, sizeof text, "%d", atoi(b.len ? mcti_buf_take(&b) : "0") + 1);
        /* In every third round the text is removed first, so that the file of the lock comes and goes as well. */
        if (i % 3 == 0 && s->ops->save(s, stored_key, MCT_STR_NONE, NULL) < 0)
            _exit(4);
        if (s->ops->save(s, stored_key, mcti_str_of(text), NULL) < 0)
            _exit(5);
        s->ops->unlock(s, stored_key);
        i++;
    }
    _exit(0);
}

static void processes_do_not_lose_updates(void **state)
{
    struct mcti_auth_store *s = stored_open("file");
    pid_t pids[RACERS];
    char text[32];
    (void)state;
    for (int i = 0; i < RACERS; i++)
        if ((pids[i] = fork()) == 0)
            add_under_lock();
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    snprintf(text, sizeof text, "%d", RACERS * ROUNDS);
    stored_expect(s, stored_key, text);
    mcti_auth_store_free(s);
}

/* Locks and ends locks of a key without a text, so that the file is removed each time; `owner` shows who has it. */
static void take_turns(volatile int *owner, int me)
{
    struct mcti_auth_store *s = mcti_auth_store_open("file", stored_folder, NULL);
    for (int i = 0; i < ROUNDS;) {
        int locked = s->ops->lock(s, stored_key, NULL);
        if (locked < 0)
            _exit(2);
        if (!locked) {
            sched_yield();
            continue;
        }
        if (__atomic_exchange_n(owner, me, __ATOMIC_SEQ_CST))
            _exit(3);
        if (__atomic_exchange_n(owner, 0, __ATOMIC_SEQ_CST) != me)
            _exit(4);
        s->ops->unlock(s, stored_key);
        i++;
    }
    _exit(0);
}

static void removed_lock_files_lock_nobody_twice(void **state)
{
    pid_t pids[RACERS];
    int *owner = mmap(NULL, sizeof *owner, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_ptr_not_equal(owner, MAP_FAILED);
    for (int i = 0; i < RACERS; i++)
        if ((pids[i] = fork()) == 0)
            take_turns(owner, i + 1);
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    munmap(owner, sizeof *owner);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_lock_excludes_others),        STORED(lock_files_do_not_pile_up),
        STORED(a_lock_ends_with_its_process),  STORED(a_copy_of_the_process_keeps_no_lock),
        STORED(processes_do_not_lose_updates), STORED(removed_lock_files_lock_nobody_twice),
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
