// Covers adapters/models/proxy, apps/claude-code/wrap: requests with which a provider would use the network for the program.
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelProxy, type NetworkUse } from '../../adapters/models/index.ts';
import { describe, expect, test, onTestFinished } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { listSessions, runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { toWrapEnv } from './batteries.ts';
import { FIXTURE } from './programs.ts';

type Json = Record<string, unknown>;

const EVIL = 'https://evil.example/x';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** A proxy before a provider that keeps what it gets. */
async function startProxy() {
  const received: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const upstream = await listen(provider);
  const uses: NetworkUse[] = [];
  const proxy = createModelProxy({
    keys: { anthropic: 'a-key', openai: 'o-key', openrouter: 'r-key' },
    baseUrls: { anthropic: upstream, openai: `${upstream}/v1`, openrouter: `${upstream}/v1` },
    host: {
      reserve: async ({ maxOutputTokens }) => ({ maxOutputTokens, settle: async () => {} }),
      openRedactor: async () => (text) => text,
      admit(found) {
        uses.push(...found);
        return 'refused by the test';
      },
      onRefused: () => {},
    },
  });
  const url = await listen(proxy);
  const post = async (path: string, body: Json | string, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, { method: 'POST', body: text, headers });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  return { url, post, received, uses };
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

interface Wire {
  path: string;
  base: Json;
  /** A request with one part of content. */
  withPart(part: Json, depth: number): Json;
  parts: Readonly<Record<string, Json>>;
  tools: Readonly<Record<string, Json>>;
  fields: Readonly<Record<string, unknown>>;
  local: readonly Json[];
}

const said = (content: unknown) => [{ role: 'user', content }];
const PARAMETERS = { type: 'object', properties: { url: { type: 'string', format: 'uri' }, $ref: { type: 'string' } } };

const MESSAGES: Wire = {
  path: '/anthropic/v1/messages',
  base: { model: 'claude-sonnet-5-5', max_tokens: 9, messages: said('Look at https://example.com') },
  withPart(part, depth) {
    let content: unknown = [part];
    for (let level = 0; level < depth; level++)
      content =
        level % 2 === 0
          ? [{ type: 'tool_result', tool_use_id: 'a', content }]
          : [{ type: 'document', source: { type: 'content', content } }];
    return { ...this.base, messages: said(content) };
  },
  parts: {
    'an image by its address': { type: 'image', source: { type: 'url', url: EVIL } },
    'a document by its address': { type: 'document', source: { type: 'url', url: EVIL } },
    'an image of the files API': { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    'a source with a type in capitals': { type: 'image', source: { type: 'URL', url: EVIL } },
    'a source without a type': { type: 'image', source: { url: EVIL } },
    'a source with a second address': { type: 'image', source: { type: 'base64', data: PIXEL, url: EVIL } },
    'a file for a container': { type: 'container_upload', file_id: 'file_1' },
    'a call of a server tool': { type: 'server_tool_use', id: 'a', name: 'web_fetch', input: { url: EVIL } },
    'a call of an MCP server': { type: 'mcp_tool_use', id: 'a', name: 'x', server_name: 'y', input: {} },
    'a part of the future': { type: 'web_page', url: EVIL },
    'a part without a type': { url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search_20250305', name: 'web_search' },
    'a later web fetch': { type: 'web_fetch_20991231', name: 'web_fetch' },
    'code execution': { type: 'code_execution_20250825', name: 'code_execution' },
    'MCP tools': { type: 'mcp_toolset', mcp_server_name: 'x' },
    'a bash of another name': { type: 'bash_20250124_remote', name: 'bash' },
    'a tool for the code of the provider': {
      name: 'read',
      input_schema: PARAMETERS,
      allowed_callers: ['code_execution_20250825'],
    },
    'a schema of another document': { name: 'read', input_schema: { properties: { a: { $ref: EVIL } } } },
  },
  fields: {
    mcp_servers: [{ type: 'url', url: EVIL, name: 'x' }],
    container: { id: 'container_1', skills: [{ type: 'anthropic', skill_id: 'x' }] },
    tools: { '0': { type: 'web_search_20250305', name: 'web_search' } },
    system: [{ type: 'image', source: { type: 'url', url: EVIL } }],
    web_search_options: {},
    __proto__x: { a: 1 },
  },
  local: [
    {
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      metadata: { user_id: 'a' },
      mcp_servers: [],
      container: null,
    },
    {
      tools: [
        {
          name: 'fetch',
          description: EVIL,
          input_schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...PARAMETERS },
        },
        { type: 'custom', name: 'x', input_schema: { $defs: { a: {} }, properties: { a: { $ref: '#/$defs/a' } } } },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    {
      messages: [
        ...said([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }]),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: EVIL, signature: 'a' },
            { type: 'redacted_thinking', data: 'a' },
            { type: 'tool_use', id: 'a', name: 'x', input: { type: 'url', url: EVIL, mcp_servers: [EVIL] } },
          ],
        },
        ...said([
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: false,
            content: [{ type: 'tool_reference', tool_name: 'x' }],
          },
          { type: 'document', title: 'a', source: { type: 'text', media_type: 'text/plain', data: EVIL } },
        ]),
        { role: 'system', content: 'The date has changed.' },
      ],
    },
  ],
};

