import type { ClientRestore, Undone } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openDiffView } from '../app/full-views.ts';
import { noteNotRestored } from '../app/not-restored.ts';
import { choose } from '../app/pickers.ts';
import { isWorking } from '../session/session-view.ts';
import type { App } from '../app/app.ts';
import type { TerminalCommand } from './command.ts';

/** Commands that concern the workspace and the context. */
export const WORK_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'undo',
    summary: 'undo the changes of the last prompt in the workspace',
    run: (app) => restore(app, { kind: 'undo' }),
  },
  {
    name: 'redo',
    summary: 'apply the changes of the last undo again',
    run: (app) => restore(app, { kind: 'redo' }),
  },
  {
    name: 'diff',
    argument: '[TURN]',
    summary: 'show the changes of the session, or of one turn',
    async run(app, turn) {
      if (app.link.id === undefined) return app.note('Nothing has changed.');
      const { diff } = await app.client.changes(app.link.id, turn === '' ? 0 : Number(turn));
      return diff === '' ? app.note('Nothing has changed.') : openDiffView(app, 'Changes', diff);
    },
  },
  {
    name: 'compact',
    summary: 'replace old messages by a summary now',
    async run(app) {
      if (app.link.id === undefined) return app.note('The context is empty.');
      await app.client.compact(app.link.id);
      app.note('Old messages are being replaced by a summary.');
      return app.link.continue();
    },
  },
  {
    name: 'pin',
    argument: '[TEXT]',
    summary: 'keep a text in the context, or list and remove pinned texts',
    async run(app, text) {
      const id = await app.link.ensure();
      if (text !== '') return await app.client.pin(id, text);
      const pins = await app.client.pins(id);
      if (pins.length === 0) return app.note('Nothing is pinned. /pin TEXT pins a text.');
      return choose(app, {
        title: 'Unpin:',
        choices: pins.map((pin) => ({ value: pin.id, label: toLine(pin.text, 200) })),
        onChoose: (pin) => app.do(() => app.client.unpin(id, pin)),
      });
    },
  },
];

async function restore(app: App, request: ClientRestore): Promise<void> {
  if (app.link.id === undefined) return app.note('Nothing has changed.');
  if (isWorking(app.link.view)) return app.note('A run is active. Wait until it has ended, or cancel it with Esc.');
  const undone = await app.client.restore(app.link.id, request);
  if (!undone.done) {
    const { conflicts } = undone;
    choose<'keep' | 'overwrite'>(app, {
      title: `Others have changed ${conflicts.slice(0, 3).join(', ')}${conflicts.length > 3 ? ' and more' : ''} since:`,
      choices: [
        { value: 'keep', label: 'leave these files unchanged', detail: 'restore the others' },
        { value: 'overwrite', label: 'restore these files too', detail: 'their changes are lost' },
      ],
      onChoose: (how) =>
        app.do(async () => {
          const again = await app.client.restore(app.link.id!, request, { conflicts: how });
          report(app, request, again);
        }),
    });
    return;
  }
  report(app, request, undone);
}

function report(app: App, { kind }: ClientRestore, undone: Undone): void {
  const { changes } = undone;
  const names = changes
    .slice(0, 5)
    .map(({ path }) => path)
    .join(', ');
  app.note(`${kind === 'undo' ? 'Undone' : 'Redone'}: ${formatNumber(changes.length, 'path')}. ${names}`, 'ok');
  noteNotRestored(app, undone);
}
