// Covers core/agent/refusals, adapters/models/wire: no session is unusable after a server refused its content.
import { createModelServer, parseScript } from '@klaus/adapters/models';
import { createKlaus, defineTool, type Klaus, type Part, type Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ofType } from '../fixtures/engine.ts';
import { createRefusingServer, type RefusedAnswer, type RefusingServer } from '../fixtures/refusing-server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const WIRES = ['anthropic', 'openai', 'responses'] as const;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEUlEQVR4nGP4z8DwH4YZkDkAm34L9XKwuTwAAAAASUVORK5CYII=';
const SHOT = PNG.replace('AAAAMAAAAC', 'AAAAMAAAAD');
const LONG = 'long '.repeat(1_500);

/** Calls a tool with a long result, then one with an image, and ends. Any second prompt is answered at once. */
const SCRIPT = `
steps:
  - { when: { tools: true, user: second }, reply: { text: fine } }
  - { when: { tools: true, turn: 0, user: '^first' }, reply: { thinking: hm, text: reading, calls: [{ name: long, id: call_long, input: { marker: argument } }] } }
  - { when: { tools: true, turn: 1, user: '^first' }, reply: { thinking: hm, calls: [{ name: shot, id: call_shot }] } }
fallback: { text: done }
`;

const tools = [
  defineTool({
    name: 'long',
    description: 'Returns a long text.',
    input: z.object({ marker: z.string() }),
    effects: ['read'],
    resume: 'repeat',
    run: async () => ({ text: LONG }),
  }),
  defineTool({
    name: 'shot',
    description: 'Returns an image.',
    input: z.object({}),
    effects: ['read'],
    resume: 'repeat',
    run: async () => ({ text: 'an image', images: [{ type: 'image', mediaType: 'image/png', data: SHOT }] }),
  }),
];

const PROMPT: Part[] = [
  { type: 'text', text: 'first' },
  { type: 'image', mediaType: 'image/png', data: PNG },
  { type: 'file', name: 'notes.txt', mediaType: 'text/plain', text: 'the content of the document' },
];

/** What a server refuses: the content in a body, and how it names that. */
const CONTENTS: Readonly<Record<string, { has: (body: string) => boolean; message: string; isNamed: boolean }>> = {
  images: {
    has: (body) => body.includes(PNG) || body.includes(SHOT),
    message: 'image input is not supported - hint: use another model',
    isNamed: true,
  },
  'an image of a tool': {
    has: (body) => body.includes(SHOT),
    message: 'Could not process image',
    isNamed: true,
  },
  'a document': {
    has: (body) => body.includes('the content of the document'),
    message: 'Bad document',
    isNamed: false,
  },
  'a long part': { has: (body) => body.includes(LONG.slice(0, 500)), message: 'String too long', isNamed: false },
  'a call': {
    has: (body) => body.includes('"argument') || body.includes('\\"argument'),
    message: 'No',
    isNamed: false,
  },
  'a result': {
    has: (body) => /"(?:tool_use_id|tool_call_id|function_call_output)"/.test(body),
    message: 'No',
    isNamed: false,
  },
  'signed reasoning': {
    has: (body) => body.includes('sig-'),
    message: 'Invalid `signature` in `thinking` block',
    isNamed: true,
  },
  'a tool': { has: (body) => offers(body, 'shot'), message: "Invalid schema for function 'shot'", isNamed: true },
};

function offers(body: string, tool: string): boolean {
  const { tools: offered = [] } = JSON.parse(body) as { tools?: { name?: string; function?: { name: string } }[] };
  return offered.some(({ name, function: called }) => (name ?? called?.name) === tool);
}

/** Forms of errors of several servers. */
const SHAPES: readonly ((message: string, status: number) => string)[] = [
  (message) => JSON.stringify({ error: { message, type: 'invalid_request_error', code: null, param: null } }),
  (message) => JSON.stringify({ error: message }),
  (message, code) => JSON.stringify([{ error: { message, code, status: 'INVALID_ARGUMENT' } }]),
  (message) => JSON.stringify({ detail: [{ type: 'value_error', loc: ['body', 'messages', 1], msg: message }] }),
  (message, code) => JSON.stringify({ object: 'error', message, code }),
  (message) => message,
];
const STATUSES = [400, 404, 413, 415, 422];

async function withServer(
  wire: (typeof WIRES)[number],
  use: (klaus: Klaus, server: RefusingServer) => Promise<void>,
): Promise<void> {
  using place = createTestHome();
  const scripted = await createModelServer({ script: await parseScript(SCRIPT, 'script.yaml') });
  await using server = await createRefusingServer(scripted.url);
  await using klaus = await createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: place.env,
    settings: { model: 'scripted/test', 'sandbox.driver': 'host', 'retry.baseMs': 1, checkpoint: 'manual' },
    tools,
    scripted: async () => ({ url: server.url, wire }),
  });
  await use(klaus, server);
  await scripted.close();
}

async function outcomeOf(session: Session, prompt: string | Part[]): Promise<string | undefined> {
  await session.prompt(prompt);
  const advanced = await session.advance();
  return advanced.state === 'idle' ? advanced.finished?.outcome : advanced.state;
}

const CASES = WIRES.flatMap((wire) => Object.keys(CONTENTS).map((content) => [wire, content] as const)).filter(
  // Chat completions of the scripted server have no signatures.
  ([wire, content]) => wire !== 'openai' || content !== 'signed reasoning',
);

