import { execFile } from 'node:child_process';
import { toPrintable } from '@klaus/sdk/printable';
import { openLinesView } from '../app/full-views.ts';
import { wrap } from '../view/wrap.ts';
import type { App } from '../app/app.ts';

/** Shows what this program prints for other words, such as `doctor`. */
export async function runProgram(app: App, title: string, words: readonly string[]): Promise<void> {
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      toProgramArguments(words),
      { cwd: app.options.folder, env: { ...process.env, NO_COLOR: '1' } },
      (_error, stdout, stderr) => resolve(`${stderr}${stdout}`),
    );
  });
  openLinesView(app, title, (width) => wrap(toPrintable(output).trimEnd(), width));
}

/** What Node gets to run this program for other words. */
export function toProgramArguments(words: readonly string[]): string[] {
  return [...process.execArgv, process.argv[1] ?? '', ...words];
}
