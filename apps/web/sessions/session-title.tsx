import { headOf } from '@klaus/core/cut-text';
import { useState } from 'react';
import { renameSession } from '../actions/session-actions.ts';
import { useSignal } from '../actions/use-signal.ts';
import { hasAccess } from '../state/access.ts';
import { useText } from '../text/text.ts';

/** The title of a session. A double-click or a shortcut turns it into a text field. Enter and blur save, Escape cancels. */
export function SessionTitle({ session, name }: { session: string; name: string }) {
  const t = useText();
  const [value, setValue] = useState<string | undefined>();
  useSignal('rename', () => setValue(name));
  const finish = (isSaved: boolean) => {
    const title = value?.trim() ?? '';
    setValue(undefined);
    if (isSaved && title !== '' && title !== name) void renameSession(session, title);
  };
  if (value === undefined) {
    return (
      <h1 className="session-title">
        <button
          type="button"
          className="bare ellipsis"
          dir="auto"
          title={t.sessions.titleWithHint(headOf(name, 300))}
          aria-description={t.sessions.renameHint}
          // A single click must not start editing: it is often only meant to blur another field.
          onClick={({ detail }) => {
            if (detail !== 1 && hasAccess('operator')) setValue(name);
          }}
        >
          {name}
        </button>
      </h1>
    );
  }
  return (
    <h1 className="session-title">
      <input
        className="field"
        autoFocus
        dir="auto"
        maxLength={200}
        aria-label={t.sessions.renameLabel}
        value={value}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setValue(event.target.value)}
        onBlur={() => finish(true)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          finish(event.key === 'Enter');
        }}
      />
    </h1>
  );
}
