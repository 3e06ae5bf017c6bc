"""The readers of TOML and YAML against those of Python, and what they say of mistakes. TAP.

Argument: the program notation-json."""

import json
import math
import subprocess
import sys
import tomllib

try:
    import yaml
except ImportError:  # only a second opinion
    yaml = None

PROGRAM = sys.argv[1]

TOML_GOOD = [
    "", "# only a comment", "a = 1", "a = 1 # c\r\nb = 2\r\n", "\ufeffa = 1", "a.b.c = 1\na.b.d = 2", '"a b".\'c.d\' = 1', "a . b = 1",
    "1234 = 1\n1.2 = 3", "a = -17\nb = +99\nc = 1_000\nd = 0xDEAD_beef\ne = 0o755\nf = 0b1101\ng = 0",
    "a = 1.5\nb = -0.01\nc = 5e+22\nd = 1e06\ne = -2E-2\nf = 6.626e-34\ng = 224_617.445_991", 'a = "x\\ty\\u00e9\\U0001F600\\\\\\""',
    'a = ""', "a = ''", "a = 'C:\\\\x\\n'", 'a = """\nRoses\nred"""', 'a = """\\\n   x \\\n\n   y"""', 'a = """a ""quoted"" text"""',
    'a = """"quoted""""', "a = ''''That's still pointless', she said.'''", 'a = """""two"""', "a = true\nb = false",
    "a = [1, 2, 3]\nb = ['a', \"b\"]\nc = [[1], ['x']]\nd = []", "a = [\n  1, # one\n\n  2,\n]", "a = { x = 1, y.z = 'b', 'q r' = [1] }\nb = {}",
    "[a]\nx = 1\n[b.c]\ny = 2\n[b]\nz = 3", "[ a . 'b c' ]\nx=1", "[a.b]\nx=1\n[a]\ny=2\n[a.c]\nz=3", "[[a]]\nx=1\n[[a]]\ny=2\n[a.b]\nz=3",
    "[[a]]\n[[a.b]]\nx=1\n[[a.b]]\nx=2\n[[a]]", "[fruit]\napple.color='red'\napple.taste.sweet=true\n[fruit.apple.texture]\nsmooth=true",
    "[a.b.c]\nx=1\n[a]\nb.y=2", "a = 'tab\there'", "x = [{a=1},{a=2}]", "[mcp_servers.fs]\ncommand = 'npx'\nargs = ['-y', \"x\"]\nenv = { K = \"v\" }",
]
TOML_BAD = [
    "a", "a =", "= 1", "a = 1 b = 2", "a = 1\na = 2", "[a]\n[a]", "a = 1\n[a]", "[a]\nb = 1\n[a.b]", "a.b = 1\na.b.c = 2", "[a\nx=1", "[[a]\nx=1",
    "[a]]\n", "a = 01", "a = 1__0", "a = _1", "a = 1_", "a = 1.", "a = .5", "a = 1.e3", "a = 0x", "a = -0x1", "a = 0xg", "a = tru", "a = True",
    'a = "x', 'a = "x\ny"', 'a = "\\q"', 'a = "\\u12"', 'a = "\\ud800"', 'a = "\\U00110000"', "a = 'x", 'a = """x', "a = '''x", "a = [1 2]", "a = [1,,2]",
    "a = [1", "a = { x = 1, }", "a = { x = 1\n}", "a = { x = 1, x = 2 }", "a = {x.y=1}\na.x.z=2", "a = {}\n[a.b]", "a = []\n[[a]]", "[[a]]\n[a]", "[a]\n[[a]]",
    "[a.b.c]\nz=9\n[a]\nb.c.t=1", "a.b=1\n[a]\nc=2", "a = \"x\x00y\"", "a = \"x\x1fy\"", "a = 1 # \x07", "a = 'x\ry'", "\"\"\"a\"\"\" = 1", "[]", "[a.]", "a.=1", ".a=1",
    "a = 1979-13-01", "a = 1979-02-30", "a = 25:00:00", "a = 1979-05-27T", "a = 12:3", "a = inf1", "a = {a=1", "é = 1", "a = [1]]", "[a] x = 1", "a = 1]",
    "x = [{a=1}]\n[[x]]", "x = [{a=1}]\n[x.a]", "a = 1_000_", "a = +0b1", "a = 1e", "a = 1e1.5",
]
TOML_DATES = ["1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00-08:00", "1979-05-27T00:32:00.999999", "07:32:00", "2024-02-29", "07:32:00.5", "inf", "-inf", "+nan"]