const CHAT: Wire = {
  path: '/openai/v1/chat/completions',
  base: { model: 'gpt-5.4', max_completion_tokens: 9, messages: said('Look at https://example.com') },
  withPart(part, depth) {
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } };
    const before = depth === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: [call] }];
    const role = depth === 0 ? 'user' : 'tool';
    return { ...this.base, messages: [...before, { role, ...(depth ? { tool_call_id: 'a' } : {}), content: [part] }] };
  },
  parts: {
    'an image by its address': { type: 'image_url', image_url: { url: EVIL } },
    'an image by a bare address': { type: 'image_url', image_url: EVIL },
    'an image by an address without a scheme': { type: 'image_url', image_url: { url: '//evil.example/x' } },
    'an image by an address in capitals': { type: 'image_url', image_url: { url: EVIL.toUpperCase() } },
    'an image by an address after a space': { type: 'image_url', image_url: { url: ` ${EVIL}` } },
    'a video by its address': { type: 'video_url', video_url: { url: EVIL } },
    'a file by its address': { type: 'file', file: { filename: 'a.pdf', file_data: EVIL } },
    'a file of the files API': { type: 'file', file: { file_id: 'file_1' } },
    'a part of the future': { type: 'link', url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search' },
    MCP: { type: 'mcp', server_url: EVIL },
    'a server tool of OpenRouter': { type: 'openrouter:web_search' },
    'a function with an address': { type: 'function', function: { name: 'x' }, server_url: EVIL },
    'no type': { function: { name: 'x' } },
    'a schema of another document': { type: 'function', function: { name: 'x', parameters: { $ref: EVIL } } },
  },
  fields: {
    web_search_options: { search_context_size: 'low' },
    plugins: [{ id: 'web' }],
    models: ['perplexity/sonar'],
    model: 'gpt-4o-search-preview',
    preset: 'mine',
  },
  local: [
    {
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      metadata: { a: 'b' },
      store: false,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: PARAMETERS } },
      tools: [
        { type: 'function', function: { name: 'fetch', description: EVIL, parameters: PARAMETERS, strict: true } },
      ],
      tool_choice: { type: 'function', function: { name: 'fetch' } },
      plugins: [],
    },
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: EVIL }] },
        ...said([
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: PIXEL } },
        ]),
        {
          role: 'assistant',
          content: null,
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'a' }],
          annotations: [],
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'x', arguments: JSON.stringify({ url: EVIL }) } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: EVIL },
      ],
    },
  ],
};

const RESPONSES: Wire = {
  path: '/openai/v1/responses',
  base: { model: 'gpt-5.4', max_output_tokens: 9, input: 'Look at https://example.com' },
  withPart(part, depth) {
    const item =
      depth === 0
        ? { type: 'message', role: 'user', content: [part] }
        : { type: 'function_call_output', call_id: 'a', output: [part] };
    return { ...this.base, input: [item] };
  },
  parts: {
    'an image by its address': { type: 'input_image', image_url: EVIL },
    'an image of the files API': { type: 'input_image', file_id: 'file_1' },
    'a file by its address': { type: 'input_file', file_url: EVIL },
    'a file of the files API': { type: 'input_file', file_id: 'file_1' },
    'a file by an address as data': { type: 'input_file', file_data: EVIL },
    'a part of the future': { type: 'input_page', url: EVIL },
  },
  tools: {
    'web search': { type: 'web_search', external_web_access: false },
    'an earlier web search': { type: 'web_search_preview' },
    MCP: { type: 'mcp', server_label: 'x', server_url: EVIL, require_approval: 'never' },
    'a connector': { type: 'mcp', server_label: 'x', connector_id: 'connector_gmail' },
    'a code interpreter': { type: 'code_interpreter', container: { type: 'auto' } },
    'computer use': { type: 'computer_use_preview' },
    'file search': { type: 'file_search', vector_store_ids: ['a'] },
    'image generation': { type: 'image_generation' },
    'a shell in a container': { type: 'shell', environment: { type: 'container_auto' } },
    'a shell without an environment': { type: 'shell' },
    'web search in a namespace': { type: 'namespace', name: 'x', tools: [{ type: 'web_search' }] },
  },
  fields: {
    prompt: { id: 'pmpt_1' },
    conversation: 'conv_1',
    background: true,
    input: [{ type: 'mcp_approval_response', approve: true, approval_request_id: 'a' }],
    instructions: [{ role: 'user', content: [{ type: 'input_file', file_url: EVIL }] }],
  },
  local: [
    {
      instructions: EVIL,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'x', schema: PARAMETERS } },
      store: false,
      prompt_cache_key: 'a',
      client_metadata: { a: 'b' },
      tools: [
        { type: 'function', name: 'shell', description: EVIL, strict: false, parameters: PARAMETERS },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'local' } },
        { type: 'namespace', name: 'a', description: 'b', tools: [{ type: 'function', name: 'x', parameters: {} }] },
      ],
    },
    {
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: EVIL }] },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'a' },
        { type: 'function_call', call_id: 'a', name: 'x', arguments: JSON.stringify({ url: EVIL }) },
        { type: 'function_call_output', call_id: 'a', output: EVIL },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      ],
    },
  ],
};

