// Covers core/agent/context, adapters/store/sqlite/recall: compaction and recall.
import type { Event, Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import type { Script } from '@klaus/adapters/models';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';

const SUBJECTS = ['heron', 'osprey', 'plover', 'curlew', 'dunlin', 'avocet', 'gannet', 'fulmar', 'petrel', 'skua'];
const MATTERS = [
  ['port', 'the {s} service listens on port {v}', 'which port does the {s} service listen on'],
  ['owner', 'the {s} service belongs to team-{v}', 'team that owns the {s} service'],
  ['timeout', 'requests to {s} time out after {v} ms', '{s} timeout ms'],
  ['bucket', 'backups of {s} go to bucket-{v}', 'backup bucket of {s}'],
  ['code', 'ERR_{v} means that {s} lost its lease', '{s} lost its lease error'],
  ['branch', 'the branch release/{v} is where {s} is fixed', 'release branch where {s} is fixed'],
  ['constant', 'const {s}MaxRetries = {v};', '{s} max retries'],
  ['user', 'log into {s} as user u{v}', 'log into {s} as which user'],
  ['ticket', 'ticket OPS-{v} asks to retire {s}', 'ticket to retire {s}'],
  ['limit', '{s} takes at most {v} connections', '{s} most connections'],
] as const;

interface Fact {
  text: string;
  value: string;
  query: string;
}

/** A hundred facts: ten matters of ten services. */
const FACTS: Fact[] = MATTERS.flatMap(([, text, query], matter) =>
  SUBJECTS.map((subject, at) => {
    const value = String(10_000 + (((matter * 10 + at) * 7_919) % 89_999));
    const fill = (form: string) => form.replaceAll('{s}', subject).replaceAll('{v}', value);
    return { text: fill(text), value: fill(text), query: fill(query) };
  }),
);

const FILLER = 'The quick service logs another ordinary line about requests, users, ports and teams.';
/** Three facts in a long text: at its head, in its middle, at its tail. */
function bury([head, middle, tail]: readonly Fact[], lines: number): string {
  const filler = Array.from({ length: lines }, (_, at) => `${at} ${FILLER}`).join('\n');
  return [head!.text, filler, middle!.text, filler, tail!.text].join('\n');
}

/** What the model is asked to do, one prompt each, and how it answers. */
interface Task {
  prompt: string;
  text?: string;
  call?: { name: string; input: Record<string, string> };
}

function toTasks(): { tasks: Task[]; files: Record<string, string> } {
  const files: Record<string, string> = {};
  const groups = Array.from({ length: 33 }, (_, at) => FACTS.slice(at * 3, at * 3 + 3));
  const tasks = groups.map((group, at): Task => {
    const path = `notes/n${at}.txt`;
    switch (at % 5) {
      case 0:
        return { prompt: bury(group, 60) };
      case 1:
        files[path] = bury(group, 400);
        return { prompt: 'Read it.', call: { name: 'read_file', input: { path } } };
      case 2:
        // One of them is too long for the index.
        files[path] = bury(group, at === 2 ? 3_000 : 600);
        return { prompt: 'Print it.', call: { name: 'run_command', input: { command: `cat ${path}` } } };
      case 3:
        return { prompt: 'Say what you know.', text: bury(group, 60) };
      default:
        return {
          prompt: 'Write it down.',
          call: { name: 'write_file', input: { path: `out${at}.txt`, content: bury(group, 60) } },
        };
    }
  });
  tasks.push({ prompt: `By the way, ${FACTS[99]!.text}.` });
  return { tasks, files };
}

const PINNED = Array.from({ length: 10 }, (_, at) => `Rule ${at}: never rename table_${at * 37} — not even in tests.`);

/** What recall gave for each query. */
function toAnswers(events: readonly Event[]): Map<string, string> {
  const queries = new Map(
    ofType(events, 'message.added').flatMap(({ message }) =>
      message.parts.flatMap((part) =>
        part.type === 'call' && part.name === 'recall' ? [[part.id, (part.input as { query: string }).query]] : [],
      ),
    ) as [string, string][],
  );
  return new Map(
    ofType(events, 'tool.finished').flatMap(({ call, output }) => {
      const query = queries.get(call);
      return query === undefined ? [] : [[query, output]];
    }),
  );
}

async function send(session: Session, text: string) {
  await session.prompt(text);
  await session.advance();
  expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
}

test('a hundred facts are found again after five compactions and more; what is pinned is in the request', async () => {
  const { tasks, files } = toTasks();
  const script: Script = {
    contextWindow: 20_000,
    maxOutputTokens: 1_024,
    steps: [
      { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES: services were talked about.' } },
      ...['read_file', 'run_command', 'write_file', 'recall'].map((after) => ({
        when: { after },
        reply: { text: 'Done.' },
      })),
      ...tasks.map(({ text, call }, at) => ({
        when: { user: `TASK-${at}-` },
        reply: call ? { calls: [call] } : { text: text ?? 'Noted.' },
      })),
      ...Array.from({ length: 10 }, (_, at) => ({
        when: { user: `RECALL-${at}-` },
        reply: { calls: FACTS.slice(at * 10, at * 10 + 10).map(({ query }) => ({ name: 'recall', input: { query } })) },
      })),
    ],
    fallback: { text: 'Done.' },
  };
  await using engine = await createTestEngine({
    files: { 'README.md': '# Services\n', ...files },
    script,
    settings: {
      'limits.tokens': 0,
      'limits.toolCalls': 0,
      'limits.turns': 0,
      checkpoint: 'manual',
      'undo.enabled': false,
    },
  });
  const session = await engine.klaus.open();
  await send(session, 'We begin.');
  for (const rule of PINNED) expect(await session.pin(rule)).toMatchObject({ applied: true });
  for (const [at, { prompt }] of tasks.entries()) await send(session, `TASK-${at}-\n${prompt}`);
  const compactions = ofType(await Array.fromAsync(session.events()), 'context.compacted');
  expect(compactions.length).toBeGreaterThanOrEqual(5);
  expect(compactions.every(({ summary }) => summary.includes('recall {"query"'))).toBe(true);

  const before = engine.server.requests.length;
  for (let at = 0; at < 10; at++) await send(session, `RECALL-${at}-`);
  const found = toAnswers(await Array.fromAsync(session.events()));
  const missed = FACTS.filter(({ value, query }) => !found.get(query)?.includes(value));
  process.stdout.write(
    `${FACTS.length - missed.length} of ${FACTS.length} facts found after ${compactions.length} compactions\n`,
  );
  expect(missed.map(({ query }) => query)).toEqual([]);
  // The model received the facts.
  const sent = engine.server.requests
    .slice(before)
    .map(({ body }) => body)
    .join('\n');
  for (const { value } of FACTS) expect(sent).toContain(JSON.stringify(value).slice(1, -1));
  const last = engine.server.requests.at(-1)!.body;
  for (const rule of PINNED) expect(last.split(rule)).toHaveLength(2);
  // What was left out is what there was: no fact was in the context before it was recalled.
  const first = engine.server.requests[before]!.body;
  expect(FACTS.filter(({ text }) => first.includes(JSON.stringify(text).slice(1, -1))).length).toBeLessThan(15);
}, 120_000);
