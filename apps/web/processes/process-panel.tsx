import type { Conversation } from '@klaus/core/conversation';
import { memo, useMemo } from 'react';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { countProcessEvents } from './use-processes.ts';

const ProcessList = lazyComponent(async () => (await import('./process-list.tsx')).ProcessList);

interface ProcessPanelProps {
  conversation: Conversation;
  /** Its seq: the conversation is changed in place. */
  version: number;
}

/** The background processes of a session; nothing if it started none. */
export const ProcessPanel = memo(function ProcessPanel({ conversation, version }: ProcessPanelProps) {
  const count = useMemo(() => countProcessEvents(conversation), [conversation, version]);
  return count === 0 ? null : <ProcessList session={conversation.session} version={count} />;
});
