/* Prints a text of stdin, in the notation that the argument names by a file ending, as JSON; or why it is invalid, with
 * exit status 1. For test_notation.py. */
#include "config/notation/document.h"

#include <stdio.h>

enum { MOST = 4 << 20 };

int main(int argc, char **argv)
{
    static char text[MOST];
    struct mcti_document d;
    struct mcti_notation_fault fault;
    size_t len = fread(text, 1, sizeof text, stdin);
    if (argc < 2)
        return 2;
    if (mcti_document_read(mcti_notation_of(argv[1]), (struct mcti_str){ text, len }, &d, &fault) < 0) {
        printf("%u:%u: %s\n", fault.line, fault.column, fault.why);
        return 1;
    }
    printf("%.*s\n", (int)d.len, d.json);
    mcti_document_done(&d);
    return 0;
}
