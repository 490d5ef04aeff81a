// Covers examples, sdk: the example programs run.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelServer, parseScript } from '@klaus/adapters/models';
import { afterAll, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';

const examples = join(import.meta.dirname, '../../examples');
const folder = mkdtempSync(join(tmpdir(), 'klaus-examples-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs an example as a person would, in a folder of its own, against a model that plays `script`. */
async function runExample(name: string, script: string) {
  const server = await createModelServer({ script: await parseScript(script, `${name}.yaml`) });
  try {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'README.md'), 'one\ntwo\nthree\n');
    const { PATH = '' } = process.env;
    const env = {
      PATH,
      HOME: join(folder, 'home'),
      ANTHROPIC_API_KEY: 'sk-ant-test',
      ANTHROPIC_BASE_URL: server.url,
    };
    const child = spawn(process.execPath, [join(examples, name)], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
    }
    const [code] = await once(child, 'close');
    return { code, ...output };
  } finally {
    await server.close();
  }
}

test('define-a-tool: the model calls the tool, and its result is in the answer', async () => {
  const script = `
steps:
  - when: { tools: false }
    reply: { text: Lines of README.md }
  - reply:
      text: 'I count them. '
      calls: [{ name: count_lines, input: { path: README.md } }]
  - reply: { text: "README.md has {{result | match '[0-9]+'}} lines." }
`;
  const result = await runExample('define-a-tool.ts', script);
  expect(result).toEqual({ code: 0, stdout: 'I count them. README.md has 3 lines.', stderr: '' });
});
