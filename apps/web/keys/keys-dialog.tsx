import { COMMANDS } from '../actions/commands.ts';
import type { PageCommand } from '../actions/page-command.ts';
import { closeOverlay } from '../state/overlay.ts';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { boundKeys } from './bindings.ts';
import { hasCharacter } from './keymap.ts';
import { Keys } from './keys.tsx';
import { LetterKeys } from './letter-keys.tsx';

/** A row with the shortcut in use; none if the user removed it. */
function toBound(keys: string, title: string): { keys: string; title: string }[] {
  const bound = boundKeys(keys);
  return bound === undefined ? [] : [{ keys: bound, title }];
}

export function KeysDialog() {
  const t = useText();
  const { letterKeys } = useStore(preferences);
  const review = [
    { keys: 'j k', title: t.keys.stepHunks },
    { keys: 'a', title: t.keys.acceptHunk },
    { keys: 'x', title: t.keys.rejectHunk },
    { keys: 'e', title: t.keys.editHunk },
    { keys: 'c', title: t.keys.comment },
    { keys: 's', title: t.keys.layout },
    { keys: 'mod+Enter', title: t.keys.submit },
  ];
  const message = [
    { keys: 'Enter', title: t.keys.send },
    { keys: 'alt+Enter', title: t.keys.queue },
    { keys: 'shift+Enter', title: t.keys.newline },
    { keys: 'ArrowUp', title: t.keys.history },
    { keys: 'alt+q', title: t.keys.nextQuestion },
  ];
  const toRows = (where: PageCommand['in']) =>
    COMMANDS.flatMap((command) =>
      command.in === where && command.keys !== undefined ? toBound(command.keys, command.title(t)) : [],
    );
  const groups = [
    { title: t.keys.global, rows: toRows(undefined) },
    { title: t.keys.session, rows: toRows('session') },
    { title: t.keys.question, rows: toRows('question') },
    { title: t.keys.file, rows: toRows('file') },
    { title: t.keys.inChanges, rows: toRows('changes') },
    { title: t.keys.review, rows: review },
    { title: t.keys.inMessage, rows: message },
  ];
  return (
    <Dialog title={t.keys.title} onClose={closeOverlay} className="dialog-wide">
      <div className="keys-letters">
        <LetterKeys />
      </div>
      <div className="dialog-body column keys-dialog" tabIndex={0} data-first role="group" aria-label={t.keys.title}>
        {groups.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map((row) => (
                <div
                  key={row.keys}
                  className={`row line ${!letterKeys && hasCharacter(row.keys) ? 'keys-off muted' : ''}`}
                >
                  <dt>{row.title}</dt>
                  <dd>
                    <Keys keys={row.keys} isFixed />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
