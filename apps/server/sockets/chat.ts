import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { toSender } from '../access/caller.ts';
import { limitContext, toFolder } from '../access/limit-context.ts';
import { isPublicOnly } from '../access/check-network.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from '../legacy/legacy-event.ts';
import { createLegacyEvents } from '../legacy/legacy-events.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { readProblemEvents } from '../legacy/session-problems.ts';
import { toDefined } from '../handlers/agents.ts';
import { findRow } from '../handlers/find-row.ts';
import { cancelRun } from '../handlers/runs.ts';
import { answer, prompt } from './commands.ts';
import { followLegacyEvents, readEach, readLegacyEvents } from '../legacy/follow-legacy-events.ts';
import { createRateLimit } from './rate-limit.ts';

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), content: z.string().min(1) }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('approval'), id: z.string(), approved: z.boolean(), note: z.string().optional() }),
]);

const MESSAGES =
  'Send {"type":"message","content":"…"}, {"type":"cancel"} or {"type":"approval","id":"…","approved":true}.';

/** The agent of an address such as `/ws/chat/klaus`, which may not exist; undefined for another address. */
export function toAgent(path: string): string | undefined {
  return /^\/ws\/chat\/((?:project\/)?[\w-]{1,64})$/.exec(path)?.[1];
}

export interface ChatClient {
  request: IncomingMessage;
  identity: Identity;
}

/**
 * A chat with an agent. It resumes the last session of the chat, also after a restart, or that of `?session=`;
 * `?session=new` opens another one.
 */
export function serveChat(all: Context, socket: WebSocket, { request, identity }: ChatClient): void {
  const context = limitContext(all, identity);
  const { klaus } = context;
  const by = toSender('server/chat', identity);
  const url = new URL(request.url ?? '/', 'http://localhost');
  const agent = toAgent(url.pathname)!;
  const file = join(klaus.home, 'server', `chat-${agent.replace('/', ':')}`);
  const countMessage = createRateLimit(klaus.configuration.get('server.wsRateLimit'));
  const send = (message: object): void =>
    void (socket.readyState === socket.OPEN && socket.send(JSON.stringify(message)));
  let session: string | undefined;
  let stop: (() => void) | undefined;
  /** True if the next chat resumes this session. */
  let isLast = false;

  /** Stores the seq of the last end that was sent, so that the next chat can send a missed one. */
  const saveEnd = (seq: number): void => {
    if (isLast) writeFileSync(file, `${session} ${seq}`, { mode: 0o600 });
  };

  const follow = async (id: string): Promise<void> => {
    session = id;
    const after = (await klaus.store.head(id))?.seq ?? 0;
    const legacy = await readLegacyEvents(klaus, { session: id, after });
    if (socket.readyState !== socket.OPEN) return;
    stop = followLegacyEvents(context, {
      legacy,
      onEvent(event, seq) {
        const message = toChat(event);
        if (message) send(message);
        if (event.isEnd && seq !== undefined) saveEnd(seq);
      },
    });
  };

  const open = async (): Promise<string> => {
    if (session !== undefined) return session;
    const { id } = await klaus.open({
      agent: toDefined(agent),
      workspace: toFolder(context, undefined),
      publicOnly: isPublicOnly(identity),
    });
    isLast = true;
    await follow(id);
    saveEnd(0);
    return id;
  };

  const receive = async (text: string): Promise<void> => {
    await begun;
    const parsed = messageSchema.safeParse(toJson(text));
    if (!parsed.success) throw new KlausError('usage', MESSAGES);
    const message = parsed.data;
    if (message.type === 'message') {
      countMessage();
      await prompt(context, await open(), message.content);
    } else if (message.type === 'approval') {
      await answer(context, { patchId: message.id, approved: message.approved, note: message.note, by, identity });
    } else if (session !== undefined) await cancelRun(context, session, { by });
  };

  socket.on('message', (data: Buffer) => {
    receive(data.toString('utf8')).catch((error: unknown) => {
      send({ type: 'error', message: toSentence(toProblem(error)) });
    });
  });
  // The run continues when the client disconnects.
  socket.on('close', () => stop?.());
  socket.on(
    'close',
    context.connections.hold(identity, () => socket.close(1008)),
  );
  socket.on('error', () => socket.terminate());

  const begin = async (): Promise<void> => {
    const used = toDefined(agent) === undefined ? agent : (await klaus.agents().find(agent)).name;
    const wanted = url.searchParams.get('session') ?? undefined;
    const last = wanted === undefined ? readLast(file, context) : undefined;
    const known = wanted === 'new' ? undefined : (wanted ?? last?.session);
    isLast = last !== undefined;
    const found = known === undefined ? undefined : await findOf(context, { agent: used, session: known });
    if (found !== undefined) await checkSandbox(context, identity, found);
    if (found !== undefined) await follow(found);
    send({ type: 'info', message: `Chat with ${agent}.`, session });
    for (const { event, seq } of last ? await findMissed(context, last) : []) {
      const message = toChat(event);
      if (message) send(message);
      if (event.isEnd) saveEnd(seq);
    }
    for (const problem of known === undefined ? [] : readProblemEvents(context, session!)) send(toChat(problem)!);
  };
  const begun = begin().catch((error: unknown) => {
    send({ type: 'error', message: toSentence(toProblem(error)) });
    socket.close(1008);
  });
}

