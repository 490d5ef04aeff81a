import { createKlaus, defineTool, type Event, type Script, type StartedModelServer, type Tool } from '@klaus/sdk';
import { z } from 'zod';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { countCommonPrefix } from './measure.ts';
import { HUNG_MS, openModelServer } from './program.ts';

const TURNS = 500;
/** Every so many turns a tool is attached, found and called. */
const EVERY = 25;
const toName = (turn: number): string => `attached_${turn}`;
/** The turns, from 0, in which a tool that was attached just before is looked for. */
const SEARCHES = Array.from({ length: Math.floor(TURNS / EVERY) - 1 }, (_, at) => (at + 1) * EVERY);

const SCRIPT: Script = {
  contextWindow: 1_000_000,
  steps: [
    { when: { turn: TURNS - 1 }, reply: { text: 'That is all.' } },
    ...SEARCHES.flatMap((turn) => [
      { when: { turn }, reply: { calls: [{ name: 'tool_search', input: { query: toName(turn) } }] } },
      { when: { turn: turn + 1 }, reply: { calls: [{ name: 'use_tool', input: { name: toName(turn), input: {} } }] } },
    ]),
  ],
  fallback: { text: 'Again.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};

/** Size of the first request, and how much of each further one the provider has read before. */
export const prefix: Benchmark = {
  name: 'prefix',
  async run() {
    await using server = await openModelServer(SCRIPT);
    const events = await play(server);
    const bodies = server.requests.map((request) => Buffer.from(request.body));
    if (bodies.length !== TURNS) throw new Error(`${bodies.length} requests were sent, not ${TURNS}`);
    return [...toFirst(server), toReuse(bodies), toCached(events, bodies)];
  },
};

async function play(server: StartedModelServer): Promise<Event[]> {
  using place = createTestHome();
  await using klaus = await createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: place.env,
    settings: { model: 'scripted/prefix', 'limits.tokens': 0, 'limits.toolCalls': 0 },
    scripted: async () => server,
  });
  // Only files are read: no command runs, in no sandbox.
  const session = await klaus.open({ sandbox: 'host' });
  session.subscribe(0, (event) => {
    if (event.type === 'turn.started' && SEARCHES.includes(event.turn - 1)) klaus.attach([toTool(event.turn - 1)]);
  });
  await session.prompt('Read the readme again and again.');
  const result = await session.advance({ signal: AbortSignal.timeout(3 * HUNG_MS) });
  const outcome = result.state === 'idle' ? result.finished?.outcome : result.state;
  if (outcome !== 'done') throw new Error(`the run ended with ${outcome}`);
  const events = await Array.fromAsync(session.events());
  const called = events.filter((event) => event.type === 'tool.finished' && event.name.startsWith('attached_'));
  if (called.length !== SEARCHES.length) throw new Error(`${called.length} attached tools were called`);
  return events;
}

function toTool(turn: number): Tool {
  return defineTool({
    name: toName(turn),
    description: 'Says where it was attached.',
    input: z.object({}),
    effects: ['read'],
    resume: 'repeat',
    run: async () => ({ text: `attached in turn ${turn}` }),
  });
}

function toFirst({ requests }: StartedModelServer): Row[] {
  const { body, json } = requests[0]!;
  const { tools } = json as { tools: unknown[] };
  return [
    { name: 'first request', value: Buffer.byteLength(body), unit: 'bytes' },
    { name: 'tools in the first request', value: tools.length, unit: 'tools' },
  ];
}

/** Bytes of all requests but the first, and how many of them are at the same position in the request before. */
function toReuse(bodies: readonly Uint8Array[]): Row {
  let same = 0;
  for (const [at, body] of bodies.entries()) if (at > 0) same += countCommonPrefix(bodies[at - 1]!, body);
  return toShare('prompt bytes that equal the prefix before', (100 * same) / toTotal(bodies), bodies);
}

function toShare(name: string, value: number, bodies: readonly Uint8Array[]): Row {
  const bare = { value: toMost(bodies), what: 'every byte sent before' };
  return { name: `${name}, ${TURNS} turns, ${SEARCHES.length} tools attached on the way`, value, unit: '%', bare };
}

function toCached(events: readonly Event[], bodies: readonly Uint8Array[]): Row {
  let read = 0;
  let prompt = 0;
  for (const event of events) {
    // The first request can read nothing.
    if (event.type !== 'model.attempted' || event.turn === 1) continue;
    const { input, cacheRead, cacheWrite } = event.usage;
    read += cacheRead;
    prompt += input + cacheRead + cacheWrite;
  }
  return toShare('prompt tokens read from the cache', (100 * read) / prompt, bodies);
}

function toTotal(bodies: readonly Uint8Array[]): number {
  return bodies.slice(1).reduce((sum, body) => sum + body.length, 0);
}

/** The share there would be if each request were the one before with something behind it. */
function toMost(bodies: readonly Uint8Array[]): number {
  const before = bodies.slice(0, -1).reduce((sum, body) => sum + body.length, 0);
  return (100 * before) / toTotal(bodies);
}