describe.each([
  ['Messages', MESSAGES],
  ['Chat', CHAT],
  ['Responses', RESPONSES],
] as const)('%s', (_, wire) => {
  const refused: [string, Json][] = [
    ...Object.entries(wire.parts).flatMap(([name, part]) =>
      [0, 1, 2, 3].map((depth): [string, Json] => [`${name}, nested ${depth} times`, wire.withPart(part, depth)]),
    ),
    ...Object.entries(wire.tools).flatMap(([name, tool]): [string, Json][] => [
      [name, { ...wire.base, tools: [tool] }],
      [
        `${name} after another tool`,
        { ...wire.base, tools: [...(wire.local.flatMap(({ tools }) => tools ?? []) as Json[]), tool] },
      ],
    ]),
    ...Object.entries(wire.fields).map(([name, value]): [string, Json] => [
      `the field ${name}`,
      { ...wire.base, [name]: value },
    ]),
  ];

  test('what is not known to be local does not reach the provider', async () => {
    const proxy = await startProxy();
    const passed: string[] = [];
    for (const [name, body] of refused) {
      const answer = await proxy.post(wire.path, body);
      const { error } = answer.body as { error?: { type?: string; message?: string } };
      if (answer.status !== 403 || error?.message !== 'refused by the test') passed.push(name);
    }
    expect(passed).toEqual([]);
    expect(proxy.received).toEqual([]);
  });

  test('ordinary requests of programs are passed on', async () => {
    const proxy = await startProxy();
    for (const more of [{}, ...wire.local]) await proxy.post(wire.path, { ...wire.base, ...more });
    expect(proxy.uses).toEqual([]);
    expect(proxy.received).toHaveLength(wire.local.length + 1);
  });

  test('other spellings of a request are refused, or sent as they were read', async () => {
    const proxy = await startProxy();
    const [[name, evil]] = Object.entries(wire.tools) as [[string, Json]];
    const head = JSON.stringify(wire.base).slice(0, -1);
    // The last of two equal keys counts, and is the only one that is sent.
    const twice = await proxy.post(wire.path, `${head},"tools":[${JSON.stringify(evil)}],"tools":[]}`);
    expect({ name, ...twice }).toMatchObject({ status: 200 });
    expect(proxy.received[0]!.body).not.toContain(JSON.stringify(evil).slice(1, -1));
    const escaped = `${head},"t\\u006fols":[${JSON.stringify(evil)}]}`;
    expect((await proxy.post(wire.path, escaped)).status).toBe(403);
    const other = `${head}}{"tools":[${JSON.stringify(evil)}]}`;
    for (const body of [other, `\uFEFF${head}}`, `[${head}}]`, '"x"', 'null', `${head},}`, `${'['.repeat(100_000)}`])
      expect((await proxy.post(wire.path, body)).status).toBe(400);
    for (const encoding of ['gzip', 'identity, gzip']) {
      const body = gzipSync(`${head},"tools":[${JSON.stringify(evil)}]}`);
      const headers = { 'content-encoding': encoding };
      expect((await fetch(proxy.url + wire.path, { method: 'POST', body, headers })).status).toBe(400);
    }
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-encoding': 'gzip',
      'x-http-method-override': 'GET',
    };
    await proxy.post(wire.path, wire.base, headers);
    expect(proxy.received).toHaveLength(2);
    const last = proxy.received[1]!;
    expect(last.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(Object.keys(last.headers)).not.toEqual(expect.arrayContaining(['content-encoding']));
    expect(Object.keys(last.headers)).not.toEqual(expect.arrayContaining(['x-http-method-override']));
  });
});

