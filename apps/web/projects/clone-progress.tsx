import type { CloneView } from '@klaus/server/contract';
import { useEffect, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { openProject } from './open-project.ts';

/** Milliseconds between two requests for the progress. */
const PAUSE_MS = 400;

/** Loads the state of a clone until it ends. A lost connection only delays it. */
function useClone(first: CloneView): [clone: CloneView, set: (clone: CloneView) => void] {
  const [clone, setClone] = useState(first);
  const { id, state } = clone;
  useEffect(() => {
    if (state !== 'running') return undefined;
    const ended = new AbortController();
    const timer = setInterval(() => {
      client.clone({ params: { id } }, { signal: ended.signal }).then(setClone, () => undefined);
    }, PAUSE_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [id, state]);
  return [clone, setClone];
}

/** The progress of a clone, and its end. */
export function CloneProgress({ first, onAgain }: { first: CloneView; onAgain: () => void }) {
  const t = useListsText().projects;
  const { app } = useText();
  const [clone, setClone] = useClone(first);
  const { id, path, state, phase, percent, problem } = clone;
  useEffect(() => {
    if (state !== 'done') return;
    closeOverlay();
    openProject(path);
  }, [state, path]);
  const cancel = async () => {
    const cancelled = await attempt(() => client.cancelClone({ params: { id } }));
    if (cancelled) setClone(cancelled);
  };
  return (
    <div className="dialog-body column">
      <p className="project-path">{t.cloning(path)}</p>
      {state === 'running' ? (
        <>
          <progress className="clone-bar" max={100} value={percent ?? undefined} aria-label={t.cloning(path)} />
          <p className="small muted number">{phase === null ? t.begins : t.phase(phase, percent)}</p>
          <p className="small muted">{t.inBackground}</p>
          {/* Without the percentage, which a screen reader would announce at every step. */}
          <p className="unseen" role="status">
            {phase ?? t.begins}
          </p>
        </>
      ) : null}
      {state === 'cancelled' ? <p role="status">{t.cancelled}</p> : null}
      {problem ? (
        <div role="alert">
          <p className="bad">
            <CodeText text={problem.title} />
          </p>
          {problem.detail === undefined ? null : (
            <p className="muted">
              <CodeText text={problem.detail} />
            </p>
          )}
        </div>
      ) : null}
      <div className="dialog-foot line">
        {state === 'running' ? (
          <Button variant="danger" onClick={() => void cancel()}>
            {t.cancelClone}
          </Button>
        ) : (
          <>
            <Button onClick={closeOverlay}>{app.close}</Button>
            <Button variant="primary" onClick={onAgain}>
              {app.retry}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
