import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLAIN_PATH } from './npm.ts';

export type AgentPlace = ReturnType<typeof createAgentPlace>;

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Sums\n\nAdds numbers.\n',
  'package.json': '{ "name": "sums", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
  'test/sum.test.js':
    "import { strictEqual } from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n\ntest('adds', () => strictEqual(sum(2, 3), 5));\n",
};

/**
 * Makes an empty home and a git repository of its own for one agent and one task, and files for what the agent writes.
 *
 * @param folder Must not exist.
 * @param node Folder of the program `node` that agents find first.
 */
export function createAgentPlace(folder: string, node: string) {
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  const temporary = join(folder, 'tmp');
  for (const each of [home, workspace, temporary]) mkdirSync(each, { recursive: true });
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const env = {
    PATH: `${node}:${PLAIN_PATH}`,
    HOME: home,
    PWD: workspace,
    TMPDIR: temporary,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
  for (const words of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...identity, 'commit', '-q', '-m', 'Begin'],
  ]) {
    execFileSync('git', words, { cwd: workspace, env });
  }
  return { home, workspace, stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr'), env };
}
