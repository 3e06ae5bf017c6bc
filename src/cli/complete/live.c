/* Values that only the server of a running gateway knows. */
#include "cli/complete/impl.h"

void mcti_complete_prompt_values(struct complete *c, const char *server, struct mcti_str prompt, struct mcti_str key)
{
    (void)c, (void)server, (void)prompt, (void)key;
}
