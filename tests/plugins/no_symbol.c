/* A shared object that is no plugin. */
int mcptools_plug;
