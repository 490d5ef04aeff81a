import type { AgentDefinition, Klaus } from '@klaus/sdk';
import type { ChatAgent, ChatClient } from '@klaus/sdk/client';
import { readChatState } from './chat-state.ts';
import { toShortPath } from '../output/short-path.ts';
import { toFolder } from './open-klaus.ts';

/** The agent that a definition cannot replace. */
const BUILT_IN = 'klaus';

/** The chats of the engine in this process. */
export function createLocalChat(klaus: Klaus): Omit<ChatClient, 'latestChat'> {
  return {
    chatAgent: (query) => findChatAgent(klaus, query),
    startMode: (workspace) => klaus.startMode(workspace === undefined ? {} : { workspace: toFolder(workspace) }),
    chooseMode: (mode) => klaus.chooseMode(mode, { by: 'cli' }),
    chatState: async (id) => readChatState((await klaus.session(id)).events()),
  };
}

async function findChatAgent(
  klaus: Klaus,
  { name, isStart, cwd }: Parameters<ChatClient['chatAgent']>[0],
): Promise<ChatAgent> {
  const agents = klaus.agents(...(cwd === undefined ? [] : [toFolder(cwd)]));
  const isDefined = async (wanted: string): Promise<boolean> =>
    (await agents.list()).agents.some((agent) => agent.name === wanted);
  const { AGENT_BUILDER } = await import('@klaus/sdk');
  const builder = AGENT_BUILDER.name;
  if (name === builder && !(await isDefined(builder))) {
    const file = await agents.save(AGENT_BUILDER);
    return toChatAgent(AGENT_BUILDER, [`The agent ${builder} was created: ${file}. It helps to create agents.`]);
  }
  if (name !== undefined && name !== BUILT_IN) {
    const found = await agents.find(name);
    return toChatAgent({ ...found.definition, name: found.name });
  }
  if (!isStart || (await klaus.sessions({ limit: 1 })).length > 0 || (await agents.list()).agents.length > 0)
    return toChatAgent(undefined);
  try {
    const file = await agents.save(AGENT_BUILDER);
    return toChatAgent(undefined, [
      `First start: ${toShortPath(file)} was created. \`klaus chat ${builder}\` helps to create agents.`,
    ]);
  } catch (error) {
    // Another first start has created it.
    if (await isDefined(builder)) return toChatAgent(undefined);
    throw error;
  }
}

function toChatAgent(definition: AgentDefinition | undefined, notes: readonly string[] = []): ChatAgent {
  const keepsHistory = definition?.config?.preserve_history !== false;
  return { name: definition?.name, keepsHistory, notes };
}

/** Id of the session that a chat continues. */
export async function findLatestChat(
  klaus: Klaus,
  { agent, cwd, root }: Parameters<ChatClient['latestChat']>[0],
): Promise<string | undefined> {
  const workspace = cwd === undefined ? undefined : toFolder(cwd);
  return (await klaus.latest({ with: 'chat', agent, workspace, root }))?.id;
}
