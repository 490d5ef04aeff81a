import { useState } from 'react';
import { client } from '../state/client.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { toReason } from '../ui/empty.tsx';

interface PromptFormProps {
  /** An empty name: a new prompt. */
  first: { name: string; description: string | null; text: string };
  onDone: () => void;
  onCancel: () => void;
}

/** The form of a saved prompt. */
export function PromptForm({ first, onDone, onCancel }: PromptFormProps) {
  const { app, sessions, lists } = useText();
  const t = lists.prompts;
  const [{ name, description, text }, setState] = useState({ ...first, description: first.description ?? '' });
  const [error, setError] = useState<unknown>();
  const save = async () => {
    try {
      await client.savePrompt({ params: { name: name.trim() }, body: { description, text } });
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      className="dialog-body column"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label className="column project-field">
        <span className="label">{t.name}</span>
        <input
          className="field mono"
          autoFocus
          value={name}
          readOnly={first.name !== ''}
          spellCheck={false}
          onChange={(event) => setState({ name: event.target.value, description, text })}
        />
      </label>
      <label className="column project-field">
        <span className="label">{t.description}</span>
        <input
          className="field"
          value={description}
          onChange={(event) => setState({ name, description: event.target.value, text })}
        />
      </label>
      <label className="column project-field">
        <span className="label">{t.text}</span>
        <textarea
          className="field prompt-text"
          value={text}
          onChange={(event) => setState({ name, description, text: event.target.value })}
        />
        <small className="muted">
          <CodeText text={t.textHint} />
        </small>
      </label>
      {error === undefined ? null : (
        <p role="alert" className="bad">
          <CodeText text={toReason(error)} />
        </p>
      )}
      <div className="dialog-foot line">
        <Button onClick={onCancel}>{app.cancel}</Button>
        <Button variant="primary" type="submit" disabled={name.trim() === '' || text.trim() === ''}>
          {sessions.save}
        </Button>
      </div>
    </form>
  );
}
