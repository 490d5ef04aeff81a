import { headOf } from '@klaus/core/cut-text';
import { useCallback, useMemo, useState } from 'react';
import { fromText } from '../composer/attachment.ts';
import { conversationOf } from '../log/session-log.ts';
import { matchWords } from '../shell/match-words.ts';
import { client } from '../state/client.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import type { AttachText } from '../text/attach/en-attach.ts';
import { formatBytes } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Empty, Loading, Pending } from '../ui/empty.tsx';
import { FilterList } from '../ui/filter-list.tsx';
import { Time } from '../ui/time.tsx';
import { useQuery } from '../ui/use-query.ts';
import { attachMade } from './attach-made.ts';
import type { SourceProps } from './attach-source.ts';
import { ChosenTitle } from './chosen-title.tsx';
import { listFailures, toOutputEnd, type Failure } from './failures.ts';
import { Foot } from './foot.tsx';

/** Characters of a command in the name of the attachment. */
const MAX_NAME = 60;

/** A failed command or check of the session. */
export function FailureSource({ draft, scope }: SourceProps) {
  const t = useAttachText().failure;
  const words = useText();
  const [chosen, setChosen] = useState<Failure | undefined>();
  const { session } = scope;
  const conversation = session === undefined ? undefined : conversationOf(session);
  const failures = useMemo(() => (conversation ? listFailures(conversation) : []), [conversation, conversation?.seq]);
  const find = useCallback(
    (query: string) =>
      failures
        .filter(({ command }) => matchWords(command, query.trim()))
        .map((failure) => ({ ...failure, run: () => setChosen(failure) })),
    [failures],
  );
  if (chosen && session !== undefined) {
    return <Chosen draft={draft} session={session} failure={chosen} onBack={() => setChosen(undefined)} />;
  }
  if (failures.length > 0) {
    return (
      <FilterList
        label={t.list}
        placeholder={t.find}
        noMatches={t.none}
        variant="palette"
        find={find}
        onClose={() => undefined}
      >
        {({ command, exitCode, isCheck, at }) => (
          <span className="column grow attach-row">
            <span className="mono ellipsis" dir="auto">
              {command}
            </span>
            <small className="ellipsis">
              <span className="bad">{words.call.exit(exitCode)}</span>
              <span className="muted">
                {isCheck ? `, ${t.check}` : ''}, <Time at={at} />
              </span>
            </small>
          </span>
        )}
      </FilterList>
    );
  }
  const title = session === undefined ? t.notBegun : t.empty;
  return (
    <div className="dialog-body column">
      {session !== undefined && !conversation ? <Loading rows={4} /> : <Empty title={title} hint={t.emptyHint} />}
      <Foot onAttach={undefined} />
    </div>
  );
}

interface ChosenProps {
  draft: string;
  session: string;
  failure: Failure;
  onBack: () => void;
}

function Chosen({ draft, session, failure, onBack }: ChosenProps) {
  const t = useAttachText();
  const { call, key } = failure;
  const query = useQuery(`output ${key}`, async (signal) =>
    call?.isCut === true
      ? client.callOutput({ params: { id: session, call: call.id } }, { signal })
      : (call?.output ?? ''),
  );
  const text = query.value === undefined ? undefined : toText(failure, query.value, t.failure);
  const name = t.failure.name(headOf(failure.command.replaceAll(/\s+/g, ' '), MAX_NAME));
  return (
    <div className="dialog-body column">
      <div className="attach-body column">
        <ChosenTitle text={failure.command} isCode />
        <Pending query={query} title={t.failure.failed} rows={6} />
        {text === undefined ? null : (
          <>
            <p className="number" role="status">
              {formatBytes(text.length)}
            </p>
            <div className="attach-preview column" role="group" aria-label={t.preview} tabIndex={0}>
              <pre className="attach-text wrap">{text}</pre>
            </div>
          </>
        )}
      </div>
      <Foot onAttach={text === undefined ? undefined : () => attachMade(draft, fromText(name, text))} onBack={onBack} />
    </div>
  );
}

function toText({ command, exitCode, call }: Failure, output: string, t: AttachText['failure']): string {
  const end = toOutputEnd(output);
  const lines = [`${t.command}: ${command}`, `${t.exitCode}: ${exitCode ?? t.bySignal}`, ''];
  return [...lines, ...(call && end !== '' ? [`${t.output}:`, end] : [t.noOutput])].join('\n');
}
