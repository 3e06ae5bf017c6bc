// Reads MCP resources of all servers behind a mcptools gateway, with the tools of the dialect "bridge".
//
//   mcptools serve                                   in another terminal
//   dart run bridge.dart [URL] [RESOURCE-NAME]       prints the block for a system prompt, the resources, and one of them
//
// Needs nothing but the Dart SDK (3.0). A host that runs a model passes `instructions` to it as a part of the system
// prompt, the tools as they are listed, and the text of each result as the answer to the model's call. A host built on
// mcp_llm has tools of these two names itself: give the gateway's another prefix ("bridge_prefix" in the configuration).
import 'dart:convert';
import 'dart:io';

typedef Json = Map<String, dynamic>;

/// One session over Streamable HTTP.
class Gateway {
  Gateway(this.url);

  final Uri url;
  final HttpClient _http = HttpClient();
  final Map<String, String> _headers = {};
  int _n = 0;

  Future<Json> open() async {
    final server = await request('initialize', {
      'protocolVersion': '2025-11-25',
      'capabilities': <String, dynamic>{},
      'clientInfo': {'name': 'bridge-example', 'version': '1'},
    });
    _headers['MCP-Protocol-Version'] = server['protocolVersion'] as String;
    await _post({'jsonrpc': '2.0', 'method': 'notifications/initialized'});
    return server;
  }

  void close() => _http.close();

  Future<List<Json>> _post(Json message) async {
    final request = await _http.postUrl(url);
    request.headers.set('Content-Type', 'application/json');
    request.headers.set('Accept', 'application/json, text/event-stream');
    _headers.forEach(request.headers.set);
    request.add(utf8.encode(jsonEncode(message)));
    final answer = await request.close();
    final session = answer.headers.value('mcp-session-id');
    if (session != null) _headers['Mcp-Session-Id'] = session;
    final text = await answer.transform(utf8.decoder).join();
    if (answer.statusCode >= 400) throw HttpException('HTTP ${answer.statusCode}: $text', uri: url);
    if (text.isEmpty) return [];
    if (answer.headers.contentType?.mimeType != 'text/event-stream') return [jsonDecode(text) as Json];
    return [
      for (final line in const LineSplitter().convert(text))
        if (line.startsWith('data:') && line.length > 6) jsonDecode(line.substring(5)) as Json,
    ];
  }

  Future<Json> request(String method, Json params) async {
    final id = ++_n;
    for (final message in await _post({'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params})) {
      if (message['id'] != id || message.containsKey('method')) continue;
      if (message.containsKey('error')) throw StateError('$method: ${(message['error'] as Json)['message']}');
      return message['result'] as Json;
    }
    throw StateError('$method: no answer');
  }

  /// The text that a model would get.
  Future<String> call(String tool, [Json arguments = const {}]) async {
    final result = await request('tools/call', {'name': tool, 'arguments': arguments});
    return [
      for (final block in (result['content'] as List).cast<Json>())
        if (block['type'] == 'text') block['text'] as String,
    ].join('\n');
  }
}

Future<void> main(List<String> arguments) async {
  final url = arguments.isNotEmpty ? arguments[0] : 'http://127.0.0.1:8931/mcp?dialect=bridge&mode=router';
  final gateway = Gateway(Uri.parse(url));
  final server = await gateway.open();
  print(server['instructions'] ?? '(no resources are known yet)');
  final listed = jsonDecode(await gateway.call('mcp_list_resources')) as Json;
  final resources = (listed['resources'] as List).cast<Json>();
  for (final resource in resources) {
    print('${resource['name']}\t${resource['uri']}');
  }
  print(listed['message']);
  final name = arguments.length > 1 ? arguments[1] : (resources.isEmpty ? null : resources.first['name'] as String);
  if (name != null) {
    final read = jsonDecode(await gateway.call('mcp_read_resource', {'resourceName': name})) as Json;
    print(read['error'] ?? ((read['contents'] as List).first as Json)['text'] ?? '(binary)');
  }
  gateway.close();
}
