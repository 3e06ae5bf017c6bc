"""The calls that Codex and the dialect `codex` are compared on: servers, and for each call its name, its tool and its
arguments as the model writes them. A call whose answers differ names the reason, a key of REASONS, as a third value."""

LIST, TEMPLATES, READ = "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"

REASONS = {
    "method": "A failure begins with the method, also if the server is unknown. So did Codex before 0.169.",
    "start": "Instead of the types of Codex's libraries, the chain ends with the reason why the server did not start.",
    "ended": "The chain ends with the reason why the connection ended.",
    "shape": "The chain ends with what is wrong with the answer.",
    "missing": "A required argument that is missing or null is refused like a blank one. The message names it.",
    "syntax": "What is wrong with the JSON is said in the words of another parser. The position is the same.",
    "object": "The message names what is expected, not a type of Codex.",
    "cut": "Codex cuts results to the size that it allows its current model. Here nothing is lost.",
    "both": "A content with both text and blob keeps both; Codex drops the blob.",
    "number": "Numbers stay as the server wrote them; Codex writes a priority as a fraction.",
    "lenient": "An entry without a name is passed on. Codex drops all entries of its server.",
    "blank": "An empty nextCursor is the end of a list. Codex asks for another page with an empty cursor.",
    "announced": "A list of all servers asks those that announce resources, as MCP requires. A server that does not is "
                 "asked if it is named.",
    "left out": "A server that was connected before, or that is too slow, is named in `errors`. Codex leaves it out in silence.",
}

# Calls whose events differ: Codex reports none if no such server is configured.
NO_EVENT_IN_CODEX = "unknown server"


def read(server, uri):
    return (READ, '{"server":"%s","uri":"%s"}' % (server, uri))


