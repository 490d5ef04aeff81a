import {
  addPiece,
  createConversation,
  createInFlightText,
  foldConversation,
  removeStored,
  type Conversation,
  type InFlightText,
} from '@klaus/sdk/conversation';
import type { Event, Live } from '@klaus/sdk';
import type { DriveState, QueuedMessage } from '@klaus/sdk/client';

/** What is known of the session that the terminal shows. It is changed in place. */
export interface SessionView {
  conversation: Conversation;
  /** Name of its agent; undefined before its first event. */
  agent: string | undefined;
  inFlight: InFlightText;
  /** Messages and shell commands that no run has taken, the oldest first. */
  queue: readonly QueuedMessage[];
  /** Undefined before this process has looked. */
  drive: DriveState | undefined;
}

/** Each block of an answer is written as soon as it is complete: only one can change. */
export const MIN_PART = 0;

export function createSessionView(session: string): SessionView {
  return {
    conversation: createConversation(session),
    agent: undefined,
    inFlight: createInFlightText(MIN_PART),
    queue: [],
    drive: undefined,
  };
}

export function addEvent(view: SessionView, event: Event): void {
  if (event.type === 'session.opened') view.agent = event.agent ?? 'klaus';
  removeStored(view.inFlight, event);
  foldConversation(view.conversation, event);
}

export function addLive(view: SessionView, live: Live): void {
  addPiece(view.inFlight, live);
}

/** True while something is being done, by this process or another. */
export function isWorking({ drive }: SessionView): boolean {
  return drive?.state === 'working' || drive?.state === 'busy';
}

/** True for a run without an end that no process works on, and that waits for no answer. */
export function isInterrupted(view: SessionView): boolean {
  const { conversation, drive } = view;
  return (
    conversation.run !== undefined && conversation.approvals.size === 0 && !isWorking(view) && drive?.state !== 'parked'
  );
}
