import type { Event, Message } from '@klaus/sdk';
import type { ChatState } from '@klaus/sdk/client';

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

/** The text of a prompt, for the input history. */
function toPromptText({ parts }: Pick<Message, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
