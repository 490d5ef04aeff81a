// Covers adapters/system: Klaus runs no program that a command wrote.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PROGRAMS = [
  ...['git', 'mkfifo', 'bwrap', 'perl', 'sh', 'docker', 'rg', 'apt-get', 'dpkg-deb', 'mount', 'ps', 'cat', 'head'],
  ...['dd', 'sleep', 'timeout', 'mv', 'rm', 'cp', 'kill', 'vi', 'xdg-open'],
];
const SECRET = 'SERVICE_TOKEN=planted-value-93ab17\n';

const command = (text: string, more: object = {}) => ({ name: 'run_command', input: { command: text, ...more } });

for (const { cases, tags } of splitCases(
  [
    { name: 'node_modules/.bin', folder: 'node_modules/.bin' },
    { name: 'a virtual environment', folder: '.venv/bin', mark: '.venv/pyvenv.cfg' },
    { name: 'a folder of the workspace', folder: 'tools' },
    { name: 'the working folder', folder: '.', onPath: '' },
  ],
  2,
))
  test.for(cases)(
    'no program of $name on PATH runs outside of the sandbox',
    { tags },
    async ({ folder, mark, onPath }, { annotate }) => {
      using place = createTestHome({ 'README.md': '# Test\n', '.env': SECRET, '.gitignore': '.env\n' });
      const bin = join(place.workspace, folder);
      const marks = mkdtempSync(join(tmpdir(), 'klaus-ran-'));
      onTestFinished(() => rmSync(marks, { recursive: true, force: true }));
      mkdirSync(bin, { recursive: true });
      if (mark !== undefined) writeFileSync(join(place.workspace, mark), '');
      for (const program of PROGRAMS) {
        // It is read-only in the sandbox.
        const text = `#!/bin/sh\n: > ${marks}/${program}\nPATH=$KLAUS_TEST_PATH:/usr/bin:/bin exec ${program} "$@"\n`;
        writeFileSync(join(bin, program), text);
        chmodSync(join(bin, program), 0o755);
      }
      await using server = await startServer({
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { when: { turn: 0 }, reply: { calls: [command('echo a > a.txt; git add a.txt')] } },
          { when: { turn: 1 }, reply: { calls: [command('/bin/sleep 60', { background: true })] } },
          { when: { turn: 2 }, reply: { calls: [command('echo b >> README.md')] } },
          { when: { turn: 3 }, reply: { text: 'Done.' } },
        ],
      });
      const path = place.env['PATH']!;
      const env = {
        KLAUS_SANDBOX: 'bubblewrap',
        KLAUS_TEST_PATH: path,
        PATH: [onPath ?? bin, path].join(delimiter),
      };
      for (const words of [
        ['run', '--approve', 'auto', 'go'],
        ['diff'],
        ['undo', '--yes'],
        ['doctor'],
        ['db', 'gc', '--yes'],
      ]) {
        const ended = await runKlaus(words, { place, server, env });
        await annotate(`${words.join(' ')}: ${ended.code} ${ended.stderr.slice(-300)}`);
        if (words[0] !== 'doctor') expect(ended).toMatchObject({ code: 0 });
      }
      expect(readdirSync(marks)).toEqual([]);
      expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
    },
  );
