import type { Undone } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import type { App } from './app.ts';

/** Notes the folders of tools that a restore left as they are, with the commands that rebuild them. */
export function noteNotRestored(app: App, { notRestored }: Pick<Undone, 'notRestored'>): void {
  for (const { path, command } of notRestored) {
    const how = command === undefined ? 'the tool that made it rebuilds it' : `rebuild it with ${toLine(command, 200)}`;
    app.note(`Not restored: ${toLine(path, 200)}; ${how}.`, 'warn');
  }
}