/** A third of the shapes: two per case, all of them in three neighbouring cases. */
const isSampled = (at: number, index: number): boolean => at % 3 === index % 3;

const FAMILIES = [
  { part: 'some', tags: [], isPart: isSampled },
  { part: 'the other', tags: ['long' as const], isPart: (at: number, index: number) => !isSampled(at, index) },
];

for (const { part, tags, isPart } of FAMILIES)
  test.each(CASES.map(([wire, content], index) => [wire, content, index] as const))(
    `%s: a server that refuses %s, by ${part} shapes of its errors`,
    { tags },
    async (wire, name, index) => {
      await withServer(wire, async (klaus, server) => {
        for (const at of SHAPES.keys()) if (isPart(at, index)) await expectUsable(klaus, server, { name, at });
        expect(server.bodies.length).toBeGreaterThan(0);
      });
    },
  );

/** A server that refuses the content, with the error of one shape, leaves a session that works. */
async function expectUsable(
  klaus: Klaus,
  server: RefusingServer,
  { name, at }: { name: string; at: number },
): Promise<void> {
  const { has, message, isNamed } = CONTENTS[name]!;
  const messages = isNamed ? [message, ...(at % 2 === 0 && name !== 'a tool' ? ['Bad Request'] : [])] : [message];
  for (const [shift, said] of messages.entries()) {
    const status = STATUSES[(at + 2 * shift) % STATUSES.length]!;
    const answer: RefusedAnswer = { status, body: SHAPES[at]!(said, status) };
    const label = `${answer.status} ${answer.body}`;
    server.refuse = (body) => (has(body) ? answer : undefined);
    const session = await klaus.open();
    const first = await outcomeOf(session, PROMPT);
    if (isNamed && said === message) expect([label, first]).toEqual([label, 'done']);
    expect([label, await outcomeOf(session, 'the second prompt')]).toEqual([label, 'done']);
    // It is remembered: nothing more is refused.
    const refused = server.bodies.filter(has).length;
    expect([label, await outcomeOf(session, 'the second prompt again')]).toEqual([label, 'done']);
    expect([label, server.bodies.filter(has).length]).toEqual([label, refused]);
    const events = await Array.fromAsync(session.events());
    // A compaction may have left it out.
    if (status !== 413) expect([label, ofType(events, 'content.refused').length]).not.toEqual([label, 0]);
    if (at < 2) expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  }
}

test.each(WIRES)('%s: a server that refuses what it accepted before', async (wire) => {
  await withServer(wire, async (klaus, server) => {
    const session = await klaus.open();
    expect(await outcomeOf(session, PROMPT)).toBe('done');
    const answer = { status: 400, body: '{"error":"Bad Request"}' };
    server.refuse = (body) => (body.includes('the content of the document') ? answer : undefined);
    expect(await outcomeOf(session, 'the second prompt')).toBe('model_failed');
    expect(await outcomeOf(session, 'the second prompt again')).toBe('done');
    expect((await session.replay()).outcome).toBe('equal');
  });
});

test.each(WIRES)('%s: after refusals for another cause, the complete history is sent', async (wire) => {
  await withServer(wire, async (klaus, server) => {
    const session = await klaus.open();
    server.refuse = () => ({ status: 404, body: '{"error":{"message":"The model does not exist."}}' });
    for (const prompt of [PROMPT, 'the next', 'and the next', 'and one more']) {
      expect(await outcomeOf(session, prompt)).toBe('model_failed');
    }
    server.refuse = () => undefined;
    expect(await outcomeOf(session, 'the second prompt')).toBe('done');
    const last = server.bodies.at(-1)!;
    for (const text of [PNG, 'the content of the document', 'and one more']) expect(last).toContain(text);
  });
});

test('another model gets what the former one refused', async () => {
  await withServer('openai', async (klaus, server) => {
    const session = await klaus.open();
    const answer = { status: 400, body: '{"error":{"message":"No endpoints found that support image input"}}' };
    server.refuse = (body) => (body.includes(PNG) ? answer : undefined);
    expect(await outcomeOf(session, PROMPT)).toBe('done');
    expect(server.bodies.at(-1)).not.toContain(PNG);
    server.refuse = () => undefined;
    expect(await outcomeOf(session, 'the second prompt')).toBe('done');
    expect(server.bodies.at(-1)).not.toContain(PNG);
    await session.send({ type: 'change', model: 'scripted/other' });
    expect(await outcomeOf(session, 'the second prompt, by another model')).toBe('done');
    expect(server.bodies.at(-1)).toContain(PNG);
  });
});

test.each(WIRES)('%s: a server that refuses images with the status of its own errors', async (wire) => {
  await withServer(wire, async (klaus, server) => {
    const { has, message } = CONTENTS['images']!;
    const body = JSON.stringify({ error: { code: 500, message, type: 'server_error' } });
    server.refuse = (sent) => (has(sent) ? { status: 500, body } : undefined);
    const session = await klaus.open();
    expect(await outcomeOf(session, PROMPT)).toBe('done');
    // One for the prompt, one for the result of the tool.
    expect(server.bodies.filter(has).length).toBeLessThanOrEqual(2);
    expect((await session.replay()).outcome).toBe('equal');
  });
});
