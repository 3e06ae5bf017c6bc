"""Write the scripts for shells as a table in C: embed-completions.py FILE... OUTPUT.c, see src/cli/complete/complete.h."""

import json
import pathlib
import sys


def main():
    *files, output = map(pathlib.Path, sys.argv[1:])
    text = ['#include "cli/complete/complete.h"', "", "const struct mcti_complete_script mcti_complete_scripts[] = {"]
    for file in files:
        lines = file.read_text().splitlines(keepends=True)
        text += [f'    {{ "{file.suffix[1:]}",', *(f"      {json.dumps(line)}" for line in lines), "    },"]
    output.write_text("\n".join([*text, "    { 0 }", "};", ""]))


if __name__ == "__main__":
    main()
