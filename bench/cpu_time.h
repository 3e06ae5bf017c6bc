#ifndef BENCH_CPU_TIME_H
#define BENCH_CPU_TIME_H

#include <stdint.h>
#include <sys/types.h>

/* Returns the CPU time of the process's present threads. Ends the program
 * when there is no such process. */
uint64_t process_cpu_ns(pid_t pid);

#endif
