#include "cli/terminal/pager.h"

#include "cli/terminal/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *pager_program(void)
{
    const char *program = getenv("PAGER");
    return program ? program : "less";
}

static unsigned terminal_rows(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void mcti_pager_begin(struct mcti_terminal_pager *p)
{
    const char *program = pager_program();
    if (p->begun || !*program || !strcmp(program, "cat") || !terminal_rows(STDOUT_FILENO))
        return;
    int file = memfd_create("mcptools", MFD_CLOEXEC);
    int terminal = file < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    fflush(stdout);
    if (terminal >= 0 && dup2(file, STDOUT_FILENO) >= 0)
        *p = (struct mcti_terminal_pager){ .begun = true, .terminal = terminal };
    else if (terminal >= 0)
        close(terminal);
    if (file >= 0)
        close(file);
}

/* Returns true if the text, without its escape sequences for colours, fits a terminal with a line to spare. */
static bool pager_fits(struct mcti_str text, unsigned rows, unsigned columns)
{
    struct mcti_str line;
    unsigned n = 0;
    while (n < rows && mcti_str_split(&text, '\n', &line)) {
        unsigned width = mcti_text_columns(line);
        for (size_t i = 0; i + 1 < line.len; i++)
            width -= line.p[i] == '\x1b' && width > 4 ? 4 : 0;
        n += width > columns ? (width + columns - 1) / columns : 1;
    }
    return n < rows;
}

static void pager_write(struct mcti_str text)
{
    while (text.len) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.len);
        if (n < 0 && errno != EINTR)
            return;
        text = n < 0 ? text : (struct mcti_str){ text.p + n, text.len - (size_t)n };
    }
}

/* Sets what pagers read: less shows colours, ends at once for a short text, and leaves the text on the screen. */
static void prepare_environment(void)
{
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
}

/* Starts the pager with stdin from `file`. Returns -1 if that fails. */
static pid_t pager_start(int file)
{
    char *argv[] = { (char *)"sh", (char *)"-c", (char *)pager_program(), NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid = -1;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, environ) != 0)
        pid = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* Runs the pager on `file`. Returns false if it could not be started. */
static bool pager_run(int file)
{
    enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    int status = 0;
    lseek(file, 0, SEEK_SET);
    prepare_environment();
    sigaction(SIGINT, &ignore, &interrupt); /* Ctrl-C is for the pager */
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t pid = pager_start(file);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    bool missing = WIFEXITED(status) && (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == NOT_EXECUTABLE);
    return pid > 0 && !missing;
}

void mcti_pager_end(struct mcti_terminal_pager *p)
{
    if (!p->begun)
        return;
    fflush(stdout);
    off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
    int file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(p->terminal, STDOUT_FILENO);
    close(p->terminal);
    p->begun = false;
    void *map = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (map != MAP_FAILED) {
        struct mcti_str text = { map, (size_t)size };
        unsigned rows = terminal_rows(STDOUT_FILENO), columns = mcti_terminal_columns(STDOUT_FILENO);
        if (pager_fits(text, rows, columns) || !pager_run(file))
            pager_write(text);
        munmap(map, (size_t)size);
    }
    close(file);
}
