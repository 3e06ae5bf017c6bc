#include "cpu_time.h"

#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "text.h"

/* Returns the number of ns the task was on a CPU, 0 when it cannot be read. */
static uint64_t task_cpu_ns(pid_t pid, const char *task)
{
    char path[64];
    uint64_t ns = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%.10s/schedstat", (int)pid, task);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64, &ns) != 1)
        ns = 0;
    fclose(file);
    return ns;
}

static uint64_t schedstat_cpu_ns(pid_t pid)
{
    char path[64];
    const struct dirent *entry;
    uint64_t sum = 0;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        err(CANNOT_RUN, "%s", path);
    while ((entry = readdir(tasks)) != NULL)
        if (entry->d_name[0] != '.')
            sum += task_cpu_ns(pid, entry->d_name);
    closedir(tasks);
    return sum;
}

/* Counts in clock ticks, usually of 10 ms. */
static uint64_t stat_cpu_ns(pid_t pid)
{
    char path[64];
    uint64_t user, system;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        err(CANNOT_RUN, "%s", path);
    int fields = fscanf(file,
                        "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
                        " %" SCNu64 " %" SCNu64,
                        &user, &system);
    fclose(file);
    if (fields != 2)
        errx(CANNOT_RUN, "%s: not understood", path);
    return (user + system) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

uint64_t process_cpu_ns(pid_t pid)
{
    uint64_t ns = schedstat_cpu_ns(pid);

    /* A kernel without scheduler statistics shows zeros there. */
    return ns ? ns : stat_cpu_ns(pid);
}
