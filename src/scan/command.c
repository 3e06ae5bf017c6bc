/* Commands for a shell in what is said to the model. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { REVERSE, PIPE, CRADLE, ORDER, WIPE, CODED };

static const struct mcti_scan_rule rules[] = {
    [REVERSE] = { "command.reverse-shell", MCT_SCAN_HARD, "MCP05", "contains a shell for a remote machine",
                  "bash -i, nc -e, /dev/tcp", "Do not use the item.", .weight = 2 },
    [PIPE] = { "command.download", MCT_SCAN_SOFT, "MCP05", "contains a command that runs what it downloads",
               "curl/wget … | sh, powershell -enc", "Look who is to run it. A person reads a script first.",
               .weight = 1 },
    [CRADLE] = { "command.cradle", MCT_SCAN_HARD, "MCP05", "contains a command that runs a hidden download",
                 "powershell -enc, IEX + DownloadString, mshta URL, certutil -urlcache, exec(urlopen(…))",
                 "Do not use the item.", .weight = 2 },
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

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(ORDER), { M(CALL), M(PAYLOAD), M(MUST) | M(YOUR) | M(MODEL) | M(APPROVED) | M(COVERT) }, M(NEG) | M(DEFENCE),
      .words = 25, .spans = 1 },
    { R(PIPE), { M(READ), M(URL), M(CALL) }, M(NEG) | M(DEFENCE), .words = 14, .ordered = true },
    { R(ORDER), { M(READ), M(URL), M(PAYLOAD) }, M(NEG) | M(DEFENCE), .words = 14, .ordered = true },
    { R(WIPE), { M(MUST) | M(COVERT), M(PASS) | M(CALL), M(PAYLOAD) }, M(NEG), .words = 16 },
};
/* clang-format on */

static void command_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

static bool command_has(struct mcti_str s, const char *part)
{
    return memmem(s.p, s.len, part, strlen(part)) != NULL;
}

static bool command_has_nocase(struct mcti_str s, const char *part)
{
    struct mcti_str want = mcti_str_of(part);
    for (size_t i = 0; i + want.len <= s.len; i++)
        if (mcti_str_eq_nocase((struct mcti_str){ s.p + i, want.len }, want))
            return true;
    return false;
}

/* Signs of a command that runs a download out of sight: all of a row occur, in any case. Pages about software order
 * the `documented` ones of people, so in results they are soft. */
static const struct command_cradle {
    const char *parts[3];
    bool documented;
} cradles[] = {
    { { "powershell", " -enc" }, false },
    { { "pwsh", " -enc" }, false },
    { { "powershell", " -w hidden" }, false },
    { { "powershell", "windowstyle hidden" }, false },
    { { "powershell", " -e JAB" }, false },
    { { "powershell", " -ec " }, false },
    { { "iex", "downloadstring" }, true },
    { { "invoke-expression", "download" }, true },
    { { "iex", "invoke-webrequest" }, true },
    { { "iex", "iwr " }, true },
    { { "iex", "irm " }, true },
    { { "iex", "invoke-restmethod" }, true },
    { { "invoke-expression", "invoke-webrequest" }, true },
    { { "downloadfile(", "start-process" }, false },
    { { "mshta", "http" }, false },
    { { "mshta", "javascript:" }, false },
    { { "certutil", "-urlcache" }, false },
    { { "bitsadmin", "/transfer" }, false },
    { { "regsvr32", "/i:http" }, false },
    { { "rundll32", "javascript:" }, false },
    { { "exec(", "urlopen(" }, false },
    { { "exec(", "requests.get(" }, false },
    { { "eval(", "urlopen(" }, false },
    { { "os.system(", "curl " }, false },
};

/* Returns true if the line speaks about commands: it explains, looks for or refuses them. */
static bool command_is_topic(struct mcti_str line)
{
    static const char *const words[] = { "explain", "detect",      "refuse",  "reject", "block",
                                         "warns",   "flags",       "scan",    "risk",   "forbid",
                                         "denie",   "not allowed", "malware", "sample", "dropper" };
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (command_has_nocase(line, words[i]))
            return true;
    return false;
}

static void command_found(struct mcti_scan_run *run, int rule, struct mcti_str raw, struct mcti_str line, bool soft)
{
    struct mcti_scan_degree degree = { soft ? MCT_SCAN_SOFT : rules[rule].severity, soft ? 0 : rules[rule].weight };
    mcti_scan_found_at(run, R(rule), degree, raw, line);
}

static bool cradle_is_in(const struct command_cradle *cradle, struct mcti_str line)
{
    for (size_t i = 0; i < SCAN_COUNT(cradle->parts) && cradle->parts[i]; i++)
        if (!command_has_nocase(line, cradle->parts[i]))
            return false;
    return true;
}

static void command_cradle(struct mcti_scan_run *run, struct mcti_str raw, struct mcti_str line)
{
    for (size_t i = 0; i < SCAN_COUNT(cradles); i++)
        if (cradle_is_in(&cradles[i], line)) {
            bool soft = cradles[i].documented && run->what->kind == MCT_SCAN_RESULT;
            command_found(run, CRADLE, raw, line, soft || command_is_topic(line));
        }
}

/* A download that is made executable and started in the same line. */
static bool runs_download(struct mcti_str line)
{
    bool loads = command_has(line, "curl ") || command_has(line, "wget ");
    return loads && command_has(line, "chmod ") && command_has(line, "&& ");
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
        command_found(run, REVERSE, raw, line, command_is_topic(line));
    bool loads = command_has(line, "curl ") || command_has(line, "wget ") || command_has(line, "base64 -d") ||
                 command_has(line, "iwr ") || command_has(line, "DownloadString");
    if ((loads && pipes_into_shell(line)) || command_has(line, "bash <(curl") || command_has(line, "sh -c \"$(curl") ||
        command_has(line, "sh -c \"$(wget") || command_has(line, "bash <(wget") || command_has(line, "eval \"$(curl") ||
        command_has(line, "eval $(curl") || runs_download(line))
        mcti_scan_found(run, R(PIPE), raw, line);
    command_cradle(run, raw, line);
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
