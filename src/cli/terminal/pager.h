/*
 * Long output on a terminal is shown by a pager. Between mcti_pager_begin() and mcti_pager_end(), stdout is a file in
 * memory. At the end, output that fits the terminal is printed, and longer output is given to $PAGER, or less.
 */
#ifndef MCT_CLI_TERMINAL_PAGER_H
#define MCT_CLI_TERMINAL_PAGER_H

#include <stdbool.h>

/* Zero, or begun. */
struct mcti_terminal_pager {
    bool begun;
    int terminal; /* the stdout of before */
};

/* Begins to collect stdout, which must be a terminal. Does nothing if that is not possible, a pager is not wanted
 * ($PAGER is empty or `cat`), or the height of the terminal is unknown. */
void mcti_pager_begin(struct mcti_terminal_pager *p);

/* Shows what has been collected, and waits until the pager has ended. Does nothing if `p` has not begun. */
void mcti_pager_end(struct mcti_terminal_pager *p);

#endif