# server.py knows the manners of each; the configuration has them in this order. "dead" ends at its start.
SCENES = {
    "many": {
        "servers": ["zeta", "pages", "Beta", "a-b", "empty", "plain", "sick", "loop", "dead", "texts"],
        "calls": {
            "all": (LIST, "{}"),
            "all, empty text": (LIST, ""),
            "all, white space": (LIST, " \n\t"),
            "all, null": (LIST, "null"),
            "all, blank members": (LIST, '{"server":" ","cursor":"\\t"}'),
            "all, null members": (LIST, '{"server":null,"cursor":null}'),
            "all, unknown member": (LIST, '{"max":3}'),
            "one": (LIST, '{"server":"zeta"}'),
            "one, trimmed": (LIST, '{"server":" zeta\\n"}'),
            "one, trimmed of all white space": (LIST, '{"server":"\\u00a0zeta\\u3000"}'),
            "one, empty": (LIST, '{"server":"empty"}'),
            "first page": (LIST, '{"server":"pages"}'),
            "second page": (LIST, '{"server":"pages","cursor":"second"}'),
            "third page": (LIST, '{"server":"pages","cursor":" thi/rd \\"✓ "}'),
            "unknown cursor": (LIST, '{"server":"pages","cursor":"none"}'),
            "cursor without server": (LIST, '{"cursor":"second"}'),
            "cursor without server, templates": (TEMPLATES, '{"cursor":"x","server":""}'),
            "a page of a list without end": (LIST, '{"server":"loop"}'),
            "unknown server": (LIST, '{"server":"nobody"}', "method"),
            "unknown server, quotes": (LIST, '{"server":"no\'bo\\"dy"}', "method"),
            "dead server": (LIST, '{"server":"dead"}', "start"),
            "server that refuses": (LIST, '{"server":"sick"}'),
            "server without resources": (LIST, '{"server":"plain"}'),
            "templates of all": (TEMPLATES, "{}"),
            "templates of one": (TEMPLATES, '{"server":"zeta"}'),
            "templates, with cursor": (TEMPLATES, '{"server":"pages"}'),
            "templates, none": (TEMPLATES, '{"server":"empty"}'),
            "templates, refused": (TEMPLATES, '{"server":"sick"}'),
            "templates, unknown server": (TEMPLATES, '{"server":"nobody"}', "method"),
            "templates, dead server": (TEMPLATES, '{"server":"dead"}', "start"),
            "templates, white space": (TEMPLATES, "\n"),
            "read text": read("texts", "t://text"),
            "read empty text": read("texts", "t://bare"),
            "read blob": read("texts", "t://blob"),
            "read several": read("texts", "t://several"),
            "read _meta of a content": read("texts", "t://meta"),
            "read _meta of the result": read("texts", "t://result-meta"),
            "read escapes": read("texts", "t://escapes"),
            "read null members": read("texts", "t://null"),
            "read no content": read("texts", "t://empty"),
            "read text and blob": (*read("texts", "t://both"), "both"),
            "read, another URI answered": read("texts", "t://other name"),
            "read, trimmed": (READ, '{"uri":" t://text\\t","server":"texts "}'),
            "read a long text": (*read("texts", "t://long"), "cut"),
            "read, answer without contents": (*read("texts", "t://no-contents"), "shape"),
            "not found, with data": read("texts", "e://data"),
            "not found": read("texts", "t://missing"),
            "refused": read("texts", "e://bare"),
            "refused, null data": read("texts", "e://null"),
            "refused, text data": read("texts", "e://text"),
            "refused, empty message": read("texts", "e://number"),
            "refused, unicode": read("texts", "e://unicode"),
            "refused, long message": read("texts", "e://long"),
            "read, unknown server": (*read("nobody", "t://text"), "method"),
            "read, dead server": (*read("dead", "t://text"), "start"),
            "read, server without resources": read("plain", "t://text"),
            "read, not a URI": read("texts", "no uri"),
            "read without server": (READ, '{"uri":"t://text"}', "missing"),
            "read without URI": (READ, '{"server":"texts"}', "missing"),
            "read, blank server": (READ, '{"server":" ","uri":"t://text"}'),
            "read, blank URI": (READ, '{"server":"texts","uri":"\\n"}'),
            "read, nothing": (READ, "", "missing"),
            "read, {}": (READ, "{}", "missing"),
            "read, null server": (READ, '{"server":null,"uri":"t://text"}', "missing"),
            "wrong type: number": (LIST, '{"server":7}'),
            "wrong type: fraction": (LIST, '{"server":7.5}'),
            "wrong type: boolean": (LIST, '{"server":true}'),
            "wrong type: list": (LIST, '{"cursor":["a"]}'),
            "wrong type: object": (READ, '{"server":"texts","uri":{"a":1}}'),
            "bad JSON: key": (LIST, "{bad", "syntax"),
            "bad JSON: end": (READ, '{"server":"texts",', "syntax"),
            "bad JSON: text": (LIST, "zeta", "syntax"),
            "bad JSON: more": (LIST, "{} {}", "syntax"),
            "no object: number": (LIST, "7", "object"),
            "no object: text": (READ, '"texts"', "object"),
            "server that ends": (*read("Beta", "e://quit"), "ended"),
            "after its end": (LIST, '{"server":"Beta"}', "ended"),
            "all, after an end": (LIST, "{}", "left out"),
        },
    },
    "odd": {
        "servers": ["wrong", "zeta", "nameless"],
        "calls": {
            "all beside wrong answers": (LIST, "{}", "lenient"),
            "no list": (LIST, '{"server":"wrong"}', "shape"),
            "entry without a name": (LIST, '{"server":"nameless"}', "lenient"),
        },
    },
    "not announced": {
        "servers": ["shy", "a-b"],
        "calls": {
            "all, one has not announced its resources": (LIST, "{}", "announced"),
            "server that did not announce its resources": (LIST, '{"server":"shy"}'),
            "read, server that did not announce them": read("shy", "t://text"),
        },
    },
    "cursors and numbers": {
        "servers": ["whole", "blank-cursor"],
        "calls": {
            "all, one ends with an empty cursor": (LIST, "{}", "blank"),
            "a page with an empty cursor": (LIST, '{"server":"blank-cursor"}', "blank"),
            "a whole number": (LIST, '{"server":"whole"}', "number"),
        },
    },
    "slow": {
        "servers": ["prompt", "late"],
        "calls": {
            "all, one is slow": (LIST, "{}"),
            "the slow one": (LIST, '{"server":"late"}'),
        },
    },
}
