import type { HostState } from './host-state.ts';
import type { Payload, SessionInfo } from './protocol.ts';
import { toParent, type SessionFacts } from './session-facts.ts';
import { toInfo } from './session-info.ts';
import { SocketError } from './socket-error.ts';

/** The agent that needs no definition. */
const BUILT_IN = 'klaus';
/** Sessions above a new one at most, if no agent among them has a limit of its own. */
const MAX_ABOVE = 3;

/** Opens sessions with one prompt and works on them. */
export async function startAgents(host: HostState, payload: Payload<'start-agent'>): Promise<SessionInfo[]> {
  const { agentType, prompt, agentCount, options } = payload;
  const { client, id: instance, root } = host.options;
  const agents = await client.agents(root);
  if (agentType !== BUILT_IN && !agents.some(({ name }) => name === agentType))
    throw new SocketError('E_AGENT_TYPE_INVALID', `There is no agent ${agentType}. \`klaus agents\` lists them.`);
  const startedBy = await findAllowedParent(host, payload);
  const started: SessionInfo[] = [];
  for (let number = 0; number < agentCount; number++) {
    const id = await client.open({
      parts: [{ type: 'text', text: prompt }],
      onAsk: 'wait',
      workspace: root,
      instance,
      startedBy,
      mode: options.mode,
      model: options.model,
      ...(agentType === BUILT_IN ? {} : { agent: agentType }),
    });
    (await host.host(id)).kick();
    // The first session is the current one if there is none.
    if (host.session === undefined) host.setSession(id);
    started.push(await toInfo(host, id));
  }
  return started;
}

/** The session from which new ones are started; undefined without one. */
async function findAllowedParent(host: HostState, payload: Payload<'start-agent'>): Promise<string | undefined> {
  const { agentType, parentSessionId = host.session } = payload;
  if (parentSessionId === undefined) return undefined;
  const { id, facts } = await host.find(parentSessionId);
  const { agent = BUILT_IN, allowedAgents } = facts.opened ?? {};
  if (allowedAgents && !allowedAgents.includes('*') && !allowedAgents.includes(agentType))
    throw new SocketError(
      'E_AGENT_TYPE_NOT_ALLOWED',
      `${agent}, the agent of session ${id}, may not start ${agentType}.`,
    );
  let above: SessionFacts | undefined = facts;
  for (let depth = 1; above; depth++) {
    const limit = toDepthLimit(above);
    if (depth > limit)
      throw new SocketError(
        'E_MAX_DEPTH_EXCEEDED',
        `Session ${id} cannot start another one: at most ${limit} generations are allowed.`,
      );
    const parent = toParent(above);
    above = parent === null ? undefined : (await host.read(parent)).facts;
  }
  return id;
}

/** Generations of sessions below one: as its agent may create, else as many as the user may start. */
function toDepthLimit({ opened }: SessionFacts): number {
  const depths = (opened?.grant.authorities ?? []).flatMap((one) => (one.kind === 'spawn' ? [one.depth] : []));
  return opened?.agent === undefined || depths.length === 0 ? MAX_ABOVE : Math.max(...depths);
}
