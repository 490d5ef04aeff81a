import type { SessionView } from '@klaus/server/contract';
import type { ChatClient, SessionClient } from '@klaus/sdk/client';
import { readChatState } from '../chat-state.ts';
import type { ConnectedServer } from './connect-server.ts';

/** How many of the newest sessions of a folder are checked for a chat to continue. */
const MAX_CHECKED = 50;

/** The chats of a server. */
export function createHttpChat(
  { client, ask }: ConnectedServer,
  { events }: Pick<SessionClient, 'events'>,
): ChatClient {
  const isChat = async ({ id, parent }: SessionView, agent: string | undefined): Promise<boolean> => {
    if (parent !== null) return false;
    const { events: first } = await ask(client.log({ params: { id }, query: { limit: 1 } }));
    const [opened] = first;
    return opened?.type === 'session.opened' && opened.chat === true && opened.agent === agent;
  };
  return {
    // The server refuses an unknown agent when the session is opened.
    chatAgent: ({ name }) =>
      Promise.resolve({ name: name === 'klaus' ? undefined : name, keepsHistory: true, notes: [] }),
    async latestChat({ agent, cwd }) {
      const workspace = cwd ?? (await ask(client.settings())).workspace;
      const { sessions } = await ask(client.sessions({ query: { workspace, limit: MAX_CHECKED } }));
      for (const session of sessions) if (await isChat(session, agent)) return session;
      return undefined;
    },
    async startMode(workspace) {
      const { mode, modeChosenAt } = await ask(client.settings({ query: { workspace } }));
      return { mode, chosenAt: modeChosenAt ?? undefined };
    },
    async chooseMode(mode) {
      await ask(client.chooseMode({ body: { mode } }));
    },
    chatState: (id) => readChatState(events(id)),
  };
}
