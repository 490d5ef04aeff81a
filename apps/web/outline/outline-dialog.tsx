import type { Conversation } from '@klaus/core/conversation';
import { useCallback } from 'react';
import { conversationOf } from '../log/session-log.ts';
import { matchWords } from '../shell/match-words.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go } from '../state/route.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FilterList, type FilterItem } from '../ui/filter-list.tsx';
import { toPrompts } from './prompts.ts';

interface Item extends FilterItem {
  number: number;
  text: string;
  status: string;
}

/** The prompts of a session with the state of their runs. Enter goes to the selected one. */
export function OutlineDialog({ session }: { session: string }) {
  const t = useChangesText();
  const words = useText();
  const conversation: Conversation | undefined = conversationOf(session);
  const find = useCallback(
    (query: string): Item[] =>
      (conversation ? toPrompts(conversation) : []).flatMap(({ seq, text, outcome, isUndone }, at) => {
        if (!matchWords(text, query.trim())) return [];
        const state = outcome === undefined ? t.outline.running : words.facts.outcome[outcome];
        const status = isUndone ? `${state}, ${words.conversation.undone}` : state;
        const run = () => go({ page: 'session', id: session, tab: 'conversation', seq });
        return [{ key: String(seq), number: at + 1, text, status, run }];
      }),
    [conversation, session, t, words],
  );
  return (
    <Dialog title={t.outline.title} onClose={closeOverlay} hasHead={false} className="palette">
      <FilterList
        label={t.outline.title}
        placeholder={t.outline.search}
        noMatches={t.outline.none}
        variant="palette"
        find={find}
        onClose={closeOverlay}
      >
        {({ number, text, status }) => (
          <>
            <span className="muted number">{number}</span>
            <span className="ellipsis grow">{text}</span>
            <span className="muted small">{status}</span>
          </>
        )}
      </FilterList>
    </Dialog>
  );
}
