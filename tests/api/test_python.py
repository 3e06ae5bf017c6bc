"""libmcptools from Python through ctypes: structs by hand, callbacks into Python, blocking calls. TAP.

Arguments: the shared library, the test server.
"""

import ctypes as c
import json
import sys

LIBRARY, TEST_SERVER = sys.argv[1:3]

ToolFn = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
FreeFn = c.CFUNCTYPE(None, c.c_void_p)
DoneFn = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
ProgressFn = c.CFUNCTYPE(None, c.c_void_p, c.c_double, c.c_double, c.c_char_p, c.c_void_p)


class Error(c.Structure):
    _fields_ = [("kind", c.c_int), ("code", c.c_int), ("http_status", c.c_int), ("unsent", c.c_bool),
                ("message", c.c_char * 512), ("server", c.c_char * 64), ("reserved", c.c_size_t * 32)]


class ToolDef(c.Structure):
    _fields_ = [("size", c.c_size_t)] + [(n, c.c_char_p) for n in (
        "name", "label", "description", "parameters", "output_schema", "annotations")] + [
        ("owner_only", c.c_bool), ("execute", ToolFn), ("data", c.c_void_p), ("free_data", FreeFn)]


class CallOpts(c.Structure):
    _fields_ = [("size", c.c_size_t), ("timeout_ms", c.c_uint), ("cancel", c.c_void_p), ("done", DoneFn),
                ("progress", ProgressFn), ("data", c.c_void_p)]


class Tool(c.Structure):
    _fields_ = [(n, c.c_char_p) for n in ("name", "label", "description", "parameters", "annotations", "output_schema",
                                          "server", "raw_name", "plugin", "definition")] + [("owner_only", c.c_bool)]


class Tools(c.Structure):
    _fields_ = [("n", c.c_size_t), ("v", c.POINTER(c.POINTER(Tool)))]


lib = c.CDLL(LIBRARY)
for name, result in {"mct_instance_new": c.c_void_p, "mct_instance_call": c.c_void_p, "mct_request_text": c.c_char_p,
                     "mct_request_result": c.c_char_p, "mct_tool_call_text_argument": c.c_char_p,
                     "mct_instance_tools": c.POINTER(Tools), "mct_request_error": c.POINTER(Error)}.items():
    getattr(lib, name).restype = result


def check(status, error):
    if status is None or status == -1:
        raise RuntimeError(error.message.decode())
    return status


class Instance:
    """What a Python binding would look like."""

    def __init__(self, configuration):
        self.error = Error()
        self.kept = []  # callbacks must live as long as the library may call them
        self.handle = c.c_void_p(check(lib.mct_instance_new(None, c.byref(self.error)), self.error))
        text = json.dumps(configuration).encode()
        check(lib.mct_instance_load_text(self.handle, text, c.byref(self.error)), self.error)

    def tool(self, function):
        def execute(call, _):
            call = c.c_void_p(call)
            try:
                text = lib.mct_tool_call_text_argument(call, b"text")
                lib.mct_tool_call_progress(call, c.c_double(1), c.c_double(1), b"in Python")
                lib.mct_tool_call_text(call, function(text.decode()).encode())
            except Exception as error:  # pylint: disable=broad-except
                lib.mct_tool_call_error(call, str(error).encode())
        callback = ToolFn(execute)
        self.kept.append(callback)
        definition = ToolDef(size=c.sizeof(ToolDef), name=function.__name__.encode(), description=function.__doc__.encode(),
                             execute=callback)
        check(lib.mct_instance_add_tool(self.handle, c.byref(definition), c.byref(self.error)), self.error)
        return function

    def start(self):
        check(lib.mct_instance_start(self.handle, c.byref(self.error)), self.error)
        check(lib.mct_instance_wait_ready(self.handle, 60000, c.byref(self.error)), self.error)

    def tools(self):
        tools = lib.mct_instance_tools(self.handle, c.byref(self.error))
        found = {tools.contents.v[i].contents.name.decode(): tools.contents.v[i].contents.label.decode()
                 for i in range(tools.contents.n)}
        lib.mct_tools_free(tools)
        return found

    def call(self, tool, arguments, progress=None):
        callback = ProgressFn(lambda q, done, total, message, _: progress and progress(done, total, message.decode()))
        opts = CallOpts(size=c.sizeof(CallOpts), progress=callback)
        request = c.c_void_p(check(lib.mct_instance_call(
            self.handle, tool.encode(), json.dumps(arguments).encode(), c.byref(opts), c.byref(self.error)), self.error))
        check(lib.mct_request_wait(request, c.byref(self.error)), self.error)
        text = check(lib.mct_request_text(request, c.byref(self.error)), self.error).decode()
        whole = json.loads(lib.mct_request_result(request))
        lib.mct_request_free(request)
        return text, whole

    def close(self):
        lib.mct_instance_close_wait(self.handle)


def run():
    instance = Instance({"mcpServers": {"s": {"command": TEST_SERVER, "args": ["--tools", "2"]}}})

    @instance.tool
    def shout(text):
        """Says it louder."""
        return text.upper()

    instance.start()
    seen = []
    tools = instance.tools()
    yield "own and servers' tools in one array", tools == {"shout": "shout", "tool0": "A tool", "tool1": "A tool"} or tools
    text, _ = instance.call("shout", {"text": "grüß"}, lambda *p: seen.append(p))
    yield "a tool written in Python", text == "GRÜSS" or text
    yield "its progress", seen == [(1.0, 1.0, "in Python")] or seen
    _, whole = instance.call("tool1", {"n": 7})
    yield "a server's tool, lossless", whole["structuredContent"]["arguments"] == {"n": 7} or whole
    _, whole = instance.call("shout", {})
    yield "an exception becomes the tool's error", whole["isError"] is True or whole
    try:
        instance.call("nothing", {})
        yield "an error with its text", False
    except RuntimeError as error:
        yield "an error with its text", "unknown tool: nothing" in str(error) or error
    instance.close()
    yield "closed", True


def main():
    failed = number = 0
    for number, (what, good) in enumerate(run(), 1):
        failed += good is not True
        print(f"{'ok' if good is True else 'not ok'} {number} - {what}" + ("" if good is True else f"\n# {good}"))
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


main()
