import type { ChildView, Conversation } from '@klaus/core/conversation';
import type { SessionView } from '@klaus/server/contract';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';

export interface AskingChild {
  child: ChildView;
  session: SessionView;
}

/** The agents of a session that wait for an answer of the user, or that have agents that do. */
export function useAsking({ children }: Pick<Conversation, 'children'>): AskingChild[] {
  const { sessions } = useStore(host);
  return [...children.values()].flatMap((child) => {
    const session = sessions.get(child.id);
    return session?.state === 'needs-you' ? [{ child, session }] : [];
  });
}
