import type { CopyConflict, FileSolution, MergeAnswer } from '@klaus/server/contract';
import { useId, useState, type ReactNode } from 'react';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

const SIDES = ['target', 'copy'] as const;
type Side = (typeof SIDES)[number];
type Hunk = CopyConflict['hunks'][number];
/** How a hunk is solved; `text`: its edited text. */
type Choice = Side | 'both' | { text: string };
type Conflicted = Extract<MergeAnswer, { done: false }>;

interface ConflictFormProps {
  conflicted: Conflicted;
  isSending: boolean;
  onSolved: (files: FileSolution[]) => void;
  /** Absent if an agent cannot solve them. */
  onAgent?: () => void;
  onCancel: () => void;
  /** Why the last attempt failed. */
  children: ReactNode;
}

/** The conflicts of a merge, to be solved hunk by hunk. A file without hunks is taken from one side. */
export function ConflictForm({ conflicted, isSending, onSolved, onAgent, onCancel, children }: ConflictFormProps) {
  const t = useBoardText();
  const words = useText();
  const { conflicts, into, at } = conflicted;
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const keys = conflicts.flatMap(({ path, hunks }) =>
    hunks.length === 0 ? [toKey(path)] : hunks.map((_, index) => toKey(path, index)),
  );
  const done = keys.filter((key) => choices.has(key)).length;
  const choose = (key: string, choice: Choice) => setChoices(new Map(choices).set(key, choice));
  const submit = () =>
    onSolved(
      conflicts.map(({ path, hunks }): FileSolution => {
        const side = choices.get(toKey(path));
        if (hunks.length === 0) return { path, side: side === 'target' ? 'target' : 'copy' };
        return { path, hunks: hunks.map((_, index) => choices.get(toKey(path, index))!) };
      }),
    );
  return (
    <form
      className="conflict-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div
        className="dialog-body column conflict-list"
        tabIndex={0}
        role="group"
        aria-label={t.conflicts(keys.length, into)}
      >
        <p role="status">
          {t.conflicts(keys.length, into)}
          {at === undefined ? null : ` ${t.conflictsAt(at.slice(0, 10))}`}
        </p>
        {conflicts.map((conflict) => (
          <section key={conflict.path} className="column conflict-file" aria-label={conflict.path}>
            <h3 className="mono ellipsis" title={conflict.path}>
              {conflict.path}
            </h3>
            {conflict.hunks.length === 0 ? (
              <FileConflict conflict={conflict} choice={choices.get(toKey(conflict.path))} onChoose={choose} />
            ) : null}
            {conflict.hunks.map((hunk, index) => {
              const key = toKey(conflict.path, index);
              return (
                <HunkConflict
                  key={key}
                  {...{ path: conflict.path, hunk, into, choice: choices.get(key) }}
                  onChoose={(choice) => choose(key, choice)}
                />
              );
            })}
          </section>
        ))}
      </div>
      <div className="conflict-foot column">
        {children}
        <div className="dialog-foot line">
          <span className="muted number grow">{t.solved(done, keys.length)}</span>
          <Button onClick={onCancel}>{words.app.cancel}</Button>
          {onAgent ? (
            <Button disabled={isSending} onClick={onAgent}>
              {t.byAgent}
            </Button>
          ) : null}
          <Button type="submit" variant="primary" disabled={isSending || done < keys.length}>
            {t.finish}
          </Button>
        </div>
      </div>
    </form>
  );
}

function toKey(path: string, index?: number): string {
  return index === undefined ? path : `${path}\0${index}`;
}

interface FileConflictProps {
  conflict: CopyConflict;
  choice: Choice | undefined;
  onChoose: (key: string, choice: Side) => void;
}

function FileConflict({ conflict, choice, onChoose }: FileConflictProps) {
  const t = useBoardText();
  const name = useId();
  const { path, messages, sides } = conflict;
  return (
    <>
      {messages.map((message) => (
        <p key={message} className="small muted">
          {message}
        </p>
      ))}
      {sides.length === 0 ? <p className="warn">{t.notHere}</p> : null}
      {sides.length === 0 ? null : (
        <fieldset className="choices line" aria-label={path}>
          {SIDES.map((side) => (
            <label key={side} className="check line">
              <input type="radio" name={name} checked={choice === side} onChange={() => onChoose(toKey(path), side)} />
              {sides.includes(side) ? t.takeFile[side] : t.deleteFile[side]}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

interface HunkConflictProps {
  path: string;
  hunk: Hunk;
  into: string;
  choice: Choice | undefined;
  onChoose: (choice: Choice) => void;
}

function HunkConflict({ path, hunk, into, choice, onChoose }: HunkConflictProps) {
  const t = useBoardText();
  const name = useId();
  const kind = typeof choice === 'object' ? 'edit' : choice;
  const both = hunk.target + hunk.copy;
  const options = [...SIDES, 'both' as const, ...(hunk.isEditable ? ['edit' as const] : [])];
  return (
    <div className="conflict column" role="group" aria-label={t.conflictAt(path, hunk.line)}>
      <div className="conflict-sides">
        {SIDES.map((side) => (
          <figure
            key={side}
            className={`column conflict-side ${kind === side || kind === 'both' ? 'conflict-taken' : ''}`}
          >
            <figcaption className="small muted">{side === 'target' ? t.inBranch(into) : t.inCopy}</figcaption>
            <pre className="mono wrap">
              {hunk[side] === '' ? <em className="muted">{t.nothingThere}</em> : hunk[side]}
            </pre>
          </figure>
        ))}
      </div>
      <fieldset className="choices line" aria-label={t.conflictAt(path, hunk.line)}>
        {options.map((each) => (
          <label key={each} className="check line">
            <input
              type="radio"
              name={name}
              checked={kind === each}
              onChange={() => onChoose(each === 'edit' ? { text: toText(hunk, choice) ?? both } : each)}
            />
            {t.take[each]}
          </label>
        ))}
      </fieldset>
      {typeof choice === 'object' ? (
        <textarea
          className="field mono"
          rows={Math.min(16, choice.text.split('\n').length + 1)}
          aria-label={t.edited(path, hunk.line)}
          value={choice.text}
          onChange={(event) => onChoose({ text: event.target.value })}
          onBlur={() => {
            // The lines after the hunk begin on a line of their own.
            if (choice.text !== '' && !choice.text.endsWith('\n')) onChoose({ text: `${choice.text}\n` });
          }}
        />
      ) : null}
    </div>
  );
}

/** The text of a choice, with which an edit begins; undefined without one. */
function toText(hunk: Hunk, choice: Choice | undefined): string | undefined {
  if (choice === undefined || choice === 'both') return undefined;
  return typeof choice === 'object' ? choice.text : hunk[choice];
}
