/* Configuration text: any bytes are read to their end with problems told, never a crash or a leak. */
#include "config/config.h"
#include "config/expand.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_config c;
    struct mct_error err;
    char *text = mct_str_dup((struct mct_str){ (const char *)data, size });
    mct_config_init(&c);
    mct_config_read(&c, "fuzz.json", text, size);
    free(mct_expand_path(text, &err));
    mct_config_split(text, mct_config_add_server(&c, "adhoc"), &err);
    mct_config_done(&c);
    free(text);
    return 0;
}
