// Covers core/agent/calls, sdk/transcript, sdk/share, apps/cli: an output of which the log has a part says so, and all of it can be printed.
import { expect, test } from 'vitest';
import { toOutputPart } from '@klaus/sdk/conversation';
import { listSessions, runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** More than the model gets. */
const LINES = 3_000;

test('the transcript, the export and the shared page name what is missing, and --full prints all', async () => {
  using place = createTestHome({});
  await using server = await startServer({
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: `seq 1 ${LINES}` } }] } },
    ],
    fallback: { text: 'Done.' },
  });
  const klaus = async (...words: string[]) => {
    const ended = await runKlaus(words, { place, server });
    expect(ended).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  await klaus('--approve', 'auto', 'count');
  const { id } = (await listSessions(place))[0]!;
  const finished = toEvents(await klaus('show', '--json', id)).find((event) => event.type === 'tool.finished')!;
  const part = toOutputPart(finished)!;
  expect(part.lines).toBe(LINES);
  expect(part.shown).toBeLessThan(LINES);

  const transcript = await klaus('show', '--plain', id);
  expect(transcript).toContain(`3,000 lines, 12 shown; klaus show ${id} --full prints all`);
  expect(transcript).not.toMatch(/^ *2000$/m);
  const full = await klaus('show', '--plain', '--full', id);
  expect(full.match(/^ {4}\d+$/gm)).toHaveLength(LINES);
  expect((await runKlaus(['show', '--full', '--json', id], { place })).code).toBe(2);

  const mark = `> 3,000 lines, ${part.shown.toLocaleString('en')} shown. \`klaus show ${id} --full\` prints all of it.`;
  expect((await klaus('export', id, '--format', 'md')).includes(mark)).toBe(true);
  expect(await klaus('export', id, '--format', 'html')).toMatch(/3,000 lines, [\d,]+ shown/);
});

test('a transcript that shortens a complete output gives its number of lines', async () => {
  using place = createTestHome({});
  await using server = await startServer({
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'seq 1 20' } }] } },
    ],
    fallback: { text: 'Done.' },
  });
  await runKlaus(['--approve', 'auto', 'count'], { place, server });
  const { id } = (await listSessions(place))[0]!;
  const { stdout } = await runKlaus(['show', '--plain', id], { place });
  expect(stdout).toMatch(/… \d+ lines, 12 shown; klaus show \w+ --full prints all/);
  expect((await runKlaus(['show', '--plain', '--full', id], { place })).stdout).toMatch(/^ {4}20$/m);
});
