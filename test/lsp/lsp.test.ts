// Covers adapters/lsp, core/agent/diagnostics: problems that language servers find after an edit.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { findServer } from '../../adapters/lsp/language-servers.ts';
import { createTestEngine, type TestEngine } from '../fixtures/engine.ts';
import { installServers } from './install-servers.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { findSandboxObstacle } from '../fixtures/sandbox-obstacle.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

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
  const outputs = await runToOutputs(engine, options);
  return outputs.map((output) => output.split('\n').filter((line) => /^\S+:\d+:\d+ (?:error|warning)/.test(line)));
}

async function runToOutputs(engine: TestEngine, options: Parameters<TestEngine['klaus']['open']>[0] = {}) {
  const session = await engine.klaus.open({ mode: 'auto', checkpoint: 'manual', ...options });
  await session.prompt('go');
  await session.advance();
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  const calls = toCalls(await Array.fromAsync(session.events())).map(({ finished }) => finished);
  expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'ok'));
  return calls.map(({ output }) => output);
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

/** A server that answers correctly, except for what a test is about. Its part `problems` writes the lists of problems. */
const toServer = ({ problems = '', initialize = 'reply(message.id, { capabilities: {} })' }) => `exec node -e '
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
};
const reply = (id, result) => send({ id, result });
const publish = (uri, version, diagnostics) =>
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
const at = (line, character) => ({ start: { line, character }, end: { line, character } });
const problem = (message, range = at(0, 0), more = {}) => ({ severity: 1, message, range, ...more });
let input = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const head = /Content-Length: (\\d+)\\r\\n\\r\\n/.exec(input.toString("latin1"));
    if (!head || input.length < head.index + head[0].length + Number(head[1])) return;
    const from = head.index + head[0].length;
    const message = JSON.parse(input.subarray(from, from + Number(head[1])).toString());
    input = input.subarray(from + Number(head[1]));
    if (message.method === "initialize") { ${initialize}; }
    else if (message.method === "shutdown") reply(message.id, null);
    else if (message.method === "exit") process.exit();
    else if (/didOpen|didChange/.test(message.method)) {
      const { uri, version } = message.params.textDocument;
      ${problems}
    }
  }
});
'`;

const LIES = `publish(uri, version - 1, [problem("of an earlier text")]);
publish(uri.replace("a.ts", "b.ts"), 1, [problem("of another file")]);
publish("no address", 1, [problem("of no file")]);
publish(uri.replace("a.ts", "%61.ts"), version, [
  problem("far", at(1e9, 1e9)), problem("negative", at(-1, 0)), problem("words", at("1", "x")),
  problem("no range", null), problem(7), problem({ value: "marked" }), null, "text", { severity: 1 },
  problem("hint", at(0, 0), { severity: 4 }), problem("coded", at(0, 6), { code: { deep: true } }),
]);`;
const WRONG: Readonly<Record<string, [server: string, problems: readonly unknown[]]>> = {
  'never answers initialize': [toServer({ initialize: '' }), []],
  'refuses initialize': [toServer({ initialize: 'send({ id: message.id, error: { code: 1, message: "no" } })' }), []],
  'crashes at an edit': [toServer({ problems: 'process.exit(3);' }), []],
  'sends problems that are none': [toServer({ problems: 'publish(uri, version, "none");' }), []],
  'lies about ranges, files and versions': [
    toServer({ problems: LIES }),
    ['a.ts:2:1 error: far (', 'a.ts:1:1 error: marked (', 'a.ts:1:7 error: coded ('].map((start) =>
      expect.stringMatching(new RegExp(`^${start.replace('(', '\\(')}`)),
    ),
  ],
  'sends problems without end': [
    toServer({ problems: 'setInterval(() => publish(uri, version, [problem("one")]), 1);' }),
    [expect.stringContaining('error: one (')],
  ],
  'sends 100,000 problems': [
    toServer({ problems: 'publish(uri, version, Array.from({ length: 1e5 }, (_, n) => problem("p" + n)));' }),
    Array.from({ length: 20 }, (_, at) => expect.stringContaining(`error: p${at} (`)),
  ],
};

for (const { cases, tags } of splitCases(Object.entries(WRONG), 2))
  sandboxed.each(cases)('a server that %s costs no result', { tags }, async (_, [line, problems]) => {
    await using engine = await createTestEngine({
      script: script({ name: 'write_file', input: { path: 'a.ts', content: 'const a: number = 1;\n' } }),
      settings: { ...settings, 'lsp.timeoutMs': problems.length === 0 ? 1_000 : 20_000 },
    });
    addProgram(engine, 'typescript-language-server', line);
    expect(await run(engine)).toEqual([problems]);
  });

const NATIVE: readonly [name: string, files: Record<string, string>, path: string, text: string][] = [
  ['clangd', {}, 'a.c', 'int main(void) { return missing; }\n'],
  ['gopls', { 'go.mod': 'module a\n\ngo 1.20\n' }, 'a.go', 'package a\n\nvar A int = "x"\n'],
  [
    'rust-analyzer',
    { 'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n' },
    'src/lib.rs',
    'fn a() { let x = ; }\n',
  ],
];

describe('reports a new problem', () => {
  for (const [name, files, path, content] of NATIVE) {
    sandboxed(name, async ({ skip }) => {
      // The launcher of rustup exists without the component.
      const obstacle = await findSandboxObstacle(name, findServer(path)!.server.probe);
      skip(obstacle !== undefined, obstacle);
      await using engine = await createTestEngine({
        script: script({ name: 'write_file', input: { path, content } }),
        files: { ...files, [path]: path === 'a.go' ? 'package a\n' : '\n' },
        settings: { ...settings, 'lsp.timeoutMs': 60_000 },
      });
      const [found] = await run(engine);
      expect(found?.[0]).toMatch(new RegExp(`^${path}:\\d+:\\d+ error.*\\(${name}\\)$`));
    });
  }
});

sandboxed('a server whose program cannot run counts as absent, and the first result says why', async () => {
  await using engine = await createTestEngine({
    script: script(
      { name: 'write_file', input: { path: 'a.ts', content: 'const a = 1;\n' } },
      { name: 'write_file', input: { path: 'b.ts', content: 'const b = 1;\n' } },
    ),
    settings,
  });
  const launcher = 'echo "error: the launcher could not choose a version" >&2; exit 1';
  addProgram(engine, 'typescript-language-server', launcher);
  const [first, second] = await runToOutputs(engine);
  expect(first!.split('\n')).toContain(
    'a.ts was not checked: typescript-language-server cannot run here: error: the launcher could not choose a version',
  );
  expect(second).not.toContain('typescript-language-server');
});

sandboxed('a server that runs and crashes is not said to be unable to run', async () => {
  await using engine = await createTestEngine({
    script: script({ name: 'write_file', input: { path: 'a.ts', content: 'const a = 1;\n' } }),
    settings,
  });
  addProgram(engine, 'typescript-language-server', '[ "$1" = --version ] && exit; echo bad >&2; exit 1');
  const [output] = await runToOutputs(engine);
  expect(output).not.toContain('typescript-language-server');
});

const HOSTILE = {
  crash: 'exit 1',
  garbage: 'yes "no message at all"',
  hang: 'sleep 600',
  loud: 'printf "Content-Length: 999999999999\\r\\n\\r\\n"; yes',
};

for (const { cases, tags } of splitCases(Object.entries(HOSTILE), 1))
  sandboxed.each(cases)('a server that does %s costs no result', { tags }, async (_, line) => {
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
