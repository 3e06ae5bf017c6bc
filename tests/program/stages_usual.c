/* The table of the program under another name, for stages_more.c. */
#define mcti_stages mcti_usual_stages
#include "hub/call/stages.c"
