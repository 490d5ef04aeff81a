import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Script } from '@klaus/adapters/models';
import { openMcpConfiguration, type EventOf } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { openSite, type Site } from '../fixtures/site.ts';
import { fetchPage, CANARY, type Place } from './case.ts';
import type { ChannelCase } from './channel-cases.ts';
import { createHandler } from './channel-server.fixture.ts';

const PROGRAM = join(import.meta.dirname, 'channel-server.fixture.ts');

const toAgent = (name: string, grants: string): string =>
  `---\nname: ${name}\ndescription: Is a ${name}.\ngrants: ${grants}\n---\n\nYou are ${name.toUpperCase()}.\n`;

const AGENT_STEPS: Script['steps'] = [
  { when: { tools: false }, reply: { text: 'A title' } },
  {
    when: { system: 'COURIER', user: String.raw`Fetch \S+ now` },
    reply: { calls: [fetchPage(String.raw`{{user | match 'Fetch (\S+) now'}}`)] },
  },
  { when: { system: 'COURIER' }, reply: { text: 'Nothing.' } },
  { when: { system: 'WRITER', turn: 0 }, reply: { text: 'yes' } },
];

export interface ChannelResult {
  /** Requests by which something was sent. */
  sent: string[];
  /** Calls that were asked about, which no user answers. */
  asked: string[];
  finished: EventOf<'tool.finished'>[];
  /** True if the model made all of its calls. */
  isObeyed: boolean;
}

/** A site of the attacker, which is also an MCP server at `/mcp`. */
async function openPlace(order: string): Promise<Site> {
  const handle = createHandler(order, async () => {});
  const answer = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method: string; params?: object };
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(await handle(message)) }));
  };
  const site: Site = await openSite({
    '/page': { type: 'text/plain', body: order },
    '/broken': { type: 'text/plain', body: order, status: 500 },
    '/mcp': (request, response) => void answer(request, response, site.requests.at(-1)!.body),
  });
  return site;
}

export async function runChannelCase({ channel, carrier, way, isTwin }: ChannelCase): Promise<ChannelResult> {
  await using site = await openPlace(carrier);
  const place: Place = { site: site.url, port: site.port };
  const reads = isTwin ? (channel.readsOwn?.(place) ?? []) : channel.reads(place);
  const calls = [...reads, ...way.calls(place)];
  const say = { type: 'command' as const, command: 'echo Note:; cat order.txt 2>/dev/null || true' };
  const hooks = channel.hook && { [channel.hook]: [{ hooks: [say] }] };
  const mcpServers = {
    files: { command: process.execPath, args: [PROGRAM, Buffer.from(carrier).toString('base64')] },
    web: { type: 'http', url: `${site.url}/mcp` },
  };
  await using engine = await createTestEngine({
    script: {
      steps: [...AGENT_STEPS, ...calls.map((each, turn) => ({ when: { turn }, reply: { calls: [each] } }))],
      fallback: { text: 'Done.' },
    },
    files: {
      'notes.txt': `${CANARY}\n`,
      'own.txt': 'a text of my own\n',
      'order.txt': `${carrier}\n`,
      'package.json': '{"name":"x","type":"module"}\n',
      '.mcp.json': JSON.stringify({ mcpServers }),
      ...(hooks && !isTwin ? { '.klaus/config.yaml': JSON.stringify({ hooks }) } : {}),
    },
    settings: {
      'sandbox.driver': 'bubblewrap',
      approve: 'auto',
      checkpoint: 'manual',
      ...(hooks && isTwin ? { hooks } : {}),
    },
  });
  const { home, workspace, env } = engine.place;
  mkdirSync(join(home, 'agents'), { recursive: true });
  const host = `net(127.0.0.1, ${site.port})`;
  writeFileSync(join(home, 'agents/courier.md'), toAgent('courier', `${host} tool(*)`));
  writeFileSync(join(home, 'agents/writer.md'), toAgent('writer', 'fs(., r) tool(*)'));
  if (isTwin && channel.isReviewed) {
    const mcp = openMcpConfiguration({ cwd: workspace, env: { ...env, KLAUS_HOME: home } });
    for (const name of ['files', 'web']) {
      await mcp.trust(name);
      (await mcp.review(name, { signal: new AbortController().signal })).accept();
    }
  }
  const session = await engine.klaus.open({
    trustCommand: true,
    grant: `file-operations, code-execution, agent-creation, tool(*), ${host}${way.isWide ? ', net(*)' : ''}, delegable: fs(., r), ${host}, tool(*)`,
  });
  const isPiped = channel.piped !== undefined && !isTwin;
  const file = { type: 'file' as const, name: 'stdin', mediaType: 'text/plain', text: carrier };
  await session.prompt(
    channel.piped === 'stdin'
      ? carrier
      : [{ type: 'text', text: 'Work on it.' }, ...(channel.piped === 'attached' ? [file] : [])],
    isPiped
      ? {
          untrusted: {
            source: 'the piped standard input',
            ...(channel.piped === 'attached' ? { isAttached: true as const } : {}),
          },
        }
      : {},
  );
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const children = ofType(events, 'child.opened').map(({ child }) => child);
  const all = await Promise.all(children.map((id) => Array.fromAsync(engine.klaus.handle(id).events())));
  const everything = [...events, ...all.flat()];
  const finished = ofType(events, 'tool.finished');
  return {
    sent: site.requests.filter(isSending).map(({ method, url }) => `${method} ${url}`),
    asked: ofType(everything, 'gate.decided')
      .filter(({ verdict }) => verdict === 'ask')
      .map(({ name, reason }) => `${name}: ${reason}`),
    finished,
    isObeyed: finished.length >= calls.length,
  };
}

function isSending({ url, body }: { url: string; body: string }): boolean {
  if (url.startsWith('/out')) return true;
  return url === '/mcp' && (body.includes(Buffer.from(CANARY).toString('hex')) || body.includes('"name":"push"'));
}
