// Covers apps/cli/output, sdk/transcript: untrusted text cannot control the terminal.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { findActing, toActingTexts } from '../fixtures/acting-texts.ts';
import { listSessions, MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { hasScript, runInTerminal } from '../fixtures/pseudo-terminal.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const TEXTS = toActingTexts();
/** A file system takes names of 255 bytes. */
const NAMES = TEXTS.filter((_, at) => at % 97 === 0).map((text) => text.replaceAll('/', '|'));
const ALL = TEXTS.join('\n');
/** A title that never ends. */
const ENDLESS = `\u001b]0;${'x'.repeat(5_000)}`;

/** A session in which the model, a command, a file, a note and a title hold every text, split at different places. */
const SESSION: Script = {
  steps: [
    {
      when: { turn: 0 },
      chunk: 3,
      reply: {
        thinking: ALL.slice(0, 2_000),
        text: ALL,
        calls: [
          { name: 'run_command', input: { command: 'cat texts; cat texts >&2; exit 3' } },
          ...NAMES.map((path) => ({ name: 'write_file', input: { path, content: `${path}\r\u001b[2Kx\n` } })),
          { name: 'memory_set', input: { key: 'note', value: ALL.slice(0, 3_000) } },
          { name: `\u001b]0;owned\u0007`, input: { '\u001b[2J': '\u009b2J' } },
          { name: 'read_file', input: { path: TEXTS[5]! } },
        ],
      },
    },
    { when: { turn: 1 }, chunk: 7, reply: { text: `${ALL}${ENDLESS}` } },
  ],
};

const ASKS: Script = {
  steps: [
    {
      when: { turn: 0 },
      reply: { calls: [{ name: 'run_command', input: { command: `git push # ${ALL}${ENDLESS}` } }] },
    },
    { when: { turn: 1 }, reply: { text: 'I see.' } },
  ],
};

/** A quoted text of YAML, all of whose unusual characters are escapes. */
function toYaml(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function createHostilePlace(): TestHome {
  const place = createTestHome();
  writeFileSync(join(place.workspace, 'texts'), `${ALL}\n`);
  const agents = join(place.workspace, '.klaus/agents');
  mkdirSync(agents, { recursive: true });
  const head = `name: hostile\ndescription: ${toYaml(ALL.slice(0, 1_500))}\nmodel: ${toYaml(TEXTS[3]!)}\ncapabilities: [deploy]`;
  writeFileSync(join(agents, 'hostile.md'), `---\n${head}\n---\n\n${ALL}\n`);
  writeFileSync(join(agents, `broken${NAMES[1]}.md`), `---\n${toYaml(TEXTS[3]!)}: 1\n---\n`);
  return place;
}

const READERS: readonly (readonly string[])[] = [
  ['show', 'ID'],
  ['show', 'ID', '--json'],
  ['show', 'ID', '--grep', 'owned'],
  ['export', 'ID'],
  ['export', 'ID', '--format', 'json'],
  ['diff', '--session', 'ID'],
  ['diff', '--session', 'ID', '--names'],
  ['diff', '--session', 'ID', '--json'],
  ['sessions'],
  ['sessions', '--json'],
  ['sessions', '\u001b]0;owned\u0007'],
  ['sessions', '-v'],
  ['status', 'ID'],
  ['status', 'ID', '--json'],
  ['wait', 'ID'],
  ['wait', 'ID', '--json'],
  ['logs', 'ID'],
  ['logs', 'ID', '--json'],
  ['attach', 'ID', '--plain'],
  ['audit', 'show'],
  ['audit', 'show', '--json'],
  ['audit', 'show', '--host'],
  ['memory', 'list'],
  ['memory', 'list', '--json'],
  ['memory', 'get', 'note'],
  ['undo', '--session', 'ID', '--dry-run'],
  ['agents'],
  ['agents', '--json'],
  ['agents', 'show', 'hostile'],
  ['agents', 'show', 'hostile', '--json'],
  ['agents', 'grants', 'hostile'],
  ['agents', 'export', 'hostile'],
  ['sandbox', 'run', 'cat texts'],
  ['sandbox', 'run', '--json', 'cat texts'],
  ['show', '\u001b]0;owned\u0007'],
  ['\u001b]0;owned\u0007'],
];

test('the generator makes more than 500 texts, and each of them would act on a terminal', () => {
  expect(TEXTS.length).toBeGreaterThan(500);
  expect(TEXTS.filter((text) => findActing(text).length === 0)).toEqual([]);
});

describe('text of a model or a command cannot act', () => {
  test('in a pipe', { tags: ['long'], timeout: 120_000 }, async () => {
    using place = createHostilePlace();
    await using server = await startServer(SESSION);
    const ran = await runKlaus(['--approve', 'auto', `do it ${TEXTS[3]}`], { place, server });
    expect(findActing(ran.stdout)).toEqual([]);
    expect(findActing(ran.stderr)).toEqual([]);
    // The text is shown.
    expect(ran.stdout).toContain(`<${TEXTS.length - 1}>`);
    const id = (await listSessions(place))[0]!.id;
    for (const words of READERS) {
      const line = words.map((word) => word.replace('ID', id));
      const { code, stdout, stderr } = await runKlaus(line, { place });
      expect({ words, found: [...findActing(stdout), ...findActing(stderr)] }).toEqual({ words, found: [] });
      // The requested data is printed.
      if (words[0] !== 'undo' && !words.some((word) => word.includes('\u001b')))
        expect({ words, code, isEmpty: stdout === '' }).toEqual({ words, code: 0, isEmpty: false });
    }
  });

  test('in the events of --json, which are equal', { timeout: 60_000 }, async () => {
    using place = createHostilePlace();
    await using server = await startServer(SESSION);
    const { stdout } = await runKlaus(['--json', 'do it'], { place, server });
    expect(findActing(stdout)).toEqual([]);
    const said = toEvents(stdout).flatMap((event) => (event.type === 'message.added' ? event.message.parts : []));
    expect(said).toContainEqual({ type: 'text', text: ALL });
  });

  for (const { cases, tags } of splitCases(READERS, 6))
    test.skipIf(!hasScript)(`on a terminal, ${cases.length} commands`, { timeout: 180_000, tags }, async () => {
      using place = createHostilePlace();
      await using server = await startServer(SESSION);
      const options = { env: toEnv({ place, server }), cwd: place.workspace };
      const klaus = (words: readonly string[]): Promise<string> =>
        runInTerminal([process.execPath, MAIN, ...words], options);
      expect(findActing(await klaus(['do it']), { isTerminal: true })).toEqual([]);
      const id = (await listSessions(place))[0]!.id;
      for (const words of cases) {
        const output = await klaus(words.map((word) => word.replace('ID', id)));
        expect({ words, found: findActing(output, { isTerminal: true }) }).toEqual({ words, found: [] });
      }
    });

  test.skipIf(!hasScript)('in an approval, which hides nothing', { timeout: 60_000 }, async () => {
    using place = createHostilePlace();
    await using server = await startServer(ASKS);
    const asked = await runInTerminal([process.execPath, MAIN, '--approve', 'ask', 'do it'], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
      answer: { at: /\[Tab [^\]]*\]/, keys: '\u0004' },
    });
    expect(findActing(asked, { isTerminal: true })).toEqual([]);
    expect(asked).toContain('<0d>');
    expect(asked).toContain('<202e>');
    for (const words of [
      ['approvals'],
      ['approvals', '--json'],
      ['sessions'],
      ['attention'],
      ['attention', '--json'],
      ['next'],
      ['next', '--json'],
    ]) {
      const { stdout, stderr } = await runKlaus(words, { place });
      expect({ words, found: [...findActing(stdout), ...findActing(stderr)] }).toEqual({ words, found: [] });
    }
  });

  test('with --raw it is printed unchanged', async () => {
    using place = createHostilePlace();
    await using server = await startServer({ steps: [{ reply: { text: TEXTS[0]! } }] });
    expect((await runKlaus(['--raw', 'do it'], { place, server })).stdout).toBe(`${TEXTS[0]}\n`);
    const id = (await listSessions(place))[0]!.id;
    for (const word of ['show', 'export'])
      expect((await runKlaus([word, id, '--raw'], { place })).stdout).toContain(TEXTS[0]);
  });
});

