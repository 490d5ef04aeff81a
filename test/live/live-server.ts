import type { Model, ModelEvent, ModelFailure, ModelRequest } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';
import { CheckFailed, need } from './check-error.ts';
import type { SentBodies } from './sent-bodies.ts';
import type { ServerFacts } from './server-facts.ts';
import { openModel, type Target, type TargetChanges, type Wire } from './target.ts';

/** Requests to one wire. A check that would send more fails. */
export const MAX_REQUESTS = 60;

export interface Question extends Partial<Pick<ModelRequest, 'system' | 'tools' | 'messages' | 'maxOutputTokens'>> {
  /** Becomes the only message. Default: `messages`. */
  text?: string;
  /** Called with each piece of the answer; true cancels it. */
  isEnough?: () => boolean;
}

export type Finished = Extract<ModelEvent, { type: 'finished' }>;

export interface Answer {
  end: Finished | { type: 'failed'; failure: ModelFailure };
  /** Pieces of text and reasoning, as they arrived. */
  deltas: string[];
  /** Reads of the network, in total and until the first piece. */
  reads: number;
  readsAtFirst: number;
}

/** One wire of a server, for checks. */
export interface LiveServer {
  readonly target: Target;
  readonly wire: Wire;
  readonly facts: ServerFacts;
  readonly sent: SentBodies;
  open: (changes?: TargetChanges) => Promise<Model>;
  /** @throws CheckFailed without an answer within the time of the target. */
  ask: (model: Model, question: Question) => Promise<Answer>;
  /** As `ask`. @throws CheckFailed if the answer failed. */
  finish: (model: Model, question: Question) => Promise<Answer & { end: Finished }>;
  /** The answer of a first request, which several checks share. */
  first: () => Promise<Answer & { end: Finished }>;
}

export const COUNTING = 'Count from one to one hundred, in words, separated by commas.';
export const STORY = 'Write a long story about a river, a bridge and an old town.';

export function createLiveServer(options: Pick<LiveServer, 'target' | 'wire' | 'facts' | 'sent'>): LiveServer {
  const { target, wire, sent } = options;
  const begun = sent.bodies.length;
  let first: ReturnType<LiveServer['first']> | undefined;
  const server: LiveServer = {
    ...options,
    open: (changes) => openModel(target, wire, changes),
    async ask(model, question) {
      need(sent.bodies.length - begun < MAX_REQUESTS, `More than ${MAX_REQUESTS} requests are not sent.`);
      return collect(model, question, target);
    },
    async finish(model, question) {
      const { end, ...answer } = await server.ask(model, question);
      if (end.type === 'failed') throw new CheckFailed(describe(end.failure));
      return { ...answer, end };
    },
    first: () => (first ??= server.open().then((model) => server.finish(model, { text: COUNTING }))),
  };
  return server;
}

/** Its requests can have a grammar, and ignore the end of an answer. */
export function isLlamaCpp({ facts }: LiveServer): boolean {
  return facts.software?.startsWith('llama.cpp') === true;
}

export function describe({ code, cause, status, message }: ModelFailure): string {
  return `${[code, cause, status].filter((part) => part !== undefined).join(', ')}: ${message}`;
}

let count = 0;

export function toMessage(role: Message['role'], parts: Part[]): Message {
  return { id: `M${count++}`, role, origin: role === 'user' ? 'user' : 'model', parts };
}

async function collect(model: Model, question: Question, target: Target): Promise<Answer> {
  const { text, isEnough, system = '', tools = [], maxOutputTokens = target.maxOutputTokens } = question;
  const messages = question.messages ?? [toMessage('user', [{ type: 'text', text: text ?? '' }])];
  const cancel = new AbortController();
  const late = AbortSignal.timeout(target.timeoutMs);
  const answer: Omit<Answer, 'end'> = { deltas: [], reads: 0, readsAtFirst: 0 };
  let end: ModelEvent | undefined;
  const request = { system, tools, messages, maxOutputTokens, session: 'live' };
  const onBytes = (): void => void answer.reads++;
  for await (const event of model.stream(request, { signal: AbortSignal.any([cancel.signal, late]), onBytes })) {
    end = event;
    if (event.type !== 'text' && event.type !== 'thinking') continue;
    answer.readsAtFirst ||= answer.reads;
    answer.deltas.push(event.text);
    if (isEnough?.()) cancel.abort();
  }
  need(!late.aborted, `No complete answer within ${target.timeoutMs / 1_000} s.`);
  need(end?.type === 'finished' || end?.type === 'failed', 'The stream ended without `finished` or `failed`.');
  return { ...answer, end };
}
