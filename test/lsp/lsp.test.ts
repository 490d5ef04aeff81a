// Covers adapters/lsp, core/agent/diagnostics: problems that language servers find after an edit.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect } from 'vitest';
import { createTestEngine, type TestEngine } from '../fixtures/engine.ts';
import { installServers } from './install-servers.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';

const edit = (path: string, old: string, text: string): ToolCall => ({
  name: 'edit_file',
  input: { path, edits: [{ old, new: text }] },
});
const script = (...calls: ToolCall[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'Done.' },
});
const settings = { 'sandbox.driver': 'bubblewrap', 'lsp.enabled': true };

/** A program of the project, as npm installs it. */
function addProgram({ place }: TestEngine, name: string, line: string): void {
  const folder = join(place.workspace, 'node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

async function run(engine: TestEngine, options: Parameters<TestEngine['klaus']['open']>[0] = {}) {
  const session = await engine.klaus.open({ mode: 'auto', checkpoint: 'manual', ...options });
  await session.prompt('go');
  await session.advance();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  const calls = toCalls(await Array.fromAsync(session.events())).map(({ finished }) => finished);
  expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'ok'));
  return calls.map(({ output }) => output.split('\n').filter((line) => /^\S+:\d+:\d+ (?:error|warning)/.test(line)));
}

sandboxed('typescript-language-server reports the new problems of an edited file alone', async () => {
  const modules = installServers();
  await using engine = await createTestEngine({
    script: script(
      edit('a.ts', "'one'", '1'),
      edit('a.ts', 'count = 1', "count = 'three'"),
      edit('a.ts', "'three'", '3'),
      edit('notes.md', 'a', 'b'),
    ),
    files: {
      'a.ts': "export const old: number = 'zero';\nexport const name: string = 'one';\nexport const count = 1;\n",
      'notes.md': 'a\n',
      'tsconfig.json': '{"compilerOptions":{"strict":true}}',
      '.gitignore': 'node_modules\n',
    },
    settings: { ...settings, 'lsp.timeoutMs': 60_000, 'sandbox.folders': [modules] },
  });
  addProgram(engine, 'typescript-language-server', `exec node ${modules}/typescript-language-server/lib/cli.mjs "$@"`);
  const found = await run(engine);
  expect(found[0]).toEqual([expect.stringMatching(/^a\.ts:2:14 error 2322: /)]);
  expect(found.slice(1)).toEqual([[], [], []]);
});

sandboxed('pyright reports a new problem, also of a new file', async () => {
  const modules = installServers();
  await using engine = await createTestEngine({
    script: script({ name: 'write_file', input: { path: 'b.py', content: 'x: int = "a"\n' } }),
    files: { '.gitignore': 'node_modules\n' },
    settings: { ...settings, 'lsp.timeoutMs': 60_000, 'sandbox.folders': [modules] },
  });
  addProgram(engine, 'pyright-langserver', `exec node ${modules}/pyright/langserver.index.js "$@"`);
  expect(await run(engine)).toEqual([[expect.stringMatching(/^b\.py:1:10 error reportAssignmentType: /)]]);
});

const HOSTILE = {
  crash: 'exit 1',
  garbage: 'yes "no message at all"',
  hang: 'sleep 600',
  loud: 'printf "Content-Length: 999999999999\\r\\n\\r\\n"; yes',
};

sandboxed.each(Object.entries(HOSTILE))('a server that does %s costs no result', async (_, line) => {
  await using engine = await createTestEngine({
    script: script(
      { name: 'write_file', input: { path: 'a.ts', content: 'const a: number = 1;\n' } },
      edit('a.ts', '1', '2'),
    ),
    settings: { ...settings, 'lsp.timeoutMs': 1_000 },
  });
  addProgram(engine, 'typescript-language-server', `echo x > planted\n${line}`);
  expect(await run(engine)).toEqual([[], []]);
  expect(existsSync(join(engine.place.workspace, 'planted'))).toBe(false);
});
