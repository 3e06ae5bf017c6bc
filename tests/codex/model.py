"""A model on loopback that speaks as much of the Responses API as Codex needs: it calls the given tools one after the
other, and keeps what each was answered with."""

import http.server
import json
import threading


class Model:
    """`calls` are pairs of a tool and its arguments; `outputs` are filled in their order."""

    def __init__(self, calls):
        self.calls = calls
        self.outputs = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args):  # pylint: disable=arguments-differ
                pass

            def send(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.send(404, "text/plain", b"")

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send(200, "text/event-stream", model.turn(request).encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def turn(self, request):
        self.outputs = [item["output"] for item in request["input"] if item["type"] == "function_call_output"]
        n = len(self.outputs)
        if n < len(self.calls):
            tool, arguments = self.calls[n]
            item = {"type": "function_call", "call_id": f"call-{n}", "name": tool, "arguments": arguments}
        else:
            item = {"type": "message", "role": "assistant", "id": "last",
                    "content": [{"type": "output_text", "text": "done"}]}
        used = {"input_tokens": 0, "input_tokens_details": None, "output_tokens": 0, "output_tokens_details": None,
                "total_tokens": 0}
        events = [{"type": "response.created", "response": {"id": f"turn-{n}"}},
                  {"type": "response.output_item.done", "item": item},
                  {"type": "response.completed", "response": {"id": f"turn-{n}", "usage": used}}]
        return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
