import { COMMANDS } from '../actions/commands.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Keys } from './keys.tsx';

/** Every key of the page. */
export function KeysDialog() {
  const t = useText();
  const review = [
    { keys: 'j k', title: t.keys.review1 },
    { keys: 'a', title: t.keys.accept },
    { keys: 'x', title: t.keys.reject },
    { keys: 'e', title: t.keys.edit },
    { keys: 's', title: t.keys.layout },
    { keys: 'mod+Enter', title: t.keys.submit },
  ];
  const toRows = (where: 'session' | undefined) =>
    COMMANDS.flatMap((command) =>
      command.in === where && command.keys !== undefined ? [{ keys: command.keys, title: command.title(t) }] : [],
    );
  const groups = [
    { title: t.keys.global, rows: toRows(undefined) },
    { title: t.keys.session, rows: toRows('session') },
    { title: t.keys.review, rows: review },
  ];
  return (
    <Dialog title={t.keys.title} onClose={closeOverlay} className="dialog-wide">
      <div className="dialog-body keys-dialog" tabIndex={0} role="group" aria-label={t.keys.title}>
        {groups.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map((row) => (
                <div key={row.keys} className="row">
                  <dt>{row.title}</dt>
                  <dd>
                    <Keys keys={row.keys} />
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
