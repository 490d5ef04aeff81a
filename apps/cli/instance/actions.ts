import type { SessionClient } from '@klaus/sdk/client';
import { isKlausError } from '../program/exit-codes.ts';
import { findInstance } from './find-instance.ts';
import type { HostState } from './host-state.ts';
import type { Action, Actions, Payload, Result } from './protocol.ts';
import { sendRequest } from './send-request.ts';
import { toParent } from './session-facts.ts';
import { toInfo } from './session-info.ts';
import { SocketError } from './socket-error.ts';
import { startAgents } from './start-agents.ts';

/** The handlers of the socket of an instance. A request for another instance is passed to that one. */
export function createActions(host: HostState): Actions {
  const own: Actions = {
    ping: async () => ({ pong: true, instanceId: host.options.id, timestamp: new Date().toISOString() }),
    status: (payload) => status(host, payload),
    'start-agent': async (payload) => {
      const sessions = await startAgents(host, payload);
      const [first] = sessions;
      if (payload.options.checkout) await checkOut(host, { sessionId: first!.sessionId });
      return { ...first!, instanceId: host.options.id, sessions };
    },
    checkout: (payload) => checkOut(host, payload),
    message: (payload) => message(host, payload),
    interrupt: (payload) => interrupt(host, payload),
  };
  const route =
    <A extends Action>(action: A) =>
    async (payload: Payload<A>): Promise<Result<A>> => {
      const { instanceId, ...rest } = payload;
      if (instanceId === undefined || host.options.id === instanceId) return own[action](payload);
      const target = findInstance(host.options.instances, { project: host.project, wanted: instanceId });
      if (target.id === host.options.id) return own[action](payload);
      const answer = await sendRequest(target.socket ?? '', { action, payload: rest });
      if (answer.ok) return answer.result;
      throw new SocketError(answer.error.code, answer.error.message);
    };
  return {
    ping: route('ping'),
    status: route('status'),
    'start-agent': route('start-agent'),
    checkout: route('checkout'),
    message: route('message'),
    interrupt: route('interrupt'),
  };
}

async function status(host: HostState, { sessionId, waitSeconds }: Payload<'status'>): Promise<Result<'status'>> {
  const { options, project, paths, startedAt, session } = host;
  const current = session === undefined || host.hosted.has(session) ? [] : [session];
  const ids = sessionId === undefined ? [...current, ...host.hosted.keys()] : [(await host.find(sessionId)).id];
  if (waitSeconds !== undefined) {
    const waiting = await Promise.all(ids.map((id) => toExisting(() => attend(host, id))));
    await Promise.all(waiting.flatMap((hosted) => hosted?.settled(waitSeconds) ?? []));
  }
  return {
    instanceId: options.id,
    pid: process.pid,
    projectHash: project,
    projectRoot: options.root,
    socketPath: paths.socket,
    startedAt,
    sessionId: session ?? null,
    checkoutInProgress: host.isCheckingOut,
    sessions: (await Promise.all(ids.map((id) => toExisting(() => toInfo(host, id))))).flatMap((info) => info ?? []),
  };
}

/** The session, kept advancing. Its run is continued if it was interrupted. */
async function attend(host: HostState, id: string): Promise<ReturnType<HostState['host']>> {
  const isNew = !host.hosted.has(id);
  const hosted = await host.host(id);
  if (isNew && hosted.facts.run !== undefined) hosted.kick();
  return hosted;
}

/** Undefined for a session that was deleted. */
async function toExisting<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isKlausError(error) && error.code === 'usage') return undefined;
    if (error instanceof SocketError && error.code === 'E_SESSION_NOT_FOUND') return undefined;
    throw error;
  }
}

async function isRunning(host: HostState, id: string): Promise<boolean> {
  return (await toExisting(() => host.options.client.session(id)))?.held ?? false;
}

async function checkOut(host: HostState, payload: Payload<'checkout'>): Promise<Result<'checkout'>> {
  if (host.isCheckingOut) throw new SocketError('E_CHECKOUT_IN_PROGRESS', 'Another checkout has not ended.');
  host.isCheckingOut = true;
  try {
    const target = payload.sessionId ?? (await findParent(host, payload.fromSessionId));
    const { id } = await host.find(target);
    if (payload.waitSeconds !== undefined) await (await attend(host, id)).settled(payload.waitSeconds);
    const previous = host.session;
    // What runs in the session that is left continues here.
    const isLeft = previous !== undefined && previous !== id && host.options.holds !== true;
    if (isLeft && (await isRunning(host, previous))) await attend(host, previous);
    await host.options.show?.(id);
    host.setSession(id);
    const { facts } = await host.read(id);
    return { sessionId: id, previousSessionId: previous ?? null, claudeSessionId: facts.agentSession };
  } finally {
    host.isCheckingOut = false;
  }
}

async function findParent(host: HostState, from = host.session): Promise<string> {
  const parent = from === undefined ? null : toParent((await host.find(from)).facts);
  if (parent !== null) return parent;
  throw new SocketError(
    'E_SWITCH_TARGET_MISSING',
    from === undefined ? 'There is no current session.' : `Session ${from} has no parent.`,
  );
}

/** The id that a payload names, or the current session. */
async function toTarget(host: HostState, given = host.session): Promise<string> {
  if (given === undefined)
    throw new SocketError('E_INVALID_PAYLOAD', 'There is no current session: `sessionId` is required.');
  return (await host.find(given)).id;
}

async function message(host: HostState, payload: Payload<'message'>): Promise<Result<'message'>> {
  const { prompt, sessionId, waitSeconds } = payload;
  const id = await toTarget(host, sessionId);
  const hosted = await host.host(id);
  await hosted.send({ parts: [{ type: 'text', text: prompt }], delivery: 'steer', onAsk: 'wait' });
  await hosted.settled(waitSeconds);
  return { ...(await toInfo(host, id)), response: waitSeconds === undefined ? null : hosted.facts.answer };
}

async function interrupt(host: HostState, payload: Payload<'interrupt'>): Promise<Result<'interrupt'>> {
  const { sessionId, signal } = payload;
  const id = await toTarget(host, sessionId);
  const { client } = host.options;
  const hosted = host.hosted.get(id);
  const reason = `The run was interrupted with ${signal}.`;
  const hadRun = hosted ? ['running', 'waiting'].includes(hosted.status) : await cancelElsewhere(client, id, reason);
  if (!hadRun) throw new SocketError('E_AGENT_NOT_RUNNING', `No run of session ${id} is in progress.`);
  if (hosted) {
    await hosted.cancel(reason);
    await hosted.settled(INTERRUPT_SECONDS);
  }
  return { ...(await toInfo(host, id)), signal, interrupted: true };
}

/** Seconds for which the end of a cancelled run is awaited. */
const INTERRUPT_SECONDS = 30;

/** False if nothing was running. */
async function cancelElsewhere(client: SessionClient, id: string, reason: string): Promise<boolean> {
  return (await client.cancel(id, reason)).state !== 'idle';
}
