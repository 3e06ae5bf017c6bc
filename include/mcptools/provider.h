/* Between tools and model providers: schemas, arrays of tools, calls, and results in the forms they take. Pure functions. */
#ifndef MCPTOOLS_PROVIDER_H
#define MCPTOOLS_PROVIDER_H

#include <mcptools/lists.h>

MCT_BEGIN_DECLS

/* A JSON Schema as a provider takes it (docs/SCHEMAS.md): "none", "openclaw", "gemini", "openai", "openai-strict",
 * "anthropic", "xai", "deepseek", "llamacpp". To be freed with mct_free(); NULL with *err. */
MCT_API char *mct_schema_for(const char *profile, const char *schema, struct mct_error *err);

/* Arguments that a model made for the normalised schema, as the tool with the original `schema` takes them. */
MCT_API char *mct_arguments_from(const char *profile, const char *schema, const char *arguments, struct mct_error *err);

/* The content of a CallToolResult, degraded (seed 001 §7.5): as an array of text and image blocks, or as one text. */
MCT_API char *mct_degraded_content(const char *result, struct mct_error *err);
MCT_API char *mct_degraded_text(const char *result, struct mct_error *err);

MCT_END_DECLS

#endif
