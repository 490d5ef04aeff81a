import type { Event, EventOf, Message } from '@klaus/core/protocol';
import { toContent, toMessages } from './content.ts';
import { type Attributes, type FinishedSpan, type SpanLink, toSpanId, toTraceId } from './finished-span.ts';

/** Where a call of another session was made; undefined where nobody knows. */
export type FindRun = (session: string, call: string) => string | undefined;

export interface SpanFoldOptions {
  /** Give out what was said, asked and answered. Default false. */
  content?: boolean;
  findRun: FindRun;
}

/** Folds the log of one session into spans. */
export interface SpanFold {
  /** The spans that an event ends. */
  take(event: Event): FinishedSpan[];
}

interface Run {
  startedAt: number;
  model: string;
  prompts: Message[];
  answer?: Message;
  /** Span of the chat that made the calls under way. */
  asked?: string;
}

/** A request that was answered, until it is known why the answer ended. */
interface Answered {
  event: EventOf<'model.attempted'>;
  startedAt: number;
  message?: Message;
}

/**
 * A run is `invoke_agent`; below it is a `chat` for each request to a model and an `execute_tool` for each call, with a
 * link to the chat that asked for it. Times are those of the log.
 *
 * Names follow the conventions for generative AI, status Development, with those of semantic conventions v1.41.1.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and
 * gen-ai-agent-spans.md, as of November 2026.
 */
export function createSpanFold({ content = false, findRun }: SpanFoldOptions): SpanFold {
  let opened: EventOf<'session.opened'> | undefined;
  /** Last event that was copied from another session, and the run it belonged to. */
  let copied = { seq: 0, run: '' };
  let isFirstRun = true;
  let model = '';
  let run: Run | undefined;
  let answered: Answered | undefined;
  /** When each request that is under way began, by purpose. */
  const requested = new Map<string, number>();
  const calls = new Map<string, { startedAt: number; input?: unknown; asked?: string }>();

  const endChat = (finishReason?: string): FinishedSpan[] => {
    if (!answered) return [];
    const { event, startedAt, message } = answered;
    answered = undefined;
    const said = content && message ? { 'gen_ai.output.messages': toMessages([message], finishReason) } : {};
    const isFine = event.outcome === 'ok';
    return [
      {
        ...toPlace(event),
        span: toChatId(event),
        name: `chat ${toModel(event.model)}`,
        kind: 'client',
        startedAt,
        endedAt: event.at,
        attributes: {
          'gen_ai.operation.name': 'chat',
          ...toModelAttributes(event.model),
          ...toCommon(event),
          'gen_ai.request.stream': true,
          ...(isFine ? { 'gen_ai.response.model': toModel(event.model) } : { 'error.type': event.outcome }),
          ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
          ...toUsageAttributes(event.usage),
          ...(event.status === undefined ? {} : { 'http.response.status_code': event.status }),
          'klaus.request.purpose': event.purpose,
          'klaus.request.attempt': event.attempt,
          'klaus.turn': event.turn,
          ...toCost(event.usd),
          ...said,
        },
        ...(isFine ? {} : { failure: event.message ?? event.outcome }),
        links: [],
      },
    ];
  };

  const endCall = (event: EventOf<'tool.finished'>): FinishedSpan[] => {
    const { session, call, name, outcome } = event;
    const known = calls.get(call);
    calls.delete(call);
    const { trace, parent } = toPlace(event);
    const said = content
      ? {
          ...(known?.input === undefined ? {} : { 'gen_ai.tool.call.arguments': toContent(known.input) }),
          'gen_ai.tool.call.result': toContent(event.output),
        }
      : {};
    return [
      {
        trace,
        parent,
        span: toCallId(session, call),
        name: `execute_tool ${name}`,
        kind: 'internal',
        startedAt: known?.startedAt ?? event.at - event.durationMs,
        endedAt: event.at,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': call,
          'gen_ai.tool.type': 'function',
          ...toCommon(event),
          'klaus.tool.outcome': outcome,
          'klaus.turn': event.turn,
          ...(outcome === 'ok' ? {} : { 'error.type': outcome }),
          ...said,
        },
        ...(outcome === 'ok' ? {} : { failure: outcome }),
        links: known?.asked === undefined ? [] : [toLink(trace, known.asked, 'asked_by')],
      },
    ];
  };

  const endRun = (event: EventOf<'run.finished'>): FinishedSpan[] => {
    const last = endChat();
    if (!run) return last;
    const { outcome } = event;
    const agent = opened?.agent ?? 'klaus';
    const said = content
      ? {
          'gen_ai.input.messages': toMessages(run.prompts),
          ...(run.answer ? { 'gen_ai.output.messages': toMessages([run.answer]) } : {}),
        }
      : {};
    const { trace, parent: span } = toPlace(event);
    const whole: FinishedSpan = {
      trace,
      span,
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      startedAt: run.startedAt,
      endedAt: event.at,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        ...toModelAttributes(run.model),
        ...toCommon(event),
        ...toUsageAttributes(event.usage),
        'klaus.run.outcome': outcome,
        'klaus.run.turns': event.turns,
        'klaus.run.tool_calls': event.toolCalls,
        ...toCost(event.usd),
        ...(outcome === 'done' ? {} : { 'error.type': outcome }),
        ...said,
      },
      ...(outcome === 'done' ? {} : { failure: event.reason }),
      links: isFirstRun ? toOrigins() : [],
    };
    isFirstRun = false;
    run = undefined;
    calls.clear();
    requested.clear();
    return [...last, whole];
  };

  /** What this session began from: the session that it was copied from, the call that began it. */
  const toOrigins = (): SpanLink[] => {
    const links: SpanLink[] = [];
    const { forked, parent } = opened ?? {};
    if (forked && copied.run !== '') {
      const { session } = forked;
      links.push(toLink(toTraceId(session, copied.run), toSpanId(session, 'run', copied.run), 'forked_from'));
    }
    const run = parent && findRun(parent.session, parent.call);
    if (run !== undefined)
      links.push(toLink(toTraceId(parent!.session, run), toCallId(parent!.session, parent!.call), 'started_by'));
    return links;
  };

  const addMessage = ({ message }: EventOf<'message.added'>): void => {
    if (!run) return;
    if (message.role === 'user' && message.origin === 'user') run.prompts.push(message);
    if (message.role !== 'assistant') return;
    run.answer = message;
    if (!answered) return;
    answered.message = message;
    run.asked = toChatId(answered.event);
    for (const part of message.parts)
      if (part.type === 'call')
        calls.set(part.id, { startedAt: answered.event.at, input: part.input, asked: run.asked });
  };

  const fold = (event: Event): FinishedSpan[] => {
    switch (event.type) {
      case 'session.opened':
        opened = event;
        model = event.model;
        if (event.forked) copied = { seq: event.forked.seq + event.forked.settled, run: '' };
        return [];
      case 'session.changed':
        model = event.model ?? model;
        return [];
      case 'run.started':
        run = { startedAt: event.at, model, prompts: [] };
        return [];
      case 'turn.started':
        requested.set('turn', event.at);
        if (run) run.model = event.model;
        return endChat();
      case 'model.requested':
        requested.set(event.purpose, event.at);
        return event.purpose === 'turn' ? endChat() : [];
      case 'model.attempted': {
        const before = endChat();
        answered = { event, startedAt: requested.get(event.purpose) ?? event.at };
        requested.delete(event.purpose);
        // Only the answer of a turn is followed by why it ended.
        return event.purpose === 'turn' && event.outcome === 'ok' ? before : [...before, ...endChat()];
      }
      case 'message.added':
        addMessage(event);
        return [];
      case 'turn.finished':
        return endChat(event.stopReason);
      case 'tool.started': {
        const known = calls.get(event.call);
        calls.set(event.call, { ...known, startedAt: event.at });
        return [];
      }
      case 'tool.finished':
        return endCall(event);
      case 'run.finished':
        return endRun(event);
      default:
        return [];
    }
  };

  return {
    take(event) {
      // What was copied, and how it was settled, is folded too: the first event says which those are.
      const spans = fold(event);
      if (event.seq > copied.seq) return spans;
      if ('run' in event && event.run !== undefined) copied.run = event.run;
      isFirstRun = true;
      return [];
    },
  };
}

