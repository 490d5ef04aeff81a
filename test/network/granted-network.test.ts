// Covers core/policy/network, adapters/sandboxes/network, adapters/tools/shell: the network of a command is what the grant names.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Script } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const servers: Server[] = [];
const asked: string[] = [];
/** The header `X-Key` of each request. */
const keys: string[] = [];
beforeAll(async () => {
  for (const name of ['granted', 'other']) {
    const server = createServer((request, response) => {
      asked.push(`${name} ${request.url}`);
      keys.push(`${name} ${String(request.headers['x-key'])}`);
      response.end(`from ${name}`);
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
});
afterAll(() => servers.forEach((server) => server.close()));
const portOf = (index: number): number => (servers[index]!.address() as AddressInfo).port;
const GET = (index: number) => `curl -sS -w ' %{http_code}\\n' http://localhost:${portOf(index)}/x`;

/** Connects without the proxy. */
const DIRECT = `for at in localhost 127.0.0.1; do (exec 5<>/dev/tcp/$at/$1) 2>/dev/null && echo "direct $at"; done`;

/** Sends a variable in a header and in the path. */
const ASK = `for at in "$@"; do curl -s -H "X-Key: $NETLIFY_AUTH_TOKEN" "http://$at/$NETLIFY_AUTH_TOKEN"; done
case $NETLIFY_AUTH_TOKEN in klaus-*) echo has a placeholder;; "") echo has nothing;; esac`;

/** One call of `run_command` in a session with a grant: its decision, result and the requests that arrived. */
async function call(
  grant: readonly string[],
  input: Record<string, string | boolean>,
  env: Readonly<Record<string, string>> = {},
) {
  const script: Script = {
    steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input }] } }],
    fallback: { text: 'Done.' },
  };
  await using engine = await createTestEngine({
    script,
    files: { 'direct.sh': DIRECT, 'ask.sh': ASK },
    env,
    settings: { 'sandbox.driver': 'bubblewrap' },
  });
  const session = await engine.klaus.open({ grant: ['file-operations', 'code-execution', ...grant] });
  asked.length = 0;
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const [decided] = ofType(events, 'gate.decided');
  const [finished] = ofType(events, 'tool.finished');
  return { decided, finished, events, asked: [...asked] };
}

const granted = () => `net(localhost, ${portOf(0)})`;

test('a command reaches the granted host without a question, and no other', async () => {
  const command = `${GET(0)}; ${GET(1)}; bash direct.sh ${portOf(0)}; true`;
  const { decided, finished, asked } = await call([granted()], { command, network: true });
  expect(decided).toMatchObject({ verdict: 'allow' });
  expect(finished).toMatchObject({ outcome: 'ok', detail: { refusedHosts: [`localhost:${portOf(1)}`] } });
  expect(finished?.output).toContain('from granted 200');
  expect(finished?.output).not.toMatch(/direct|from other/);
  expect(asked).toEqual(['granted /x']);
});

test('without the authority it asks for every host, and without a request there is no network', async () => {
  const wide = await call([], { command: GET(0), network: true });
  expect(wide.decided).toMatchObject({ verdict: 'ask', rule: 'grant' });
  expect(wide.finished).toMatchObject({ outcome: 'denied' });
  const web = await call(['web-access'], { command: GET(0), network: true });
  expect(web.decided).toMatchObject({ verdict: 'ask', rule: 'grant' });
  const none = await call([granted()], { command: `${GET(0)}; ls /run/klaus` });
  expect(none.finished?.outcome).toBe('error');
  expect([...wide.asked, ...web.asked, ...none.asked]).toEqual([]);
});

test('a background command with granted hosts is refused with the reason', async () => {
  const { decided, finished, asked } = await call([granted()], { command: GET(0), network: true, background: true });
  expect({ decided, outcome: finished?.outcome }).toMatchObject({ decided: { rule: 'prepare' }, outcome: 'error' });
  expect(asked).toEqual([]);
});

const TOKEN = 'correct-horse-battery-0452';

test('a credential reaches its host in a header of plain HTTP, and neither the command nor another host', async () => {
  const other = `127.0.0.1:${portOf(1)}`;
  const command = `bash ask.sh localhost:${portOf(0)} ${other}`;
  const grant = [granted(), `net(127.0.0.1, ${portOf(1)})`];
  const env = { NETLIFY_AUTH_TOKEN: TOKEN };
  keys.length = 0;
  const { finished, events } = await call(
    [...grant, 'secret(NETLIFY_AUTH_TOKEN → localhost)'],
    { command, network: true },
    env,
  );
  expect(finished?.outcome).toBe('ok');
  expect(finished?.output).toContain('has a placeholder');
  expect(keys).toEqual([`granted ${TOKEN}`, expect.stringMatching(/^other klaus-/)]);
  // Only headers are changed.
  expect(asked[0]).toMatch(/^granted \/klaus-/);
  expect(JSON.stringify(events)).not.toContain(TOKEN);
  keys.length = 0;
  const without = await call(grant, { command, network: true }, env);
  expect(without.finished?.output).toContain('has nothing');
  expect(keys.join()).not.toContain(TOKEN);
});
