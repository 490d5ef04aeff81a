import { headOf } from '@klaus/core/cut-text';
import type { RepositoryView } from '@klaus/server/contract';
import { useMemo, useRef, useState } from 'react';
import { toChangedFiles } from '../changes/changed-file.ts';
import { parseDiff } from '@klaus/core/conversation';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useStore } from '../state/store.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { CallStatus } from './call-status.tsx';
import { CommitEnd } from './commit-end.tsx';
import { CommitFiles } from './commit-files.tsx';
import { useCalls } from './use-calls.ts';
import './commit.css';

/** Commits changes of a session, on the current branch or on a new one. */
export function CommitDialog({ session }: { session: string }) {
  const t = useChangesText();
  const loaded = useQuery(session, async (signal) => {
    const params = { id: session };
    const [{ repository }, { changes, diff }] = await Promise.all([
      client.repository({ params }, { signal }),
      client.changes({ params, query: {} }, { signal }),
    ]);
    return { repository, files: toChangedFiles(changes, parseDiff(diff)) };
  });
  const { value } = loaded;
  return (
    <Dialog title={t.commit.title} onClose={closeOverlay} className="dialog-wide commit">
      <Pending query={loaded} title={t.commit.failed} rows={6} />
      {value?.repository === null ? <NoRepository text={t.commit.noRepository} /> : null}
      {value?.repository?.writable === false ? <NoRepository text={t.commit.outside} /> : null}
      {value?.repository?.writable ? (
        <CommitForm session={session} repository={value.repository} files={value.files} />
      ) : null}
    </Dialog>
  );
}

function NoRepository({ text }: { text: string }) {
  const t = useText();
  return (
    <div className="dialog-body column">
      <p>
        <CodeText text={text} />
      </p>
      <div className="dialog-foot line">
        <Button onClick={closeOverlay}>{t.app.close}</Button>
      </div>
    </div>
  );
}

interface CommitFormProps {
  session: string;
  repository: RepositoryView;
  files: ReturnType<typeof toChangedFiles>;
}

function CommitForm({ session, repository, files }: CommitFormProps) {
  const t = useChangesText();
  const words = useText();
  const known = sessionOf(useStore(host), session);
  const [message, setMessage] = useState(headOf((known && nameOf(known)) ?? '', 200));
  const [isNew, setNew] = useState(false);
  const [branch, setBranch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(files.map(({ path }) => path)));
  const { state, run } = useCalls(session);
  const created = useRef<string | undefined>(undefined);
  const name = branch.trim();
  const isInvalid = isNew && name !== '' && !isBranchName(name);
  const canSend =
    state.kind !== 'running' && message.trim() !== '' && chosen.size > 0 && (!isNew || (name !== '' && !isInvalid));
  const paths = useMemo(() => files.map(({ path }) => path).filter((path) => chosen.has(path)), [files, chosen]);
  if (state.kind === 'done' && state.step === 'commit') return <CommitEnd session={session} output={state.output} />;
  const submit = async () => {
    if (!canSend) return;
    const params = { id: session };
    // A branch that was created is not created again after a failed commit.
    if (isNew && created.current !== name) {
      const end = await run('branch', () => client.createBranch({ params, body: { name } }));
      if (!end?.isOk) return;
      created.current = name;
    }
    await run('commit', () => client.commit({ params, body: { message: message.trim(), paths } }));
  };
  return (
    <form
      className="dialog-body column"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
      }}
    >
      <p>{repository.branch === null ? t.commit.detached : t.commit.on(repository.branch)}</p>
      <label className="check line">
        <input type="checkbox" checked={isNew} onChange={(event) => setNew(event.target.checked)} />
        {t.commit.newBranch}
      </label>
      {isNew ? (
        <label className="column">
          <span className="muted">{t.commit.branchName}</span>
          <input
            className="field mono"
            value={branch}
            maxLength={200}
            spellCheck={false}
            aria-invalid={isInvalid}
            onChange={(event) => setBranch(event.target.value)}
          />
          {isInvalid ? (
            <span className="small bad">
              <CodeText text={t.commit.badBranch} />
            </span>
          ) : null}
        </label>
      ) : null}
      <label className="column">
        <span className="muted">{t.commit.message}</span>
        <textarea
          className="field"
          data-first
          rows={4}
          maxLength={20_000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </label>
      <CommitFiles files={files} chosen={chosen} onChange={setChosen} />
      <CallStatus session={session} state={state} />
      <div className="dialog-foot line">
        <Button onClick={closeOverlay}>{state.kind === 'running' ? words.app.close : words.app.cancel}</Button>
        <Button type="submit" needs="operator" variant="primary" disabled={!canSend}>
          {t.commit.submit(chosen.size)}
        </Button>
      </div>
    </form>
  );
}

/** What git accepts as the name of a branch, without its rarer cases. */
function isBranchName(name: string): boolean {
  return /^(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)|\/$|\.$))[A-Za-z0-9][\w./+@-]{0,199}$/.test(name);
}
