// Covers core/agent/hooks, core/agent/places: files that hooks run are protected places.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';

const command = (line: string): ToolCall => ({ name: 'run_command', input: { command: line } });
const write = (path: string): ToolCall => ({ name: 'write_file', input: { path, content: 'echo written\n' } });
const script = (...calls: ToolCall[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'Done.' },
});

const FILES = {
  'scripts/check.sh': '. scripts/part.sh\n',
  'scripts/part.sh': 'true\n',
  'scripts/other.sh': 'true\n',
};
const HOOKS = {
  PostToolUse: [
    {
      hooks: [
        {
          type: 'command',
          command: 'sh "$CLAUDE_PROJECT_DIR"/scripts/check.sh; [ ! -f scripts/later.sh ] || sh scripts/later.sh',
        },
      ],
    },
  ],
};

function open(driver: 'host' | 'bubblewrap', ...calls: ToolCall[]): Promise<TestEngine> {
  const settings = { 'sandbox.driver': driver, hooks: HOOKS };
  return createTestEngine({ script: script(...calls), files: FILES, settings });
}

const read = ({ place }: TestEngine, path: string): string => readFileSync(join(place.workspace, path), 'utf8');

async function run({ klaus }: TestEngine) {
  const session = await klaus.open({ mode: 'auto', checkpoint: 'manual' });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  const events = await Array.fromAsync(session.events());
  return { events, calls: toCalls(events) };
}

test('edit tools ask before they change or create a file that a hook runs, and no other file', async () => {
  const paths = ['scripts/check.sh', 'scripts/part.sh', 'scripts/later.sh', 'scripts/other.sh'];
  await using engine = await open('host', ...paths.map(write));
  const { calls } = await run(engine);
  expect(calls.map(({ verdict }) => verdict)).toEqual(['ask', 'ask', 'ask', 'allow']);
  expect(Object.keys(FILES).map((path) => read(engine, path))).toEqual([
    FILES['scripts/check.sh'],
    FILES['scripts/part.sh'],
    'echo written\n',
  ]);
  expect(existsSync(join(engine.place.workspace, 'scripts/later.sh'))).toBe(false);
});

const EVIL =
  'echo "touch planted" > scripts/part.sh; echo "touch planted" > scripts/later.sh; echo x > scripts/other.sh';

sandboxed('no command in the sandbox can change a file that a hook runs', async () => {
  await using engine = await open('bubblewrap', command(`${EVIL}; cat scripts/part.sh`));
  const { calls } = await run(engine);
  expect(calls[0]?.finished.output).toContain('\ntrue');
  expect([read(engine, 'scripts/part.sh'), read(engine, 'scripts/other.sh')]).toEqual(['true\n', 'x\n']);
  expect(['planted', 'scripts/later.sh'].map((path) => existsSync(join(engine.place.workspace, path)))).toEqual([
    false,
    false,
  ]);
});

test('without a sandbox, a changed hook does not run, and the change is reverted', async () => {
  await using engine = await open('host', command(EVIL));
  const { events } = await run(engine);
  expect(ofType(events, 'notice').some(({ text }) => text.includes('changed in this turn'))).toBe(true);
  expect(ofType(events, 'workspace.restored')).toMatchObject([{ kind: 'review', by: 'klaus' }]);
  expect([read(engine, 'scripts/part.sh'), read(engine, 'scripts/other.sh')]).toEqual(['true\n', 'x\n']);
  expect(['planted', 'scripts/later.sh'].map((path) => existsSync(join(engine.place.workspace, path)))).toEqual([
    false,
    false,
  ]);
});
