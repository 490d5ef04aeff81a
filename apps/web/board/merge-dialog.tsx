import type { FileSolution, MergeAnswer } from '@klaus/server/contract';
import { useState } from 'react';
import { client } from '../state/client.ts';
import { go, toSession } from '../state/route.ts';
import { showToast } from '../state/toasts.ts';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toReason } from '../ui/empty.tsx';
import { ConflictForm } from './conflict-form.tsx';
import type { NamedCopy } from './discard-dialog.tsx';

const METHODS = ['squash', 'merge', 'rebase'] as const;
type Method = (typeof METHODS)[number];
type Merged = Extract<MergeAnswer, { done: true }>;
type Conflicted = Extract<MergeAnswer, { done: false }>;

interface Step {
  at?: string;
  files: FileSolution[];
}

interface MergeDialogProps extends NamedCopy {
  /** Number of other working copies in the comparison. */
  rest: number;
  onClose: () => void;
  onMerged: () => void;
  onDiscardRest: () => void;
}

/** Merges one working copy: the method, then its conflicts if there are some, then what becomes of the others. */
export function MergeDialog({ id, letter, copy, rest, onClose, onMerged, onDiscardRest }: MergeDialogProps) {
  const t = useBoardText();
  const words = useText();
  const [method, setMethod] = useState<Method>('squash');
  const [into, setInto] = useState(copy.target ?? '');
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const [merged, setMerged] = useState<Merged | undefined>();
  const [conflicted, setConflicted] = useState<Conflicted | undefined>();
  /** The solutions of earlier commits of a rebase. */
  const [solved, setSolved] = useState<readonly Step[]>([]);
  const run = async (work: () => Promise<void>) => {
    setSending(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    }
    setSending(false);
  };
  const merge = (steps: readonly Step[], of?: Conflicted) =>
    run(async () => {
      const solution = of ? { solution: { target: of.target, head: of.head, steps: [...steps] } } : {};
      const body = { method, into, ...solution };
      const answer = await client.mergeCopy({ params: { copy: copy.name }, body }).catch((failure: unknown) => {
        // The branch may have changed, so the conflicts are asked for again.
        setConflicted(undefined);
        setSolved([]);
        throw failure;
      });
      setSolved(answer.done ? [] : steps);
      setConflicted(answer.done ? undefined : answer);
      if (!answer.done) return;
      setMerged(answer);
      onMerged();
    });
  const askAgent = () =>
    run(async () => {
      const { prompt } = await client.showCopyConflicts({ params: { copy: copy.name }, body: { into } });
      await client.sendPrompt({ params: { id }, body: { text: prompt, delivery: 'queue' } });
      showToast({ kind: 'info', text: t.byAgentSent, lastsMs: 12_000 });
      go(toSession(id));
    });
  const problem =
    error === undefined ? null : (
      <p className="bad" role="alert">
        {toReason(error)}
      </p>
    );
  if (conflicted) {
    return (
      <Dialog title={t.mergeTitle(letter)} onClose={onClose} className="merge-conflicts">
        <ConflictForm
          key={`${conflicted.head} ${conflicted.target} ${conflicted.at}`}
          conflicted={conflicted}
          isSending={isSending}
          onCancel={onClose}
          {...(method === 'rebase' ? {} : { onAgent: () => void askAgent() })}
          onSolved={(files) => {
            const { at } = conflicted;
            void merge([...solved, { at, files }], conflicted);
          }}
        >
          {problem}
        </ConflictForm>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.mergeTitle(letter)} onClose={onClose}>
      {merged ? (
        <MergedView {...{ merged, rest, onClose, onDiscardRest }} />
      ) : (
        <form
          className="dialog-body column"
          onSubmit={(event) => {
            event.preventDefault();
            void merge([]);
          }}
        >
          <MethodFields {...{ method, setMethod, into, setInto }} />
          <p className="muted">{t.mergeText}</p>
          {problem}
          <div className="dialog-foot line">
            <Button onClick={onClose}>{words.app.cancel}</Button>
            <Button type="submit" variant="primary" data-first disabled={isSending || into.trim() === ''}>
              {t.doMerge}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

interface MergedViewProps extends Pick<MergeDialogProps, 'rest' | 'onClose' | 'onDiscardRest'> {
  merged: Merged;
}

/** The result, and what becomes of the other working copies. */
function MergedView({ merged, rest, onClose, onDiscardRest }: MergedViewProps) {
  const t = useBoardText();
  const words = useText();
  return (
    <div className="dialog-body column">
      <p role="status">{t.merged(merged.into, merged.commit.slice(0, 10))}</p>
      {merged.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <div className="dialog-foot line">
        <Button data-first onClick={onClose}>
          {rest > 0 ? t.later : words.app.close}
        </Button>
        {rest > 0 ? (
          <Button variant="danger" onClick={onDiscardRest}>
            {t.discardRest(rest)}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

interface MethodFieldsProps {
  method: Method;
  setMethod: (method: Method) => void;
  into: string;
  setInto: (branch: string) => void;
}

function MethodFields({ method, setMethod, into, setInto }: MethodFieldsProps) {
  const t = useBoardText();
  return (
    <>
      <fieldset className="choices column">
        <legend>{t.method}</legend>
        {METHODS.map((each) => (
          <label key={each} className="check line">
            <input type="radio" name="method" checked={method === each} onChange={() => setMethod(each)} />
            <span>
              {t.methods[each]}
              <span className="small muted column">{t.methodHints[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label className="column">
        <span className="small muted">{t.into}</span>
        <input className="field mono" required value={into} onChange={(event) => setInto(event.target.value)} />
      </label>
    </>
  );
}
