import { useEffect, useState } from 'react';
import { createConversation, foldConversation, type Conversation } from '@klaus/core/conversation';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';

export interface ChildLog {
  /** Undefined until it is loaded. */
  conversation: Conversation | undefined;
  /** Seq of the conversation, which is changed in place. */
  seq: number;
  isFailed: boolean;
}

/** Events of one request. */
const PAGE = 2_000;

/** Folded logs, so that a card that is scrolled out of view and back does not load them again. */
const folded = new Map<string, Conversation>();
const loading = new Map<string, Promise<Conversation>>();

/**
 * The conversation of a child session. It has no stream of its own, because a browser limits the connections: the list
 * of sessions reports each change, and then the new events are loaded.
 */
export function useChildLog(id: string, isWanted: boolean): ChildLog {
  const lastSeq = useStore(host).sessions.get(id)?.lastSeq;
  const known = folded.get(id);
  const [{ seq, isFailed }, setState] = useState({ seq: known?.seq ?? 0, isFailed: false });
  useEffect(() => {
    if (!isWanted) return undefined;
    let isShown = true;
    loadFrom(id, lastSeq).then(
      (it) => isShown && setState({ seq: it.seq, isFailed: false }),
      () => isShown && setState((before) => ({ ...before, isFailed: true })),
    );
    return () => {
      isShown = false;
    };
  }, [id, isWanted, lastSeq]);
  return { conversation: folded.get(id), seq, isFailed };
}

/** Folds the events up to a seq; without one all present events. Two cards of one session share the requests. */
async function loadFrom(id: string, lastSeq: number | undefined): Promise<Conversation> {
  await loading.get(id)?.catch(() => undefined);
  const known = folded.get(id);
  if (known && lastSeq !== undefined && known.seq >= lastSeq) return known;
  const next = load(id);
  loading.set(id, next);
  try {
    return await next;
  } finally {
    if (loading.get(id) === next) loading.delete(id);
  }
}

async function load(id: string): Promise<Conversation> {
  const conversation = folded.get(id) ?? createConversation(id);
  for (;;) {
    const query = { after: conversation.seq, limit: PAGE };
    const { events, last } = await client.log({ params: { id }, query });
    for (const event of events) foldConversation(conversation, event);
    if (events.length === 0 || conversation.seq >= last) break;
  }
  folded.set(id, conversation);
  return conversation;
}
