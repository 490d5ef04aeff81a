import type { CommitView } from '@klaus/server/contract';
import { useCallback, useState } from 'react';
import { fromText } from '../composer/attachment.ts';
import { matchWords } from '../shell/match-words.ts';
import { client } from '../state/client.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { FilterList } from '../ui/filter-list.tsx';
import { Time } from '../ui/time.tsx';
import { useQuery } from '../ui/use-query.ts';
import { attachMade } from './attach-made.ts';
import type { SourceProps } from './attach-source.ts';
import { ChosenTitle } from './chosen-title.tsx';
import { Foot } from './foot.tsx';
import { GitPreview, NoRepository } from './git-preview.tsx';

/** Digits of a hash that are shown. */
const SHORT = 10;

/** One of the latest commits of the workspace. */
export function CommitSource({ draft, scope }: SourceProps) {
  const t = useAttachText();
  const [chosen, setChosen] = useState<CommitView | undefined>();
  const query = useQuery(`commits ${JSON.stringify(scope)}`, (signal) =>
    client.gitCommits({ query: scope }, { signal }),
  );
  const commits = query.value?.commits;
  const find = useCallback(
    (words: string) =>
      (commits ?? [])
        .filter(({ subject, author, hash }) => matchWords(`${subject} ${author} ${hash}`, words.trim()))
        .map((commit) => ({ ...commit, key: commit.hash, run: () => setChosen(commit) })),
    [commits],
  );
  if (chosen) return <Chosen draft={draft} scope={scope} commit={chosen} onBack={() => setChosen(undefined)} />;
  if (commits && commits.length > 0) {
    return (
      <FilterList
        label={t.commit.list}
        placeholder={t.commit.find}
        noMatches={t.commit.none}
        variant="palette"
        find={find}
        onClose={() => undefined}
      >
        {({ hash, subject, author, at }) => (
          <>
            <span className="mono muted small">{hash.slice(0, SHORT)}</span>
            <span className="column grow attach-row">
              <span className="ellipsis" dir="auto">
                {subject}
              </span>
              <small className="muted ellipsis">
                {author}, <Time at={Date.parse(at)} />
              </small>
            </span>
          </>
        )}
      </FilterList>
    );
  }
  return (
    <div className="dialog-body column">
      <Pending query={query} title={t.commit.failed} rows={6} />
      {commits === null ? <NoRepository folder={scope.workspace} /> : null}
      {commits ? <Empty title={t.commit.empty} /> : null}
      <Foot onAttach={undefined} />
    </div>
  );
}

function Chosen({ draft, scope, commit, onBack }: SourceProps & { commit: CommitView; onBack: () => void }) {
  const t = useAttachText();
  const { hash, subject } = commit;
  const query = useQuery(`commit ${hash} ${JSON.stringify(scope)}`, (signal) =>
    client.gitCommit({ params: { hash }, query: scope }, { signal }),
  );
  const value = query.value?.commit;
  const name = `commit-${hash.slice(0, SHORT)}.diff`;
  const text = value?.text;
  return (
    <div className="dialog-body column">
      <div className="attach-body column">
        <ChosenTitle text={subject} />
        <Pending query={query} title={t.commit.failedOne} rows={6} />
        {value === null ? <NoRepository folder={scope.workspace} /> : null}
        {value ? <GitPreview value={value} kind="commit" /> : null}
      </div>
      <Foot onAttach={text ? () => attachMade(draft, fromText(name, text)) : undefined} onBack={onBack} />
    </div>
  );
}
