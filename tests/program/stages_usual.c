/* The table of the program under another name, for stages_more.c. */
#define mct_stages mct_usual_stages
#include "hub/call/stages.c"
