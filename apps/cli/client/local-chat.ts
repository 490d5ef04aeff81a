import type { AgentDefinition, Klaus } from '@klaus/sdk';
import type { ChatAgent, ChatClient } from '@klaus/sdk/client';
import { readChatState } from './chat-state.ts';
import { toFolder } from './open-klaus.ts';

/** The agent that a definition cannot replace. */
const BUILT_IN = 'klaus';

/** The chats of the engine in this process. */
export function createLocalChat(klaus: Klaus): Omit<ChatClient, 'latestChat'> {
  return {
    chatAgent: (query) => findChatAgent(klaus, query),
    recordUse: (agent = BUILT_IN) => klaus.agents().recordUse(agent, 'cli'),
    chatState: async (id) => readChatState((await klaus.session(id)).events()),
  };
}

async function findChatAgent(
  klaus: Klaus,
  { name, isStart, cwd }: Parameters<ChatClient['chatAgent']>[0],
): Promise<ChatAgent> {
  const agents = klaus.agents(...(cwd === undefined ? [] : [toFolder(cwd)]));
  const { AGENT_BUILDER } = await import('@klaus/sdk');
  const { agents: found } = await agents.list();
  const find = (wanted: string): AgentDefinition | undefined =>
    found.find(({ definition }) => definition.name === wanted)?.definition;
  const create = async (): Promise<ChatAgent> => {
    const file = await agents.save(AGENT_BUILDER);
    const note = `The agent ${AGENT_BUILDER.name} was created: ${file}. It helps to create agents.`;
    return toChatAgent(AGENT_BUILDER, [note]);
  };
  if (name === AGENT_BUILDER.name && !find(name)) return create();
  if (name !== undefined) return toChatAgent(name === BUILT_IN ? undefined : (await agents.find(name)).definition);
  const last = (await klaus.store.lastHostEvent('agent.used', ''))?.agent;
  if (last === undefined && isStart && found.length === 0) {
    const created = await create();
    return { ...created, notes: ['This is the first start.', ...created.notes] };
  }
  if (last === undefined || last === BUILT_IN) return toChatAgent(undefined);
  const definition = find(last);
  if (definition) return toChatAgent(definition);
  return toChatAgent(undefined, [`The agent ${last}, which was used last, is not defined here. This is Klaus itself.`]);
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
