-- Requests of the benchmark for wrk: `wrk … -- BODY_FILE HEADER…`. @ID@ in the body stands for the number of the request.
-- Prints one line of JSON at the end.
local head, before, after, n = "", "", "", 0

function init(args)
    local file = assert(io.open(args[1], "rb"))
    local body = file:read("*a")
    file:close()
    before, after = body:match("^(.*)@ID@(.*)$")
    head = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n"
    for i = 2, #args do
        head = head .. args[i] .. "\r\n"
    end
    head = head .. "Content-Length: "
end

-- wrk.format() would write all headers again for each request.
function request()
    n = n + 1
    local id = tostring(n)
    return head .. (#before + #id + #after) .. "\r\n\r\n" .. before .. id .. after
end

function done(summary, latency)
    local e = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"max_us":%d,"errors":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max,
        e.connect + e.read + e.write + e.status + e.timeout))
end
