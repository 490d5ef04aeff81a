import { useId, useState } from 'react';
import { client } from '../state/client.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { CodeText } from '../ui/code-text.tsx';
import { useQuery } from '../ui/use-query.ts';
import { attachMade } from './attach-made.ts';
import type { SourceProps } from './attach-source.ts';
import { Foot } from './foot.tsx';
import { readIssueLink, type IssueLink } from './issue-link.ts';

/** The address of an issue. The server does not read it. */
export function IssueSource({ draft, scope }: SourceProps) {
  const t = useAttachText();
  const id = useId();
  const [given, setGiven] = useState('');
  const [isTried, setTried] = useState(false);
  const read = readIssueLink(given);
  const problem = typeof read === 'string' ? read : undefined;
  const link = typeof read === 'string' ? undefined : read;
  // While an address is typed, it is incomplete.
  const isShown = problem !== undefined && given.trim() !== '' && (isTried || problem !== 'incomplete');
  const attach = () => {
    setTried(true);
    if (!link) return;
    const { url, label, host } = link;
    const part = { type: 'text', text: t.issue.prompt(label, url) } as const;
    attachMade(draft, { key: crypto.randomUUID(), name: label, size: 0, host, part });
  };
  return (
    <form
      className="dialog-body column"
      onSubmit={(event) => {
        event.preventDefault();
        attach();
      }}
    >
      <label className="column attach-field">
        <span className="label">{t.issue.url}</span>
        <input
          className="field mono"
          data-first
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={given}
          aria-invalid={isShown}
          aria-describedby={id}
          onBlur={() => setTried(given.trim() !== '')}
          onChange={(event) => setGiven(event.target.value)}
        />
      </label>
      <div id={id} className="column attach-notes small">
        {isShown ? (
          <p className="bad" role="alert">
            <CodeText text={t.issue.problems[problem]} />
          </p>
        ) : (
          <p className="muted">{link ? t.issue.shownAs(label(link)) : <CodeText text={t.issue.hint} />}</p>
        )}
        <p className="muted">{t.issue.server}</p>
        {link ? <HostNote link={link} session={scope.session} /> : null}
      </div>
      <Foot onAttach={link ? attach : undefined} />
    </form>
  );
}

function label({ label: name, host }: IssueLink): string {
  return name.startsWith(host) ? name : `${name} (${host})`;
}

/** Whether the model will need an approval to read the page. */
function HostNote({ link: { host, hostname, port }, session }: { link: IssueLink; session: string | undefined }) {
  const t = useAttachText().issue;
  const query = useQuery(`access ${session} ${hostname} ${port}`, async (signal) =>
    session === undefined
      ? undefined
      : client.hostAccess({ params: { id: session }, query: { host: hostname, port } }, { signal }),
  );
  if (session === undefined) return <p className="muted">{t.newSession(host)}</p>;
  return query.value?.allowed === false ? (
    <p className="warn" role="status">
      {t.noAccess(host)}
    </p>
  ) : null;
}
