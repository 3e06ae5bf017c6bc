"""Attacks that tests of other suites make: each row names the tests that do it."""

from row import held

# ---- authorization servers ----

LOGIN, USE = "program/test_auth_hostile.py", "program/test_auth_hostile_use.py"
AS = "authorization server"

held("oauth-metadata", "MCP07", AS, "sends metadata that is huge, slow, malformed, nested, doubled, of another origin, or redirects to a file, "
     "a script or a cloud metadata service", "the login fails after few requests and names the cause; nothing is fetched", LOGIN, "metadata")
held("oauth-challenges", "MCP01", "HTTP server", "sends ten challenges, torn ones, 40 KB of them, scopes with escape sequences, metadata at "
     "`file:`, `javascript:`, link-local and foreign addresses", "the right challenge is used; the bad URLs are not contacted", LOGIN,
     "challenges")
held("oauth-registration", "MCP01", AS, "registers a client id with line breaks, of 900 KB, or redirects the registration",
     "the login ends before a browser opens", LOGIN, "registrations")
held("oauth-authorization-response", "MCP07", AS, "answers with a wrong or missing state or issuer (mix-up), doubled parameters, an injected "
     "code, HTML in errors", "the code is not sent anywhere; nothing of the answer is reflected", LOGIN, "answers")
held("oauth-token-response", "MCP01", AS, "answers token requests with 100 MB, HTML, a redirect, tokens with line breaks or NUL, an echo of "
     "the secrets", "the login fails; no secret is printed or stored", LOGIN, "tokens")
held("oauth-device-flow", "MCP07", AS, "asks for polls without a pause, for ever, or shows a script as verification URL",
     "polls keep their pace and end at the time-out; bad URLs are refused", LOGIN, "devices")
held("oauth-dpop-nonces", "LLM10", AS, "wants another DPoP nonce for every request", "after a few requests the login ends", LOGIN, "nonces",
     "a_server_may_want_nonces_for_ever")
held("oauth-refusal-loops", "LLM10", "HTTP server", "answers 401 or 403 for ever, with other scopes each time", "at most 3 authorizations; the "
     "call fails with exit status 3", USE, "loops")
held("oauth-refresh-storm", "LLM10", "HTTP server", "refuses the token of sixty calls at once", "one refresh for all of them", USE,
     "clients_of_a_gateway_do_not_multiply_refusals")
held("oauth-refresh-answers", "MCP01", AS, "answers a refresh with HTML, 100 MB, a redirect or an echo of the refresh token",
     "the call fails; the login stays stored unless it was refused", USE, "renewals")
held("oauth-token-in-error", "MCP01", "HTTP server", "repeats the token in its error", "the message has `***` instead", USE,
     "a_token_that_the_server_repeats_is_not_shown")
held("oauth-token-to-other-origin", "MCP01", "HTTP server", "redirects a request with a token to another origin", "the token stays", USE,
     "tokens_stay_with_their_server", "headers_of_the_server_stay_there")
held("oauth-two-issuers", "MCP01", AS, "is replaced by another one", "no client id, secret or token of one issuer reaches the other", USE,
     "nothing_of_one_issuer_goes_to_another")
held("oauth-issuer-tricks", "MCP07", AS, "names an issuer that differs in case, slash or port", "compared byte by byte: refused", USE,
     "issuers_are_compared_byte_by_byte")
held("oauth-ssrf", "MCP07", "HTTP server", "names endpoints at private, link-local, 6to4, Teredo and mapped addresses, also through names",
     "the address that would be connected to is refused", USE, "private_places_are_not_contacted")
held("oauth-callback-visitors", "MCP07", "web page", "floods the listener of a login with foreign codes, states, Hosts and silent connections",
     "only the answer with the right state counts", USE, "other_visitors_do_not_disturb_a_login")
held("oauth-secrets-shown", "MCP01", "HTTP server", "is used with all commands at log level debug", "no command prints a secret", USE,
     "nothing_secret_is_printed")

# ---- sandboxes ----

SANDBOX, STDIO = "program/test_sandbox.py", "stdio server"

held("sandbox-files", "MCP05", STDIO, "reads and writes files outside of the paths of its entry, also in the home folder", "denied in a sandbox", SANDBOX,
     "strict", "best_effort", "paths_of_the_entry", "a_home_folder_is_not_all_of_it")
held("sandbox-links", "MCP05", STDIO, "replaces a folder of its entry by a link before its next start", "where the link leads is not granted", SANDBOX, "a_link_of_the_server_leads_nowhere")
held("sandbox-network", "MCP10", STDIO, "sends what it has read to other hosts", "only the peers of its entry are reached", SANDBOX, "a_list_of_peers",
     "a_list_of_peers_as_a_user", "a_list_of_peers_without_namespaces")
held("sandbox-names", "MCP07", STDIO, "reaches private addresses by names that lead there", "names of the list lead to public addresses only", SANDBOX,
     "names_lead_to_public_addresses")
held("sandbox-memory", "LLM10", STDIO, "takes memory and starts processes without end", "limited by its entry, where the machine can", SANDBOX, "memory_is_limited",
     "processes_are_limited")
held("sandbox-missing", "MCP02", STDIO, "is started where its sandbox cannot hold", "`strict` refuses the start and says why", SANDBOX, "strict_refuses_what_cannot_hold")

# ---- big and mixed answers ----

held("answer-over-the-limit-among-others", "LLM10", STDIO, "answers one of several calls with more than `limits.message_bytes`", "that call alone fails",
     "program/test_big.py", "an_answer_over_the_limit_fails_its_own_call_only")
# ---- results from outside ----

EXTERNAL = "program/test_external.py"

held("toxic-flow", "MCP06", STDIO, "returns a page that tells the model to send all mails to a stranger, as a result, a resource or a prompt",
     "the tool that sends mails then needs a person's approval; a client that cannot be asked is refused", EXTERNAL,
     "a_toxic_flow_is_refused_without_elicitation", "a_client_of_2026_is_asked", "a_session_over_http_is_asked", "a_client_over_stdio")
held("toxic-flow-by-detour", "MCP06", STDIO, "is read in one session, so that another one of the same user sends the mail",
     "refused if `policy.flow.scope` is `principal`", EXTERNAL, "scope_principal_spans_sessions_and_eras")
held("mark-imitated", "MCP10", STDIO, "imitates the end of the frame around its text, or the mark itself", "the frame has a random mark, and a mark "
     "of the server's is replaced", EXTERNAL, "a_frame_stands_around_the_content", "results_are_marked_and_nothing_else_is")
