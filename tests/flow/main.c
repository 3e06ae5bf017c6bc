#include "run_flow.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: run-flow FILE.flow\n");
        return 2;
    }
    return flow_run(argv[1], NULL) ? 2 : 0;
}
