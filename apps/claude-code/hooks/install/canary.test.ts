import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { flyCanary, type CanaryScript } from './canary.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'klaus-canary-'));
});
afterEach(() => rmSync(project, { recursive: true }));

/** A program that sends this result of the first call to its model. */
function fly(result: object | undefined, onStart: (script: CanaryScript) => void = () => {}) {
  return flyCanary({
    program: '/bin/true',
    project,
    env: process.env,
    async startServer(script) {
      onStart(script);
      const content = result === undefined ? [] : [{ type: 'tool_result', ...result }];
      return { url: 'http://127.0.0.1:9', requests: [{ json: { messages: [{ content }] } }], close: async () => {} };
    },
  });
}

test('a denial of the guard is recognized', async () => {
  const content = 'Klaus: this is the canary of the guard';
  expect(await fly({ is_error: true, content })).toEqual({ outcome: 'denied' });
});

test('a call that did not run for another reason is not taken for one that ran', async () => {
  const content = [{ type: 'text', text: 'hook error: /home/u/.klaus/guard/hook:\n not found' }];
  expect(await fly({ is_error: true, content })).toEqual({
    outcome: 'refused',
    saw: 'hook error: /home/u/.klaus/guard/hook: not found',
  });
});

test('a call that ran is shown with what it printed', async () => {
  const content = 'klaus-guard-canary-0123456789abcdef';
  expect(await fly({ content })).toEqual({ outcome: 'ran', saw: content });
});

test('a file that was written is a call that ran', async () => {
  const write = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
  };
  const found = await fly({ is_error: true, content: 'Klaus: this is the canary of the guard' }, ({ steps }) => {
    const [call] = (steps[1]!.reply['calls'] ?? []) as { input: { file_path: string } }[];
    write(call!.input.file_path);
  });
  expect(found).toMatchObject({ outcome: 'ran', saw: expect.stringContaining('.vscode/') });
});

test('a program that makes no call proves nothing', async () => {
  expect(await fly(undefined)).toMatchObject({ outcome: 'unknown' });
});