YAML_GOOD = [
    "a: 1\nb: -2\nc: 1.5\nd: 1.0e+3\ne: 0", "a: true\nb: False\nc: null\nd: ~\ne:\nf: ''", "a: yes please\nb: 'yes'\nc: \"x\\ty\"", "- 1\n- [a, b]\n- {c: d}",
    "a: |\n  x\n  y\nb: >-\n  x\n  y\n", "a: &x\n  b: 1\nc: *x\nd: [*x, *x]", "%YAML 1.2\n---\na: 1\n...\n", "\ufeffa: 1", "a: 1\r\nb: 2\r\n", "a: 'it''s'", "a: x # c\n# d\nb: y",
    "? a\n: 1", "\"a b\": 1\n1: 2", "a: !!str 1", "url: http://x/y#z", "cmd: ${A:-b}", "{a: [1, {b: c}], d: 'e'}", "a:\n- 1\n- 2", "---\na: b",
]
YAML_OWN = [  # where Python's reader knows YAML 1.1 only
    ("a: yes\nb: on\nc: off", '{"a":"yes","b":"on","c":"off"}'), ("a: 1e3", '{"a":1e3}'), ("a: 2024-01-01", '{"a":"2024-01-01"}'), ("a: 007", '{"a":"007"}'),
    ("a: 1_000", '{"a":"1_000"}'), ("a: +12", '{"a":12}'), ("a: 12:30", '{"a":"12:30"}'), ("", "null"), ("# nothing", "null"), ("a: .inf", '{"a":".inf"}'),
    ("a: !!int 7\nb: ! 7", '{"a":7,"b":"7"}'), ("a: 0x10", '{"a":"0x10"}'),
]
JSON5 = [
    ("{a: 1, 'b': \"c\", /* d */ e: [1, 2,], // f\n}", '{"a":1,"b":"c","e":[1,2]}'), ("{a: +1, b: -.5, c: 5., d: 0x1F, e: 1e-3, f: Infinity, g: NaN, h: -Infinity}",
     '{"a":1,"b":-0.5,"c":5,"d":31,"e":1e-3,"f":"Infinity","g":"NaN","h":"-Infinity"}'), ("'it\\'s \\x41\\u00e9\\\n!'", '"it\'s Aé!"'), ("\ufeff[null, true]", "[null,true]"),
    ("{$a_1: 'x\\0y'}", '{"$a_1":"x\\u0000y"}'), ("'\\ud83d\\ude00'", '"😀"'), ("{ключ: 1}", '{"ключ":1}'),
]
WRONG = [  # file, text, what is said
    (".yaml", "a:\n\tb: 1", "tabs cannot indent YAML: use spaces"),
    (".yaml", "é: 1\n  \tb: 1\n", "tabs cannot indent"), (".yaml", "a: 1\na: 2", '2:0: duplicate key "a", which line 1 has already; remove one'),
    (".yaml", "a: [1", "not valid YAML"), (".yaml", "a: *b", "1:4: this alias names no anchor"), (".yaml", "b: &x {c: 1}\na:\n  <<: *x", "3:3: merge keys"), (".yaml", "a: 1\n---\nb: 2", "2:1: the file has more than one document"),
    (".yaml", "a: !foo 1", "1:4: this tag is not supported"), (".yaml", "[a]: 1", "a key must be a string"), (".yaml", "a: &x [*x]", "nested deeper than 64 levels"),
    (".yaml", "a: " + "[" * 100 + "]" * 100, "nested too deep"), (".yaml", b"a: \xff", "not valid YAML"), (".yaml", "%TAG !a! x\n" * 100, 'too many lines begin with "%"'),
    (".yaml", "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)), "aliases expand to more than 100000 values"),
    (".yaml", "a: " + "x" * (2 << 20), "the file is larger than 1024 KiB"), (".yaml", "a: 'x", "not valid YAML"), (".yaml", "a: - b", "1:4: not valid YAML"), (".yml", "- a\nb: 1", "2:1: not valid YAML"),
    (".toml", "a = 1\n\nb = 'x", "3:7: not valid TOML: the string does not end"), (".toml", "[a]\nx=1\n\n[a]\n", "4:0: not valid TOML: the table was defined before, on line 1"),
    (".toml", "a = 1\na = 2", '2:0: duplicate key "a", which line 1 has already'), (".toml", b"a = '\xff'", "1:0: the text is not valid UTF-8"),
    (".toml", "a = " + "[" * 100, "nested too deep"), (".toml", ".".join(["a"] * 100) + " = 1", "too many parts"), (".toml", "[" + ".".join(["a"] * 100) + "]", "too many parts"),
    (".toml", "a = npx", "1:5: not valid TOML: unknown value; strings need quotes"), (".toml", 'a = "C:\\x"', "single quotes"), (".toml", "a = 0xfffffffffffffffff", "unknown value"),
    (".json5", "{a: b}", "unknown value"), (".json5", "{a: 1", '"," or "}" is missing'), (".json5", "{a: 1} x", "the text must end here"), (".json5", "{a: 01}", "unknown value"),
    (".json5", "{a: 'x\n'}", "1:7: not valid JSON5: the string does not end on its line"), (".json5", "/* x", "the comment does not end"), (".json5", "[" * 100, "nested too deep"), (".json5", "{a:1,a:2}", "duplicate key"),
    (".json5", "", "a value is missing"), (".json5", "'\\ud800'", "half of a surrogate pair"), (".json5", "'\\x4'", "too few"), (".json5", "'a", "does not end"), (".json5", "{: 1}", "a key is missing"), (".json5", "{a 1}", '":" is missing'),
]


def read(ending, text):
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([PROGRAM, "x" + ending], input=data, capture_output=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        return done.returncode, done.stderr.decode(errors="replace")
    return done.returncode, done.stdout.decode().rstrip("\n")


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a) or (
            isinstance(b, dict) and sorted(a) == sorted(b) and all(same(a[k], b[k]) for k in a))
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def compares(ending, text, wanted):
    status, out = read(ending, text)
    return "" if status == 0 and same(wanted, json.loads(out)) else f"{out!r}, not {wanted!r}"


def toml_is_refused(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        status, out = read(".toml", text)
        return "" if status == 1 and out[0].isdigit() else f"accepted: {out}"
    return "Python accepts it"


def toml_date(text):
    tomllib.loads(f"a = {text}")
    return compares(".toml", f"a = {text}", {"a": text})


def says(ending, text, wanted):
    status, out = read(ending, text)
    return "" if status == 1 and wanted in out else out[:300]


def any_of(cases):
    return next((f"{case[0]!r}: {why}" for case, why in cases if why), "")


CHECKS = {
    "TOML is read as Python reads it": lambda: any_of(((t,), compares(".toml", t, tomllib.loads(t.removeprefix("\ufeff").replace("\r\n", "\n")))) for t in TOML_GOOD),
    "what Python refuses of TOML is refused": lambda: any_of(((t,), toml_is_refused(t)) for t in TOML_BAD),
    "dates and special numbers of TOML become strings": lambda: any_of(((t,), toml_date(t)) for t in TOML_DATES),
    "YAML is read as Python reads it": lambda: any_of(((t,), compares(".yaml", t, json.loads(json.dumps(yaml.safe_load(t))))) for t in YAML_GOOD) if yaml else "",
    "plain scalars have the types of YAML 1.2": lambda: any_of(((t,), "" if read(".yml", t) == (0, w) else read(".yml", t)) for t, w in YAML_OWN),
    "JSON5 is read": lambda: any_of(((t,), "" if read(".json5", t) == (0, w) else read(".json5", t)) for t, w in JSON5),
    "mistakes name their place": lambda: any_of(((t[:60] if isinstance(t, str) else t,), says(f, t, w)) for f, t, w in WRONG),
}


def main():
    failed = 0
    print(f"1..{len(CHECKS)}")
    for number, (name, check) in enumerate(CHECKS.items(), 1):
        why = check()
        failed += bool(why)
        print(f"{'not ok' if why else 'ok'} {number} - {name}" + (f"\n# {why}" if why else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
