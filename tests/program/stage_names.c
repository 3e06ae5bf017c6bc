/* Prints the names of the stages, one a line, in the order of the table. */
#include "hub/call/stages.h"

#include <stdio.h>

int main(void)
{
    for (const struct mct_stage_ops *stage = mct_stages; stage->name; stage++)
        puts(stage->name);
    return 0;
}
