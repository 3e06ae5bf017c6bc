/* Commands for a shell in what is said to the model. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { REVERSE, PIPE, ORDER, WIPE, CODED };

static const struct mcti_scan_rule rules[] = {
    [REVERSE] = { "command.reverse-shell", MCT_SCAN_HARD, "MCP05", "contains a shell for a remote machine",
                  "bash -i, nc -e, /dev/tcp", "Do not use the item.", .weight = 2 },
    [PIPE] = { "command.download", MCT_SCAN_SOFT, "MCP05", "contains a command that runs what it downloads",
               "curl/wget … | sh, powershell -enc", "Look who is to run it. A person reads a script first.",
               .weight = 1 },
    [ORDER] = { "command.order", MCT_SCAN_HARD, "MCP05", "orders the model to run a dangerous command",
                "must/please/before + run + rm -rf, curl | sh … ; run + command + without asking",
                "Do not use the item.", .weight = 2 },
    [CODED] = { "command.encoded", MCT_SCAN_HARD, "MCP05", "has an encoded command for a shell",
                "base64 or hexadecimal of curl, wget, chmod +x, rm -rf, /bin/sh …", "Do not use the item.",
                .weight = 2 },
    [WIPE] = { "command.appended", MCT_SCAN_HARD, "MCP05", "makes the model append a command to an argument",
               "always append + ; or | + command", "Do not use the item.", .weight = 2 },
};

#define R(name) &rules[name]

static const struct mcti_scan_pattern patterns[] = {
    { R(ORDER),
      { M(RUN) | M(CALL), M(PAYLOAD), M(MUST) | M(BEFORE) | M(YOUR) | M(MODEL) | M(APPROVED) | M(COVERT) },
      M(NEG),
      .words = 25,
      .spans = 1 },
    { R(WIPE), { M(MUST) | M(COVERT), M(PASS) | M(RUN), M(PAYLOAD) }, M(NEG), .words = 16 },
};

static void command_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

static bool command_has(struct mcti_str s, const char *part)
{
    return memmem(s.p, s.len, part, strlen(part)) != NULL;
}

/* A pipe into a shell, in a line that downloads or decodes something. */
static bool pipes_into_shell(struct mcti_str line)
{
    static const struct mcti_str shells[] = { MCT_STR("sh"),   MCT_STR("bash"), MCT_STR("zsh"),     MCT_STR("python"),
                                              MCT_STR("sudo"), MCT_STR("iex"),  MCT_STR("python3"), MCT_STR("node") };
    const char *end = line.p + line.len;
    for (const char *bar = memchr(line.p, '|', line.len); bar; bar = memchr(bar + 1, '|', (size_t)(end - bar - 1))) {
        const char *word = bar + 1;
        while (word < end && *word == ' ')
            word++;
        size_t n = 0;
        while (word + n < end && mcti_scan_is_word((unsigned char)word[n]))
            n++;
        for (size_t i = 0; i < SCAN_COUNT(shells); i++)
            if (mcti_str_eq((struct mcti_str){ word, n }, shells[i]))
                return true;
    }
    return false;
}

static void command_line(struct mcti_scan_run *run, struct mcti_str raw, struct mcti_str line)
{
    bool shell = command_has(line, "bash -i") || command_has(line, "sh -i") || command_has(line, "nc -e") ||
                 command_has(line, "nc -c") || command_has(line, "ncat ");
    if (command_has(line, "/dev/tcp/") || (shell && (command_has(line, ">&") || command_has(line, "-e /bin"))))
        mcti_scan_found(run, R(REVERSE), raw, line);
    bool loads = command_has(line, "curl ") || command_has(line, "wget ") || command_has(line, "base64 -d") ||
                 command_has(line, "iwr ") || command_has(line, "DownloadString");
    if ((loads && pipes_into_shell(line)) || command_has(line, "powershell -enc") || command_has(line, "bash <(curl") ||
        command_has(line, "sh -c \"$(curl"))
        mcti_scan_found(run, R(PIPE), raw, line);
}

/* Commands that nobody has a reason to encode. */
static void command_encoded(struct mcti_scan_run *run, struct mcti_str raw)
{
    static const char *const commands[] = { "curl ",   "wget ",       "chmod +x", "rm -rf", "/bin/sh", "/bin/bash",
                                            "bash -c", "powershell ", "nc -",     "| sh",   "|sh",     "mkfifo " };
    for (size_t i = 0; i < SCAN_COUNT(commands); i++)
        if (command_has(raw, commands[i]))
            mcti_scan_found(run, R(CODED), raw, raw);
}

static void command_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    struct mcti_str line, rest = raw;
    if (run->via && (!strcmp(run->via, "base64") || !strcmp(run->via, "hexadecimal")))
        command_encoded(run, raw);
    while (mcti_str_split(&rest, '\n', &line))
        if (line.len)
            command_line(run, raw, line);
}

const struct mcti_scan_family mcti_scan_command = { rules, SCAN_COUNT(rules), command_raw, command_words };
