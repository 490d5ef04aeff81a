import { createKlaus, type Event, type Script, startModelServer, type StartedModelServer } from '@klaus/sdk';
import { createPlace } from '../test/fixtures/place.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { countCommonPrefix } from './measure.ts';
import { HUNG_MS } from './program.ts';

const TURNS = 50;

const SCRIPT: Script = {
  contextWindow: 1_000_000,
  steps: [{ when: { turn: TURNS - 1 }, reply: { text: 'That is all.' } }],
  fallback: { text: 'Once more.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};

/** Size of the first request, and how much of each further one the provider has read before. */
export const prefix: Benchmark = {
  name: 'prefix',
  async run() {
    const server = await startModelServer({ script: SCRIPT });
    try {
      const events = await play(server);
      const bodies = server.requests.map((request) => Buffer.from(request.body));
      if (bodies.length !== TURNS) throw new Error(`${bodies.length} requests were sent, not ${TURNS}`);
      return [...toFirst(server), toReuse(bodies), toCached(events, bodies)];
    } finally {
      await server.close();
    }
  },
};

async function play(server: StartedModelServer): Promise<Event[]> {
  using place = createPlace();
  await using klaus = await createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: place.env,
    settings: { model: 'scripted/prefix', 'limits.tokens': 0, 'limits.toolCalls': 0 },
    scripted: async () => server,
  });
  // Only files are read: no command runs, in no sandbox.
  const session = await klaus.open({ sandbox: 'host' });
  await session.prompt('Read the readme again and again.');
  const result = await session.advance({ signal: AbortSignal.timeout(HUNG_MS) });
  const outcome = result.state === 'idle' ? result.finished?.outcome : result.state;
  if (outcome !== 'done') throw new Error(`the run ended with ${outcome}`);
  return [...session.events()];
}

function toFirst({ requests }: StartedModelServer): Row[] {
  const { body, json } = requests[0]!;
  const { tools } = json as { tools: unknown[] };
  return [
    { name: 'first request', value: Buffer.byteLength(body), unit: 'bytes' },
    { name: 'tools in the first request', value: tools.length, unit: 'tools' },
  ];
}

/** Bytes of all requests but the first, and how many of them stand in the request before at the same place. */
function toReuse(bodies: readonly Uint8Array[]): Row {
  let same = 0;
  for (const [at, body] of bodies.entries()) if (at > 0) same += countCommonPrefix(bodies[at - 1]!, body);
  return {
    name: `prompt bytes that equal the prefix before, ${TURNS} turns`,
    value: (100 * same) / toTotal(bodies),
    unit: '%',
    bare: { value: toMost(bodies), what: 'every byte sent before' },
  };
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
  return {
    name: `prompt tokens read from the cache, ${TURNS} turns`,
    value: (100 * read) / prompt,
    unit: '%',
    bare: { value: toMost(bodies), what: 'every byte sent before' },
  };
}

function toTotal(bodies: readonly Uint8Array[]): number {
  return bodies.slice(1).reduce((sum, body) => sum + body.length, 0);
}

/** The share there would be if each request were the one before with something behind it. */
function toMost(bodies: readonly Uint8Array[]): number {
  const before = bodies.slice(0, -1).reduce((sum, body) => sum + body.length, 0);
  return (100 * before) / toTotal(bodies);
}
