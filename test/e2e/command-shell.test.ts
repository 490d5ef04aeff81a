// Covers adapters/sandboxes/paths.ts, adapters/tools/shell, core/agent/calls/cut-output.ts: the shell of commands, and their
// output.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import type { Sandbox } from '@klaus/core/agent';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';

const HAS_BASH = existsSync('/bin/bash') || existsSync('/usr/bin/bash');

let place: TestHome;
let sandbox: Sandbox;
beforeEach(async () => {
  place = createTestHome({ 'env.sh': 'export GREETING=hello\n' });
  sandbox = await createSandbox({ workspace: place.workspace, home: place.home, env: place.env });
});
afterEach(() => place[Symbol.dispose]());

async function run(command: string): Promise<string> {
  const context = createToolContext({ workspace: await createWorkspace(place.workspace), sandbox });
  return (await callTool(builtinTools, 'run_command', { input: { command }, context })).text;
}

describe.skipIf(!HAS_BASH)('Bash', () => {
  test.each([
    ['source env.sh; echo "$GREETING"', 'hello'],
    ['[[ abc == a* ]] && echo yes', 'yes'],
    ['echo {1..3}', '1 2 3'],
    ['diff <(echo a) <(echo a) && echo same', 'same'],
    ['a=(x y); echo "${a[1]}"', 'y'],
    ['set -o pipefail; false | true; echo $?', '1'],
  ])('runs %s', async (command, expected) => {
    expect(await run(command)).toBe(`${expected}\n[exit code 0]`);
  });

  test('reads no profile, no BASH_ENV and no function of the environment', async () => {
    writeFileSync(join(place.workspace, 'evil.sh'), 'echo evil\n');
    for (const name of ['BASH_ENV', 'ENV']) {
      const env = { [name]: join(place.workspace, 'evil.sh'), 'BASH_FUNC_ls%%': '() { echo evil; }' };
      const { stdout } = await sandbox.exec({ command: 'ls env.sh', env });
      expect(stdout).toBe('env.sh\n');
    }
  });

  test('is not used with the setting `sh`', async () => {
    expect((await sandbox.exec({ command: 'echo "${BASH_VERSION:-none}"', shell: 'sh' })).stdout).toBe('none\n');
    expect((await sandbox.exec({ command: 'echo "${BASH_VERSION:-none}"' })).stdout).not.toBe('none\n');
  });
});

test('both streams are in the order in which they were written', async () => {
  const command = 'for i in 1 2 3 4 5 6 7 8; do echo out$i; echo err$i >&2; done';
  const lines = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((at) => [`out${at}`, `err${at}`]);
  expect(await run(command)).toBe([...lines, '[exit code 0]'].join('\n'));
});

test('of a line that is written again, the last state is shown', async () => {
  expect(await run("for i in $(seq 300); do printf '\\r%s %%' $i; done; echo; echo done")).toBe(
    '300 %\ndone\n[exit code 0]',
  );
});

test('what is left out is counted in the complete output', async () => {
  const { cutOutput } = await import('../../core/agent/calls/cut-output.ts');
  const cut = cutOutput(await run('yes abcdefghi | head -n 300000'), 8_000);
  const left = Number(/\[… (\d+) characters left out …\]/.exec(cut)![1]);
  const shown = cut.length - `\n\n[… ${left} characters left out …]\n\n`.length - '[exit code 0]'.length;
  expect(Math.abs(left + shown - 3_000_000)).toBeLessThan(200);
});
