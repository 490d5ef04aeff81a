// Covers core/agent/authors, core/agent/workspace, adapters/sandboxes: an edit, tests, a commit and an undo in small repositories of seven languages, while a person saves files.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';
import { createTestHome } from '../fixtures/test-home.ts';

interface Language {
  name: string;
  /** Programs without which it is skipped. */
  needs: readonly string[];
  /** The file with the fault: `a - b` instead of `a + b`. */
  faulty: string;
  files: Readonly<Record<string, string>>;
  /** Fails with the fault, and succeeds without it. */
  tests: string;
}

const NODE_TEST = `import { test } from 'node:test';
import assert from 'node:assert/strict';
test('adds', () => assert.equal(add(2, 3), 5));
`;

const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    needs: ['node'],
    faulty: 'src/add.mjs',
    files: {
      'src/add.mjs': 'export const add = (a, b) => a - b;\n',
      'add.test.mjs': `import { add } from './src/add.mjs';\n${NODE_TEST}`,
    },
    tests: 'node --test',
  },
  {
    name: 'TypeScript',
    needs: ['node'],
    faulty: 'src/add.mts',
    files: {
      'src/add.mts': 'export const add = (a: number, b: number): number => a - b;\n',
      'add.test.mts': `import { add } from './src/add.mts';\n${NODE_TEST}`,
    },
    tests: 'node --test add.test.mts',
  },
  {
    name: 'Python',
    needs: ['python3'],
    faulty: 'calc/add.py',
    files: {
      'calc/__init__.py': '',
      'calc/add.py': 'def add(a, b):\n    return a - b\n',
      'test_add.py':
        'import unittest\nfrom calc.add import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(2, 3), 5)\n',
      '.gitignore': '__pycache__/\n',
    },
    tests: 'python3 -m unittest -q',
  },
  {
    name: 'Go',
    needs: ['go'],
    faulty: 'add.go',
    files: {
      'go.mod': 'module example.com/calc\n\ngo 1.20\n',
      'add.go': 'package calc\n\nfunc Add(a, b int) int { return a - b }\n',
      'add_test.go':
        'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    tests: 'go test ./...',
  },
  {
    name: 'Rust',
    needs: ['cargo', 'cc'],
    faulty: 'src/lib.rs',
    files: {
      'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs':
        'pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n',
      '.gitignore': 'target/\nCargo.lock\n',
    },
    tests: 'cargo test --offline --quiet',
  },
  {
    name: 'Java',
    needs: ['javac', 'java'],
    faulty: 'src/Calc.java',
    files: {
      'src/Calc.java': 'class Calc {\n  static int add(int a, int b) {\n    return a - b;\n  }\n}\n',
      'src/CalcTest.java':
        'class CalcTest {\n  public static void main(String[] words) {\n    if (Calc.add(2, 3) != 5) System.exit(1);\n  }\n}\n',
      '.gitignore': 'out/\n',
    },
    tests: 'javac -d out src/*.java && java -cp out CalcTest',
  },
  {
    name: 'C',
    needs: ['make', 'cc'],
    faulty: 'add.c',
    files: {
      'add.c': 'int add(int a, int b) { return a - b; }\n',
      'check.c': 'int add(int a, int b);\n\nint main(void) { return add(2, 3) == 5 ? 0 : 1; }\n',
      Makefile: 'check: add.c check.c\n\tcc -o $@ add.c check.c\n\ntest: check\n\t./check\n',
      '.gitignore': 'check\n',
    },
    tests: 'make test',
  },
];

/** Where the programs of the user are, whose home folder is another one here. */
const TOOLS = {
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
  PYENV_ROOT: process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'),
};
const isThere = (program: string): boolean => spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
type Call = NonNullable<NonNullable<Script['steps'][number]['reply']>['calls']>[number];

const MESSAGE = 'Add instead of subtracting';
const NOTES = 'notes of the person\n';

for (const { cases, tags } of splitCases(LANGUAGES, 1))
  test.for(cases)(
    '$name: an edit, its tests, the commit and the undo touch nothing that a person saves at the same time',
    { tags, timeout: 300_000 },
    async ({ needs, faulty, files, tests }, context) => {
      context.skip(!needs.every(isThere), `needs ${needs.join(', ')}`);
      using place = createTestHome({ ...files, 'notes.txt': 'before\n' });
      const at = (path: string): string => join(place.workspace, path);
      const read = (path: string): string => readFileSync(at(path), 'utf8');
      const git = (...words: string[]): string =>
        execFileSync('git', words, { cwd: place.workspace, env: place.env, encoding: 'utf8' }).trim();
      git('config', 'user.name', 'Test');
      git('config', 'user.email', 'test@localhost');
      // A command of the session waits for a line in it.
      spawnSync('mkfifo', [at('.gate')]);
      git('config', 'core.excludesFile', '.git/info/exclude');
      writeFileSync(at('.git/info/exclude'), '.gate\n.notes.txt.swp\n');
      const calls: Call[] = [
        { name: 'edit_file', input: { path: faulty, edits: [{ old: 'a - b', new: 'a + b' }] } },
        { name: 'run_command', input: { command: `read _ < .gate; ${tests}` } },
        { name: 'git_commit', input: { message: MESSAGE, paths: [faulty] } },
      ];
      const steps = calls.map((call, turn) => ({ when: { turn, tools: true }, reply: { calls: [call] } }));
      await using server = await startServer({ steps, fallback: { text: 'Done.' } });
      const options = { place, server, env: { KLAUS_SANDBOX: 'bubblewrap', ...TOOLS } };

      const running = startKlaus(['run', '--json', 'Fix the sum.'], options);
      const gate = await open(at('.gate'), 'w');
      // As an editor does that has the file open.
      writeFileSync(at('.notes.txt.swp'), 'b0VIM 9.1');
      writeFileSync(at('notes.txt'), NOTES);
      await gate.write('\n');
      await gate.close();
      const { code, stdout } = await running.ended;
      expect({ code, stdout }).toMatchObject({ code: 0 });
      rmSync(at('.notes.txt.swp'));
      writeFileSync(at('later.txt'), NOTES);

      const ends = ofType(toEvents(stdout), 'tool.finished');
      expect(ends.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
      expect(git('log', '-1', '--format=%s')).toBe(MESSAGE);
      expect(git('show', '--name-only', '--format=', 'HEAD')).toBe(faulty);

      const undone = await runKlaus(['undo', '--json'], options);
      expect(JSON.parse(undone.stdout)).toMatchObject({ unclear: ['notes.txt'] });
      expect(undone.code).toBe(1);
      expect(read(faulty)).toContain('a - b');
      expect([read('notes.txt'), read('later.txt')]).toEqual([NOTES, NOTES]);
      expect(await runKlaus(['redo'], options)).toMatchObject({ code: 0 });
      expect(read(faulty)).toContain('a + b');
      expect([read('notes.txt'), read('later.txt')]).toEqual([NOTES, NOTES]);
    },
  );
