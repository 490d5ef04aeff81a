// Covers scripts, apps/cli: the manual page.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../apps/cli/program/program.ts';
import { toManPage } from './man-page.ts';

const program = await createProgram();
const page = toManPage(program);
const groff = (words: readonly string[], input: string) => spawnSync('groff', words, { encoding: 'utf8', input });
const hasGroff = spawnSync('groff', ['--version']).status === 0;

test('package.json names the page that the build writes', () => {
  const { man } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { man: string };
  expect(man).toBe('dist/man/klaus.1');
});

test('it is ASCII, and no text of a command is a macro', () => {
  expect(page).not.toMatch(/[^\n -~]/);
  const macros = new Set(page.split('\n').flatMap((line) => /^['.]\w*/.exec(line)?.[0] ?? []));
  expect([...macros].toSorted()).toEqual(['.B', '.PP', '.SH', '.SS', '.TH', '.TP', '.br', '.fi', '.nf']);
});

test.skipIf(!hasGroff)('groff accepts it without a warning, and shows every command (skipped without groff)', () => {
  const checked = groff(['-man', '-ww', '-z'], page);
  expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: '' });
  const text = groff(['-man', '-Tutf8', '-P-cbou', '-rLL=200n'], page).stdout;
  for (const command of program.createHelp().visibleCommands(program))
    expect(text).toContain(`klaus ${command.name()}`);
  expect(text).toContain('--output-schema <file>');
  expect(text).toContain('ANTHROPIC_API_KEY');
  expect(text).not.toMatch(/\\[([&(-]/);
  // The check notices a page that is broken.
  expect(groff(['-man', '-ww', '-z'], `${page}.nothing\n`).stderr).not.toBe('');
});
