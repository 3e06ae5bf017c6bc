#include "auth/grant/grant.h"

const struct mcti_grant_ops *const mcti_grants[] = {
    &mcti_grant_code,       &mcti_grant_device,   &mcti_grant_client_credentials,
    &mcti_grant_enterprise, &mcti_grant_workload, NULL,
};

const struct mcti_grant_ops *mcti_grant_find(const char *word)
{
    for (size_t i = 0; word && mcti_grants[i]; i++)
        if (!strcmp(word, mcti_grants[i]->word))
            return mcti_grants[i];
    return word ? NULL : &mcti_grant_code;
}