test('a request in chunks is read as a whole', async () => {
  const proxy = await startProxy();
  const text = JSON.stringify({ ...MESSAGES.base, mcp_servers: [{ type: 'url', url: EVIL, name: 'x' }] });
  const status = await new Promise((resolve) => {
    const sent = send(proxy.url + MESSAGES.path, { method: 'POST' }, ({ statusCode }) => resolve(statusCode));
    for (let at = 0; at < text.length; at += 7) sent.write(text.slice(at, at + 7));
    sent.end();
  });
  expect(status).toBe(403);
});

test('only inference, the counting of tokens and the lists of models are passed on', async () => {
  const proxy = await startProxy();
  const count = '/anthropic/v1/messages/count_tokens';
  const url = { ...MESSAGES.base, ...MESSAGES.withPart(MESSAGES.parts['an image by its address']!, 0) };
  expect((await proxy.post(count, url)).status).toBe(403);
  expect((await proxy.post(count, MESSAGES.base)).status).toBe(200);
  const paths = [
    '/anthropic/v1/files',
    '/anthropic/v1/messages/batches',
    '/anthropic/v1/skills',
    '/anthropic/v1/messages/../files',
    '/anthropic/v1/complete',
    '/openai/v1/files',
    '/openai/v1/batches',
    '/openai/v1/containers',
    '/openai/v1/conversations',
    '/openai/v1/assistants',
    '/openai/v1/responses/resp_1/cancel',
    '/openai/v1/images/generations',
    '/openai/v1/realtime/sessions',
    '/openrouter/v1/credits/coinbase',
    '/openai/v1/models/x',
  ];
  for (const path of paths) expect({ path, ...(await proxy.post(path, MESSAGES.base)) }).toMatchObject({ status: 404 });
  expect((await fetch(`${proxy.url}/openai/v1/files`)).status).toBe(404);
  expect((await fetch(`${proxy.url}/openai/v1/models`)).status).toBe(200);
  expect(proxy.received.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens', '/v1/models']);
});

describe('klaus wrap', () => {
  const image = (url: string): Json => ({
    ...MESSAGES.base,
    ...MESSAGES.withPart({ type: 'image', source: { type: 'url', url } }, 0),
  });
  const bodies = {
    search: { ...MESSAGES.base, tools: [MESSAGES.tools['web search']!] },
    evil: image(EVIL),
    docs: image('https://docs.example.com/a.png'),
  };

  async function wrapPosts(allowNet: readonly string[]) {
    using place = createTestHome();
    await using server = await startServer({ steps: [], fallback: { text: 'Fine.' } });
    for (const [name, body] of Object.entries(bodies))
      writeFileSync(join(place.workspace, `${name}.json`), JSON.stringify(body));
    const script = Object.keys(bodies)
      .map((name) => `curl -s -o ${name}.out -w "%{http_code} " -d @${name}.json $ANTHROPIC_BASE_URL/v1/messages`)
      .join('; ');
    const words = ['wrap', ...allowNet.flatMap((host) => ['--allow-net', host]), '--', 'sh', '-c', script];
    const { stdout } = await runKlaus(words, { place, server, env: toWrapEnv({ server, program: FIXTURE }) });
    const { id } = (await listSessions(place))[0]!;
    const notices = ofType(toEvents((await runKlaus(['show', id, '--json'], { place })).stdout), 'notice');
    return {
      codes: stdout.trim(),
      notices: notices.map(({ text }) => text).filter((text) => text.includes('provider')),
    };
  }

  sandboxed('refuses them without a grant, and says so in the log', async () => {
    const { codes, notices } = await wrapPosts([]);
    expect(codes).toBe('403 403 403');
    expect(notices.map((text) => /--allow-net '(.*)'/.exec(text)?.[1])).toEqual([
      '*',
      'evil.example',
      'docs.example.com',
    ]);
  });

  sandboxed('passes on what --allow-net names, and says so in the log', { tags: ['long'] }, async () => {
    expect((await wrapPosts(['docs.example.com'])).codes).toBe('403 403 200');
    const all = await wrapPosts(['*']);
    expect(all.codes).toBe('200 200 200');
    expect(all.notices).toHaveLength(3);
  });
});
