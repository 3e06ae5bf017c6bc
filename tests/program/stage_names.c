/* Prints the names of the stages, one a line, in the order of the table. */
#include "hub/call/stages.h"

#include <stdio.h>

int main(void)
{
    for (const struct mcti_stage_ops *stage = mcti_stages; stage->name; stage++)
        puts(stage->name);
    return 0;
}
