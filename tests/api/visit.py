"""A person's browser: opens a URL (the last argument) and follows it. With --stay it prints where it would be sent instead."""

import sys
import urllib.error
import urllib.request


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), *([Stay] if "--stay" in sys.argv else []))
try:
    opener.open(sys.argv[-1], timeout=30).read()
except urllib.error.HTTPError as answer:
    print(answer.headers.get("Location", ""), end="")