sandboxed('the output of a background process acts nowhere', async () => {
  using place = createHostilePlace();
  const background = { command: `cat texts # ${TEXTS[7]}`, background: true };
  await using server = await startServer({
    steps: [
      {
        when: { turn: 0 },
        reply: {
          calls: [
            { name: 'run_command', input: background },
            { name: 'process_output', input: { process: 'p1', waitFor: `<${TEXTS.length - 1}>` } },
          ],
        },
      },
      { when: { turn: 1 }, reply: { text: 'It ran.' } },
    ],
  });
  const env = { KLAUS_SANDBOX: 'bubblewrap' };
  expect((await runKlaus(['do it'], { place, server, env })).code).toBe(0);
  const { id } = (await listSessions(place))[0]!;
  for (const words of [
    ['ps', '--all'],
    ['logs', `${id}/p1`],
    ['logs', `${id}/p1`, '--json'],
  ]) {
    const { stdout, stderr } = await runKlaus(words, { place });
    const isEmpty = stdout === '';
    expect({ words, isEmpty, found: [...findActing(stdout), ...findActing(stderr)] }).toEqual({
      words,
      isEmpty: false,
      found: [],
    });
  }
});

test('colours of a command are removed in a pipe', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: '\u001b[1;38;5;9mred\u001b[0m' } }] });
  expect((await runKlaus(['do it'], { place, server })).stdout).toBe('red\n');
});

test('nothing of the command line writes but the sink', () => {
  const root = join(import.meta.dirname, '../../apps/cli');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules'),
  );
  /** The sink, the ends of streams, the version. */
  const free = new Set(['output/sink.ts', 'output/streams.ts', 'program/execute.ts', 'main.ts']);
  const writing = files.filter(
    (path) =>
      !free.has(path) &&
      /process\.(?:stdout|stderr)|(?:stdout|stderr)\b[^;\n]*= process\b|console\.|writeSync|node:console/.test(
        readFileSync(join(root, path), 'utf8'),
      ),
  );
  expect(writing).toEqual([]);
});
