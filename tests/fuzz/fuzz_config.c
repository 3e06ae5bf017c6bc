/* Configuration text: any bytes are read to their end with problems told, never a crash or a leak. */
#include "config/import/import.h"
#include "config/expand/expand.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_config c;
    struct mct_error err;
    char *text = mcti_str_dup((struct mcti_str){ (const char *)data, size });
    mcti_config_init(&c);
    mcti_config_read(&c, "fuzz.json", text, size);
    if (!strstr(text, "{cmd:") && !strstr(text, "{file:")) /* no programs, no files that wait */
        free(mcti_expand_path(text, &err));
    mcti_config_split(text, mcti_config_add_server(&c, "adhoc"), &err);
    mcti_config_done(&c);
    free(text);
    return 0;
}
