import { useState } from 'react';
import { fromText } from '../composer/attachment.ts';
import { client } from '../state/client.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { CodeText } from '../ui/code-text.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { attachMade } from './attach-made.ts';
import type { SourceProps } from './attach-source.ts';
import { Foot } from './foot.tsx';
import { GitPreview, NoRepository } from './git-preview.tsx';

const KINDS = ['all', 'staged'] as const;
/** Names of the attachments. */
const NAMES = { all: 'changes.diff', staged: 'staged.diff' } as const;

/** The uncommitted changes of the workspace. */
export function DiffSource({ draft, scope }: SourceProps) {
  const t = useAttachText();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('all');
  const query = useQuery(`diff ${kind} ${JSON.stringify(scope)}`, (signal) =>
    client.gitDiff({ query: { ...scope, staged: kind === 'staged' ? 'true' : 'false' } }, { signal }),
  );
  const diff = query.isLoading ? undefined : query.value?.diff;
  const text = diff?.text;
  const attach = text ? () => attachMade(draft, fromText(NAMES[kind], text)) : undefined;
  return (
    <div className="dialog-body column">
      {diff === null ? (
        <NoRepository folder={scope.workspace} />
      ) : (
        <div className="segments" role="group" aria-label={t.diff.what}>
          {KINDS.map((it) => (
            <button
              key={it}
              type="button"
              aria-pressed={it === kind}
              {...(it === kind ? { 'data-first': true } : {})}
              onClick={() => setKind(it)}
            >
              {t.diff[it]}
            </button>
          ))}
        </div>
      )}
      <div className="attach-body column">
        <Pending query={query.isLoading ? { ...query, value: undefined } : query} title={t.diff.failed} rows={6} />
        {diff?.text === '' ? <NoChanges kind={kind} hasSecrets={diff.leftOut.length > 0} /> : null}
        {diff && diff.text !== '' ? <GitPreview value={diff} kind="diff" /> : null}
      </div>
      <Foot onAttach={attach} />
    </div>
  );
}

function NoChanges({ kind, hasSecrets }: { kind: (typeof KINDS)[number]; hasSecrets: boolean }) {
  const t = useAttachText().diff;
  return (
    <div className="empty column muted" role="status">
      <p className="empty-title">{hasSecrets ? t.onlySecrets : kind === 'all' ? t.none : t.noneStaged}</p>
      {kind === 'staged' && !hasSecrets ? (
        <p className="empty-hint">
          <CodeText text={t.noneStagedHint} />
        </p>
      ) : null}
    </div>
  );
}
