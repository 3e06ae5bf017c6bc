/* The formats of configuration files. The first row that fits a file and one of its keys is used. */
#include "config/import/impl.h"

const struct mcti_config_format *const mcti_config_formats[] = {
    /* of certain files */
    &mcti_format_gemini,
    &mcti_format_cline,
    &mcti_format_copilot,
    &mcti_format_mcporter,
    &mcti_format_claude_code,
    &mcti_format_claude_desktop,
    &mcti_format_amazonq,
    &mcti_format_crush,
    &mcti_format_flat,
    /* of any file, by the key that has the servers */
    &mcti_format_continue,
    &mcti_format_goose,
    &mcti_format_nexo,
    &mcti_format_codex,
    &mcti_format_native,
    &mcti_format_servers,
    &mcti_format_mcp_servers,
    &mcti_format_opencode_next,
    &mcti_format_openclaw,
    &mcti_format_nested,
    &mcti_format_opencode,
    &mcti_format_zed,
    &mcti_format_amp,
    NULL,
};
