import { CircleCheck, ExternalLink } from 'lucide-react';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useQuery } from '../ui/use-query.ts';

/** The commit, and how it becomes a pull request. */
export function CommitEnd({ session, output }: { session: string; output: string }) {
  const t = useChangesText();
  const words = useText();
  // The branch may be a new one.
  const { value } = useQuery(session, (signal) => client.repository({ params: { id: session } }, { signal }));
  const { branch = null, remote = null } = value?.repository ?? {};
  const push = remote && branch ? `git push -u ${remote.name} ${branch}` : undefined;
  return (
    <div className="dialog-body column">
      <p className="line" role="status">
        <CircleCheck size={16} className="good" aria-hidden />
        {t.commit.done}
      </p>
      <pre className="commit-output wrap" tabIndex={0} aria-label={t.commit.output}>
        {output}
      </pre>
      {push === undefined ? null : (
        <>
          <p>{t.commit.pushHint}</p>
          <p className="command line">
            <code className="grow wrap">{push}</code>
            <CopyButton text={push} label={t.commit.copyPush} />
          </p>
        </>
      )}
      <div className="dialog-foot line">
        {remote?.compare ? (
          <a className="button button-plain" href={remote.compare} target="_blank" rel="noreferrer">
            <ExternalLink size={14} aria-hidden />
            {t.commit.openCompare}
          </a>
        ) : null}
        <Button variant="primary" data-first onClick={closeOverlay}>
          {words.app.close}
        </Button>
      </div>
    </div>
  );
}
