import { useContext } from 'react';
import { createInFlightText, type Conversation } from '@klaus/core/conversation';
import { toRows } from '../conversation/rows.ts';
import { toHash, toSession } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { Loading } from '../ui/empty.tsx';
import { RowContext } from './row-context.ts';
import { useChildLog } from './use-child-log.ts';

/** Rows that are shown in place. The page of the session shows all of them. */
const MAX_ROWS = 60;
const NO_TEXT = createInFlightText();

/** The conversation of an agent, below the call that started it. */
export function ChildConversation({ id, agent }: { id: string; agent: string }) {
  const t = useText();
  const { conversation, seq, isFailed } = useChildLog(id, true);
  if (!conversation) {
    return isFailed ? <p className="child-note small bad">{t.children.failed}</p> : <Loading rows={2} />;
  }
  return (
    <div className="child-conversation" role="group" aria-label={t.children.conversation(agent)}>
      <ChildRows conversation={conversation} version={seq} />
    </div>
  );
}

function ChildRows({ conversation, version }: { conversation: Conversation; version: number }) {
  const t = useText();
  const RowView = useContext(RowContext);
  const rows = toRows({ conversation, inFlight: NO_TEXT, queue: [], isComplete: true });
  const left = Math.max(0, rows.length - MAX_ROWS);
  return (
    <>
      {left > 0 ? (
        <p className="child-note small muted">
          <a href={toHash(toSession(conversation.session))}>{t.children.earlier(left)}</a>
        </p>
      ) : null}
      {rows.slice(left).map((row) => (
        <RowView
          key={row.key}
          row={row}
          conversation={conversation}
          version={version}
          progress={undefined}
          isMarked={false}
        />
      ))}
    </>
  );
}
