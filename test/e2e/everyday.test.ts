// Covers core/policy/shell: everyday commands in the sandbox.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

async function runCommands(commands: readonly string[], files: Record<string, string> = {}) {
  const engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        ...commands.map((command, turn) => ({
          when: { turn },
          reply: { calls: [{ name: 'run_command', input: { command } }] },
        })),
        { when: { turn: commands.length }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
    files,
  });
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  return { engine, results: ofType(await Array.fromAsync(session.events()), 'tool.finished') };
}

test('a file for secrets is made from its template and stays', async () => {
  const { engine, results } = await runCommands(['cp .env.example .env && ls .env'], { '.env.example': 'TOKEN=\n' });
  await using _ = engine;
  expect(results[0]).toMatchObject({ outcome: 'ok' });
  expect(readFileSync(join(engine.place.workspace, '.env'), 'utf8')).toBe('TOKEN=\n');
});

test('an existing file for secrets is not overwritten', async () => {
  const { engine, results } = await runCommands(['cp .env.example .env'], {
    '.env.example': 'TOKEN=\n',
    '.env': 'TOKEN=mine-and-long-enough\n',
    '.gitignore': '.env\n',
  });
  await using _ = engine;
  expect(results[0]?.outcome).not.toBe('denied');
  expect(readFileSync(join(engine.place.workspace, '.env'), 'utf8')).toBe('TOKEN=mine-and-long-enough\n');
});

test('what needs the network runs, fails, and says what to request', { tags: ['long'] }, async () => {
  const { engine, results } = await runCommands(
    ['curl -sS https://registry.example/', 'npm install left-pad', 'python3 -c "import requests"', 'pip download x'],
    { 'package.json': '{"name":"a","version":"1.0.0"}\n' },
  );
  await using _ = engine;
  expect(results.map(({ outcome }) => outcome)).not.toContain('denied');
  for (const { output } of results.slice(0, 2)) expect(output).toContain('network: true');
  expect(existsSync(join(engine.place.workspace, 'node_modules/left-pad'))).toBe(false);
});

test('a command that succeeds gets no hint about the network', async () => {
  const { engine, results } = await runCommands(['echo curl', 'true || curl https://registry.example/']);
  await using _ = engine;
  for (const { output } of results) expect(output).not.toContain('network: true');
});

test('network: true is still asked about', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'run_command', input: { command: 'npm install left-pad', network: true } }] },
        },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  expect((await session.advance()).state).toBe('parked');
});
