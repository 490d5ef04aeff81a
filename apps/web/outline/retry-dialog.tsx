import type { UserEntry } from '@klaus/core/conversation';
import type { Part } from '@klaus/core/protocol';
import { useCallback } from 'react';
import { attempt } from '../actions/attempt.ts';
import { conversationOf } from '../log/session-log.ts';
import { toModelName } from '../composer/model-name.ts';
import { matchWords } from '../shell/match-words.ts';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { text, useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FilterList } from '../ui/filter-list.tsx';

/** Chooses a model, and repeats the prompt of an answer with it in a fork. */
export function RetryDialog({ session, seq }: { session: string; seq: number }) {
  const t = useChangesText();
  const words = useText();
  const { models } = useStore(host);
  const find = useCallback(
    (query: string) =>
      models
        .filter(({ name, description }) => matchWords(`${name} ${toModelName(name)} ${description}`, query.trim()))
        .map(({ name, usable }) => ({
          key: name,
          name: toModelName(name),
          isDisabled: !usable,
          run: () => void retryWith(session, seq, name),
        })),
    [models, session, seq],
  );
  return (
    <Dialog title={t.retry.title} onClose={closeOverlay} hasHead={false} className="palette">
      <FilterList
        label={t.retry.title}
        placeholder={t.retry.search}
        noMatches={t.retry.none}
        variant="palette"
        find={find}
        onClose={closeOverlay}
      >
        {({ key, name, isDisabled }) => (
          <>
            <span className="ellipsis grow">
              {name} <span className="muted small">{key}</span>
            </span>
            {isDisabled ? <span className="muted small">{words.composer.modelNoKey}</span> : null}
          </>
        )}
      </FilterList>
    </Dialog>
  );
}

async function retryWith(session: string, seq: number, model: string): Promise<void> {
  const prompt = conversationOf(session)?.entries.findLast(
    (entry): entry is UserEntry => entry.kind === 'user' && !entry.steered && entry.seq < seq,
  );
  if (!prompt) return;
  const parts: Part[] = [
    ...(prompt.text === '' ? [] : [{ type: 'text' as const, text: prompt.text }]),
    ...prompt.images,
    ...prompt.files,
  ];
  const forked = await attempt(() =>
    client.fork({ params: { id: session }, body: { before: prompt.id, model, parts } }),
  );
  if (!forked) return;
  go(toSession(forked.session));
  showToast({
    kind: 'info',
    text: text().conversation.retriedInFork,
    lastsMs: 8_000,
    action: { label: text().conversation.toOriginal, run: () => go(toSession(session)) },
  });
}
