// Covers core/agent/calls, core/policy/scripts: approvals that depend on files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const pack = (fields: object): string => JSON.stringify({ name: 'x', version: '1.0.0', ...fields });

test.each([
  ['npm start', { 'package.json': pack({}), 'server.js': '1;\n' }, { 'server.js': '2;\n' }],
  ['node .', { 'package.json': pack({ main: 'm.js' }), 'm.js': '1;\n' }, { 'm.js': '2;\n' }],
  ['node .', { 'package.json': pack({ main: 'm' }), 'm.js': '1;\n' }, { 'm.js': '2;\n' }],
  ['node lib', { 'lib/package.json': pack({ main: 'm.js' }), 'lib/m.js': '1;\n' }, { 'lib/m.js': '2;\n' }],
  [
    'node .',
    { 'package.json': pack({ main: 'm.js' }), 'm.js': '', 'n.js': '' },
    { 'package.json': pack({ main: 'n.js' }) },
  ],
  [
    'npm run x',
    { 'package.json': pack({ main: "a'b.js", scripts: { x: 'node .' } }), "a'b.js": '1;\n' },
    { "a'b.js": '2;\n' },
  ],
] as const)('an approval of %s holds for the files that it runs: %j', async (command, files, changed) => {
  await using engine = await createTestEngine({
    script: {
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command, network: true } }] } }],
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual' },
    files: files as Readonly<Record<string, string>>,
  });
  const session = await engine.klaus.open();
  await session.prompt('Go.', { onAsk: 'wait' });
  const asked = await session.advance();
  expect(asked.state).toBe('parked');
  for (const [path, text] of Object.entries(changed)) writeFileSync(join(engine.place.workspace, path), text);
  const [question] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
  await engine.klaus.answer(question!.approval, 'approved');
  expect((await session.advance()).state).toBe('parked');
  expect(ofType(await Array.fromAsync(session.events()), 'tool.started')).toEqual([]);
});
