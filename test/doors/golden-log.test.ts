import { type Event, type Script, type StartedModelServer, toCanonical } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createPlace, type Place } from '../fixtures/place.ts';

/** One session with a bit of everything: parallel reads, an error, an edit, a command, a refusal by the gate. */
const SCRIPT: Script = {
  steps: [
    {
      reply: {
        text: 'I read both.',
        calls: [
          { name: 'read_file', input: { path: 'a.txt' } },
          { name: 'read_file', input: { path: 'missing.txt' } },
          { name: 'search_files', input: { pattern: 'two' } },
        ],
      },
    },
    { reply: { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'two', new: '2' }] } }] } },
    { reply: { calls: [{ name: 'run_command', input: { command: 'cat a.txt' } }] } },
    { reply: { calls: [{ name: 'read_file', input: { path: '../outside.txt' } }] } },
    { reply: { text: 'It says {{turn}}.' } },
  ],
};

interface Run {
  place: Place;
  server: StartedModelServer;
}

/** Every door runs the same session and hands over its log. */
const DOORS: readonly { name: string; run(options: Run): Promise<Event[]> }[] = [
  {
    name: 'cli --json',
    async run({ place, server }) {
      return toEvents((await runKlaus(['--json', 'Change two to 2'], { place, server })).stdout);
    },
  },
  {
    name: 'cli, as klaus show --json tells it afterwards',
    async run({ place, server }) {
      const { stderr } = await runKlaus(['Change two to 2'], { place, server });
      const session = /session (\w{26})/.exec(stderr)?.[1] ?? '';
      return toEvents((await runKlaus(['show', '--json', session], { place })).stdout);
    },
  },
];

test.each(DOORS)('the same session through $name gives the same canonical log', async ({ run }) => {
  using place = createPlace({ 'a.txt': 'one\ntwo\n', 'AGENTS.md': 'Be brief.\n' });
  await using server = await startServer(SCRIPT);
  const events = await run({ place, server });
  const canonical = toCanonical(events, new Map([[place.workspace, '<workspace>']]));
  // One event a line, so that a change shows as the events that changed.
  const text = canonical.map((event) => `${JSON.stringify(event)}\n`).join('');
  await expect(text).toMatchFileSnapshot('golden/session.ndjson');
});
