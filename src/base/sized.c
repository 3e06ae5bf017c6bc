#include "base/sized.h"

int mcti_sized_copy(void *ret, size_t size, const void *given, const char *what, struct mct_error *err)
{
    const char *bytes = given;
    size_t given_size = size;
    memset(ret, 0, size);
    if (!given)
        return 0;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size <= sizeof given_size)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: .size is not set; set it to sizeof(%s)", what, what);
    for (size_t i = size; i < given_size; i++)
        if (bytes[i])
            return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                             "%s: a member is set that this version of libmcptools (" MCT_VERSION ") does not support",
                             what);
    memcpy(ret, given, given_size < size ? given_size : size);
    return 0;
}
