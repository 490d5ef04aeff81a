import { BookOpen, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { CallEntry, Conversation } from '@klaus/core/conversation';
import { formatDuration } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import { EntryView } from './entry-view.tsx';
import { toGroupFacts } from './read-group.ts';

/** Consecutive calls that only read, as one line that expands to the calls. */
export const ReadGroupView = memo(function ReadGroupView({
  calls,
  conversation,
  isMarked,
}: {
  calls: readonly CallEntry[];
  conversation: Conversation;
  /** Opens the group of the event in the address. */
  isMarked: boolean;
}) {
  const t = useText();
  const [isOpen, setOpen] = useSavedState(`group ${calls[0]!.id}`, isMarked);
  const facts = toGroupFacts(calls);
  return (
    <section className={isMarked ? 'entry-marked' : ''} aria-label={t.layout.reads(facts)}>
      <div className="entry call">
        <button type="button" className="call-head bare line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight size={14} className="fold-mark muted" />
          <BookOpen size={14} className="muted" aria-hidden />
          <span className="ellipsis grow muted">{t.layout.reads(facts)}</span>
          <span className="call-facts small muted number">
            {facts.failed > 0 ? <span className="bad">{t.layout.readsFailed(facts.failed)}</span> : null}
            <span>{formatDuration(facts.durationMs)}</span>
          </span>
        </button>
      </div>
      {isOpen ? (
        <div className="call-group">
          {calls.map((call) => (
            <EntryView
              key={call.id}
              entry={call}
              conversation={conversation}
              progress={undefined}
              attempt={undefined}
              isMarked={false}
            />
          ))}
        </div>
      ) : null}
    </section>
  );
});
