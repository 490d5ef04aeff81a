import { optional } from '@klaus/sdk/optional';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Context } from '../http/handler.ts';
import type { LegacyEvent } from '../legacy/legacy-event.ts';
import { createLegacyEvents } from '../legacy/legacy-events.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { problemsOf } from '../legacy/session-problems.ts';
import { answer, cancel, prompt } from './commands.ts';
import { followNamed, isHeld } from '../legacy/follow-legacy-events.ts';
import { createRateLimit } from './rate-limit.ts';

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), content: z.string().min(1) }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('approval'), id: z.string(), approved: z.boolean(), note: z.string().optional() }),
]);

/** Who the log says it was. */
const BY = 'server/chat';

const MESSAGES =
  'Messages are {"type":"message","content":"…"}, {"type":"cancel"} and {"type":"approval","id":"…","approved":true}.';

/** The agents that can be chatted with. */
const AGENTS: ReadonlySet<string> = new Set(['klaus']);

/** The agent that an address means: `/ws/chat/klaus`; undefined for another address. */
export function toAgent(path: string): string | undefined {
  const [, agent] = /^\/ws\/chat\/([\w-]+)$/.exec(path) ?? [];
  return agent !== undefined && AGENTS.has(agent) ? agent : undefined;
}

/**
 * A chat with an agent. It goes on with the conversation that was had there last, also after a restart, or with that
 * of `?session=`; `?session=new` begins another.
 */
export function serveChat(context: Context, socket: WebSocket, request: IncomingMessage): void {
  const { klaus } = context;
  const url = new URL(request.url ?? '/', 'http://localhost');
  const agent = toAgent(url.pathname)!;
  const file = join(klaus.home, 'server', `chat-${agent}`);
  const rate = createRateLimit(klaus.configuration.get('server.wsRateLimit'));
  const send = (message: object): void =>
    void (socket.readyState === socket.OPEN && socket.send(JSON.stringify(message)));
  let session: string | undefined;
  let stop: (() => void) | undefined;
  /** It is the conversation that the next chat goes on with. */
  let isLast = false;

  /** Up to where whoever chats was told how it ended, for the case that the connection is lost before the end. */
  const keep = (seq: number): void => {
    if (isLast) writeFileSync(file, `${session} ${seq}`, { mode: 0o600 });
  };

  const follow = (id: string): void => {
    session = id;
    const after = klaus.store.view.head(id)?.seq ?? 0;
    ({ stop } = followNamed(context, {
      session: id,
      after,
      tell(event, seq) {
        const message = toChat(event);
        if (message) send(message);
        if (event.isEnd && seq !== undefined) keep(seq);
      },
    }));
  };

  const open = async (): Promise<string> => {
    if (session !== undefined) return session;
    const { id } = await klaus.open();
    isLast = true;
    follow(id);
    keep(0);
    return id;
  };

  const receive = async (text: string): Promise<void> => {
    await begun;
    const parsed = messageSchema.safeParse(toJson(text));
    if (!parsed.success) throw new KlausError('usage', MESSAGES);
    const message = parsed.data;
    const wait = message.type === 'message' ? rate.take() : 0;
    if (wait > 0) {
      throw new KlausError('usage', 'This socket sends too much.', {
        hint: `Try again in ${Math.ceil(wait / 1_000)} s, or raise AGENT_WS_RATE_LIMIT.`,
      });
    }
    if (message.type === 'message') await prompt(context, await open(), message.content);
    else if (message.type === 'approval') {
      await answer(context, { patchId: message.id, approved: message.approved, note: message.note, by: BY });
    } else if (session !== undefined) await cancel(context, { sessionId: session, by: BY });
  };

  socket.on('message', (data: Buffer) => {
    receive(data.toString('utf8')).catch((error: unknown) => {
      send({ type: 'error', message: toSentence(toProblem(error)) });
    });
  });
  // What was begun goes on when the chat is left.
  socket.on('close', () => stop?.());
  socket.on('error', () => socket.terminate());

  const begin = async (): Promise<void> => {
    const wanted = url.searchParams.get('session') ?? undefined;
    const last = wanted === undefined ? readLast(file, klaus) : undefined;
    const known = wanted === 'new' ? undefined : (wanted ?? last?.session);
    isLast = last !== undefined;
    if (known !== undefined) follow((await klaus.session(known)).id);
    send({ type: 'info', message: `Chat with ${agent}.`, ...optional({ session }) });
    for (const { event, seq } of last ? findMissed(context, last) : []) {
      const message = toChat(event);
      if (message) send(message);
      if (event.isEnd) keep(seq);
    }
    for (const problem of known === undefined ? [] : problemsOf(context, session!)) send(toChat(problem)!);
  };
  const begun = begin().catch((error: unknown) => {
    send({ type: 'error', message: toProblem(error).title });
    socket.close(1008);
  });
}

/** A conversation, and the seq of the last end that was told. */
interface Last {
  session: string;
  told: number;
}

function readLast(file: string, klaus: Context['klaus']): Last | undefined {
  const [session = '', told = '0'] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
  return klaus.store.view.session(session)?.id === session ? { session, told: Number(told) } : undefined;
}

/** What somebody whose connection was lost in the middle of a run still waits for: the open question, or the last words and the end. */
function findMissed(context: Context, { session, told }: Last): { event: LegacyEvent; seq: number }[] {
  const { klaus } = context;
  const named = createLegacyEvents(session);
  const open = new Set(klaus.store.view.approvals({ open: true, session }).map(({ id }) => id));
  let missed: { event: LegacyEvent; seq: number }[] = [];
  let last = 0;
  for (const event of klaus.store.view.events(session)) {
    const made = named.event(event).map((it) => ({ event: it, seq: event.seq }));
    last = event.seq;
    if (event.seq <= told) continue;
    if (event.type === 'run.started') missed = [];
    else if (made.some(({ event: { isEnd } }) => isEnd)) missed.push(...made);
    else if (event.type === 'approval.asked' && open.has(event.approval)) missed.push(...made);
    else if (event.type === 'message.added') {
      missed = [...missed.filter(({ event: { name } }) => name !== 'stream_delta'), ...made.filter(isText)];
    }
  }
  if (last > told && !isHeld(context, session)) missed.push(...named.settle().map((event) => ({ event, seq: last })));
  // While it goes on, the last words may have been heard already.
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

/** The messages of the chat, from the same fold. */
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
      return { type: 'info', message: `${String(data['percentUsed'])} % of the token budget are used.` };
    case 'error':
      return data['retrying'] === true
        ? { type: 'info', message: `The model is asked again: ${String(data['error'])}` }
        : { type: 'error', message: data['error'] };
    default:
      return undefined;
  }
}