/** @throws KlausError `usage` for a session of another agent, which has another authority. */
async function findOf(context: Context, { agent, session }: { agent: string; session: string }): Promise<string> {
  const { id, agentType } = await findRow(context, session);
  if (agentType === agent) return id;
  throw new KlausError('usage', `The session ${id} belongs to the agent ${agentType}.`, {
    hint: `Use /ws/chat/${agentType}.`,
  });
}

/** The last session of a chat, and the seq of the last end that was sent; undefined if the sender may not see it. */
function readLast(file: string, { klaus, seen }: Context) {
  const [session = '', sent = '0'] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
  const row = klaus.store.view.session(session);
  return row?.id === session && seen.sees(row.workspace) ? { session, sent: Number(sent) } : undefined;
}

/** The events that a client missed when its connection broke during a run: the open question, or the last answer and the end. */
async function findMissed(context: Context, { session, sent }: NonNullable<ReturnType<typeof readLast>>) {
  const { klaus } = context;
  const legacy = createLegacyEvents(session);
  const open = new Set(klaus.store.view.approvals({ open: true, session }).map(({ id }) => id));
  let missed: { event: LegacyEvent; seq: number }[] = [];
  let last = 0;
  for await (const event of readEach(klaus, session)) {
    const converted = legacy.event(event).map((it) => ({ event: it, seq: event.seq }));
    last = event.seq;
    if (event.seq <= sent) continue;
    if (event.type === 'run.started') missed = [];
    else if (converted.some(({ event: { isEnd } }) => isEnd)) missed.push(...converted);
    else if (event.type === 'approval.asked' && open.has(event.approval)) missed.push(...converted);
    else if (event.type === 'message.added') {
      missed = [...missed.filter(({ event: { name } }) => name !== 'stream_delta'), ...converted.filter(isText)];
    }
  }
  if (last > sent && !context.queue.isHeld(session))
    missed.push(...legacy.flushEnd().map((event) => ({ event, seq: last })));
  // Without an end, the client may have received the last answer already.
  return missed.some(({ event }) => event.isEnd) ? missed : missed.filter((it) => !isText(it));
}

function isText({ event }: { event: LegacyEvent }): boolean {
  return event.name === 'stream_delta';
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function toChat({ name, data }: LegacyEvent): object | undefined {
  switch (name) {
    case 'stream_delta':
      return { type: 'stream_chunk', content: data['delta'] };
    case 'tool_call':
      return { type: 'tool_call', tool: data['name'], args: data['input'], id: data['id'] };
    case 'tool_result':
      return { type: 'tool_result', result: data['result'], success: data['success'], id: data['toolCallId'] };
    case 'complete':
      return { type: 'stream_complete' };
    case 'patch_approval_required':
    case 'approval_required':
      return {
        type: 'info',
        message: `Waiting for approval: ${String(data['title'])}`,
        approval: data['patchId'],
        diff: data['diff'] ?? '',
      };
    case 'budget_warning':
      return { type: 'info', message: `${String(data['percentUsed'])} % of the token budget is used.` };
    case 'error':
      return data['retrying'] === true
        ? { type: 'info', message: `Retrying the request to the model: ${String(data['error'])}` }
        : { type: 'error', message: data['error'] };
    default:
      return undefined;
  }
}
