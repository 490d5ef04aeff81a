// Covers apps/cli, apps/terminal, core, sdk, adapters, docs: the commands that messages and pages name exist.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNoCommand } from './command-check.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync(['{apps,core,sdk,adapters}/**/*.{ts,tsx}', 'README.md', 'docs/**/*.md'], {
  cwd: ROOT,
  exclude: (path) => /node_modules|\.test\.ts|\.d\.ts|\/dist\/|docs\/reference|from-(?:aba|klaus-code)/.test(path),
});

/** The command lines in backquotes, with `ID` in the place of what a template fills in. */
function readCommands(text: string): string[] {
  return [...text.replaceAll(/\$\{[^{}`]*\}/g, 'ID').matchAll(/`(klaus(?: [^`\n\\]+)?)\\?`/g)].map(([, line]) => line!);
}

/** What is wrong with the name of a command or an option. Words that a message leaves out, such as an id, are not. */
const WRONG = /unknown option|unknown command|there is no command [a-z-]+$|Allowed choices/;
/** Other spellings, and a line whose error a page shows. */
const OTHERS = /^klaus (?:help |--list$|--approve yolo$)|…/;

test('every command in backquotes is one that the program takes', async () => {
  const found = new Map(
    FILES.flatMap((file) => readCommands(readFileSync(join(ROOT, file), 'utf8')).map((line) => [line, file])),
  );
  expect(found.size).toBeGreaterThan(150);
  const wrong = await Promise.all(
    [...found].map(async ([line, file]) => {
      const why = line === 'klaus' || OTHERS.test(line) ? undefined : await whyNoCommand(line);
      return why !== undefined && WRONG.test(why) ? [`${file}: ${line}: ${why}`] : [];
    }),
  );
  expect(wrong.flat()).toEqual([]);
});
