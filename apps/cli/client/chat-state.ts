import type { Event } from '@klaus/sdk';
import { type ChatState, toPromptText } from './chat-client.ts';

/** Folds what a chat shows of its session. */
export async function readChatState(events: AsyncIterable<Event>): Promise<ChatState> {
  const prompts: string[] = [];
  const empty = { workspace: '', grant: { authorities: [] }, mode: '', model: '', tools: [], deferred: [] };
  const state: ChatState = { ...empty, prompts };
  for await (const event of events) {
    if (event.type === 'session.opened') {
      const { workspace, grant, mode, model, tools, deferred = [] } = event;
      Object.assign(state, { workspace, grant, mode, model, tools, deferred });
    } else if (event.type === 'grant.changed') state.grant = event.grant;
    else if (event.type === 'session.changed') {
      state.mode = event.mode ?? state.mode;
      state.model = event.model ?? state.model;
    } else if (event.type === 'message.added' && event.message.origin === 'user')
      prompts.push(toPromptText(event.message));
  }
  return state;
}