/** Below the span of its run. */
function toPlace({ session, run }: { session: string; run: string }): { trace: string; parent: string } {
  return { trace: toTraceId(session, run), parent: toSpanId(session, 'run', run) };
}

function toCommon({ session, run }: { session: string; run: string }): Attributes {
  return { 'gen_ai.conversation.id': session, 'klaus.run.id': run };
}

function toChatId({ session, run, purpose, turn, attempt, seq }: EventOf<'model.attempted'>): string {
  return toSpanId(session, 'chat', run, purpose, turn, attempt, seq);
}

function toCallId(session: string, call: string): string {
  return toSpanId(session, 'call', call);
}

function toLink(trace: string, span: string, kind: string): SpanLink {
  return { trace, span, attributes: { 'klaus.link': kind } };
}

/** `anthropic/claude-…` without its provider. */
function toModel(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function toModelAttributes(name: string): Attributes {
  const provider = name.slice(0, Math.max(0, name.indexOf('/')));
  return { 'gen_ai.provider.name': provider || '_OTHER', 'gen_ai.request.model': toModel(name) };
}

/** The conventions count what came from the cache, and what went there, as input too. */
function toUsageAttributes({ input, output, cacheRead, cacheWrite }: EventOf<'model.attempted'>['usage']): Attributes {
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
  };
}

function toCost(usd: number | null): Attributes {
  return usd === null ? {} : { 'klaus.cost.usd': usd };
}
