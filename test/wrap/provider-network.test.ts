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
import { CHAT, EVIL, MESSAGES, RESPONSES, type Json } from './network-shapes.ts';
import { FIXTURE } from './programs.ts';

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

test('a request in chunks is read completely', async () => {
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
