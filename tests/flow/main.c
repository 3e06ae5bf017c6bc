#include "run_flow.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: run-flow FILE.flow...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const char *wrong = flow_run(argv[i], NULL);
        if (wrong) {
            fprintf(stderr, "%s: %s\n", argv[i], wrong);
            return 2;
        }
    }
    return 0;
}
