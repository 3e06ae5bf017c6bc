"""Keep the list of everything src/ says to people, tests/golden/messages.txt, so that a change of words is seen in review.

    python3 tools/check-messages.py           compares; fails with a diff
    python3 tools/check-messages.py --write   writes the list anew

The list has a line `FILE: MESSAGE` for each string literal (adjacent ones joined, escapes as in C) that a function whose name ends in one of
SAYING gets, and for every other literal that reads like words: tables of hints, usage texts, returned reasons.

RIDDLES are forms that no message has: a message says what happened, where, and what to do."""

import difflib
import pathlib
import re
import sys

import tree

TOP = pathlib.Path(__file__).resolve().parent.parent
LIST = "tests/golden/messages.txt"

SAYING = {  # last words of names of functions and macros: every literal with a letter in it
    "bad", "cannot", "drop", "err", "error", "fail", "fprintf", "fputs", "invalid", "log", "mismatch", "mistake", "out", "problem",
    "printf", "puts", "refuse", "say", "stop", "styled", "value", "warn", "wrap",
}
WRITING = {"mcti_buf_printf", "mcti_buf_printf", "snprintf"}  # of protocols as well as to people: what reads like words
SILENT = {"_Static_assert", "fopen", "getenv", "open", "opendir", "sscanf", "strchr", "strcspn", "strftime", "strspn", "strstr", "sized_copy"}
DATA = {"src/scan/words/english.c", "src/scan/words/english_more.c", "src/scan/words/other.c", "src/scan/words/world.c"}  # words that are searched for
TRANSPARENT = {"MCT_STR", "str_of"}  # what stands around them counts

RIDDLES = [
    r"\bthere is no form of\b", r"\b(?:is|are|has|have) none\b", r"\bwho(?:m)?ever\b", r"\bthat which\b", r"\bof which\b", r"\bit is told\b",
    r"\b(?:is|are) to be\b", r"\b(?:is|are|stands?) there twice\b", r"\bnobody\b", r"\bwho (?:asks|comes|calls)\b",
    r"\btells? of\b", r"^what is\b", r"\bmust be said\b",
]

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\s+|.', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:include|error|if|elif|pragma)[^\n]*", re.MULTILINE)
FORMAT = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]")


def literals(text):
    """(names of the calls around it, outermost first; text) of each string literal, adjacent ones as one."""
    around, before, joined = [], "", None
    for token in TOKEN.findall(DIRECTIVE.sub("", text)):
        if token.isspace() or token.startswith(("/*", "//")):
            continue
        if token[0] == '"':
            joined = (joined or "") + token[1:-1]
            continue
        if joined is not None:
            if re.fullmatch(r"[A-Z_][A-Z0-9_]*[a-zA-Z0-9]*", token):  # PRIu64, or a macro that is a literal
                joined += f"<{token}>"
                continue
            yield [*around], joined
            joined = None
        if token in "([{":
            around.append(before if token == "(" and re.match(r"\w", before) else token)
        elif token in ")]}" and around:
            around.pop()
        before = token


def stem(name):
    return re.sub(r"^mcti?_", "", name)


def is_words(text):
    """Two words with a blank between them; no JSON, no HTTP."""
    plain = FORMAT.sub("%", text)
    return bool(re.search(r"[A-Za-z][a-z']+[,:;)]? \(?[a-z]{2}", plain)) and not re.match(r'\s*(?:[{\[,}\]]|\\")', plain) and '\\":' not in plain


def is_said(around, text):
    caller = next((name for name in reversed(around) if name not in "([" and stem(name) not in TRANSPARENT), "{")
    if not re.search(r"[A-Za-z]{2}", FORMAT.sub("", text)) or stem(caller) in SILENT:
        return False
    return stem(caller).lower().split("_")[-1] in SAYING and caller not in WRITING and '\\":' not in text or is_words(text)


def messages(top):
    for path in tree.files_below(top / "src"):
        name = path.relative_to(top).as_posix()
        if path.suffix in (".c", ".h") and name not in DATA:
            yield from sorted({f"{name}: {text}" for around, text in literals(path.read_text()) if is_said(around, text)})


def text_of(line):
    return line.split(": ", 1)[1]


def is_riddle(text):
    return any(re.search(riddle, text, re.IGNORECASE) for riddle in RIDDLES)


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines))


def main(top, wants_write):
    said = list(messages(top))
    if wants_write:
        write(top / LIST, said)
    changed = list(difflib.unified_diff(lines_of(top / LIST), said, LIST, "src", n=0, lineterm=""))
    riddles = [line for line in said if is_riddle(text_of(line))]
    print("\n".join(changed + [f"a riddle: {line}" for line in riddles]
                    + ["To write the list anew: python3 tools/check-messages.py --write"] * bool(changed))
          or f"messages: {len(said)}")
    return 1 if changed or riddles else 0


if __name__ == "__main__":
    folders = [a for a in sys.argv[1:] if a != "--write"]
    sys.exit(main(pathlib.Path(folders[0]).resolve() if folders else TOP, "--write" in sys.argv))
