/*
 * Completion of command lines. The scripts of the shells call `mcptools __complete [--shell NAME] [--last WORD] --
 * WORD… CURRENT`, which prints a line for each candidate, `CANDIDATE<TAB>DESCRIPTION`, and `:N` at the end: a sum of 2
 * (no blank follows), 4 (no names of files are wanted) and 16 (only folders are). This is the protocol of Cobra.
 *
 * Completion starts no server and writes nothing but its answer; whatever goes wrong, it answers with fewer candidates.
 */
#ifndef MCT_CLI_COMPLETE_COMPLETE_H
#define MCT_CLI_COMPLETE_COMPLETE_H

/* A script that makes a shell complete the command lines of mcptools. */
struct mcti_complete_script {
    const char *shell; /* NULL: the end of the table */
    const char *text;
};

extern const struct mcti_complete_script mcti_complete_scripts[]; /* made of the files in share/completions/ */

#endif
