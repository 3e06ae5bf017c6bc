/* Shared by the files of the command `agent`. */
#ifndef MCT_CLI_COMMANDS_AGENT_H
#define MCT_CLI_COMMANDS_AGENT_H

#include "cli/command.h"

/* Installs the sub-agent file into a project and returns the exit status. */
int mcti_agent_install(struct mcti_app *app);

/* Returns the language that the user has chosen, by option, configuration or locale. */
enum mcti_language mcti_agent_language(const struct mcti_app *app);

#endif
