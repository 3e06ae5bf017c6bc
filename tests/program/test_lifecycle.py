"""How servers start, stop and fail: what is said about it, slow starts, lazy servers, the catalogue on disk."""

import json

from harness import main, run, server, test, write_config


def shell(script, **more):
    return {"command": "sh", "args": ["-c", script], **more}


@test
def an_error_shows_the_stderr_that_explains_it(folder):
    """In list and call, below the error and harmless; not the lines of the attempt before, nor frames of a trace."""
    script = ("echo \"start $$\" >> starts; printf 'load\\033[2J\\n' >&2; echo 'Error: no module' >&2; echo \"of $(wc -l < starts)\" >&2;"
              "for i in 1 2 3 4 5 6 7 8 9; do echo \"    at frame $i\" >&2; done; exit 3")
    config = write_config(folder, {"a": shell(script), "b": server()})
    done = run(folder, "list", "--config", config)
    lines = done.stderr.splitlines()
    at = lines.index("mcptools: server 'a': it ended before it was ready: the process exited with status 3")
    assert lines[at + 1:at + 5] == ["    | load?[2J", "    | Error: no module", "    | of 2",
                                    "    (9 more lines: 'mcptools status a')"], done
    done = run(folder, "call", "a.x", "--config", config)
    assert done.returncode == 4 and "    | Error: no module\n" in done.stderr and "\033" not in done.stderr, done
    said = json.loads(run(folder, "list", "-o", "json", "--config", config).stdout)["errors"]
    assert [e["server"] for e in said] == ["a"] and said[0]["stderr"].startswith("load\033[2J\nError: no module\nof "), said


@test
def a_crash_in_a_call_shows_stderr(folder):
    config = write_config(folder, {"a": server("--stderr", 3)})
    done = run(folder, "call", "a.tool0", "crash:=true", "--config", config)
    assert done.returncode and "mcptools: server 'a': the process" in done.stderr, done
    assert "    | test-server: line 2\n" in done.stderr, done


main()
