/* The languages in which the line protocol speaks: its own, Chinese, and English. Only the first line differs. */
#ifndef MCT_RESOURCES_LINES_LANGUAGE_H
#define MCT_RESOURCES_LINES_LANGUAGE_H

#include "base/buf.h"

enum mcti_language {
    MCT_LANGUAGE_UNSET, /* as the place says: Chinese for a tool, by the locale for a command */
    MCT_CHINESE,
    MCT_ENGLISH
};

extern const struct mcti_word mcti_language_words[]; /* "zh", "en" */

/* Returns the language of a locale ("zh_CN.UTF-8", "en", "C.UTF-8"). A locale without a language ("C", "POSIX", "",
 * NULL) has that of the protocol. */
enum mcti_language mcti_language_of_locale(const char *locale);

enum mcti_phrase {
    MCT_SAY_READ,
    MCT_SAY_CUT,
    MCT_SAY_READ_LATE,
    MCT_SAY_LIST_LATE,
    MCT_SAY_CONNECTION,
    MCT_SAY_TIMEOUT,
    MCT_SAY_NOT_FOUND,
    MCT_SAY_DENIED,
    MCT_SAY_INVALID_URI,
    MCT_SAY_SERVER,
    MCT_SAY_REQUEST,
    MCT_SAY_CANCELLED,
    MCT_SAY_INTERNAL,
    MCT_SAY_N
};

const char *mcti_phrase(enum mcti_phrase phrase, enum mcti_language language);

/* Appends the summary of a list. */
void mcti_phrase_put_list(struct mcti_buf *to, enum mcti_language language, uint64_t n_servers, uint64_t n_resources);

#endif
