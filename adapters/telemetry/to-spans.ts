import { optional } from '@klaus/core/optional';
import type { EventOf, Message } from '@klaus/core/protocol';
import { toContent, toMessages } from './content.ts';
import { type Attributes, type FinishedSpan, type SpanLink, toSpanId, toTraceId } from './finished-span.ts';

type Attempt = EventOf<'model.attempted'>;

export interface ChatFacts {
  startedAt: number;
  finishReason?: string;
  /** Content to include. */
  message?: Message;
}

export interface CallFacts {
  startedAt: number;
  /** Id of the span of the chat that requested it. */
  chat?: string;
  /** Content to include, as JSON. */
  content?: { input: unknown };
}

export interface RunFacts {
  startedAt: number;
  agent: string;
  model: string;
  links: readonly SpanLink[];
  /** Content to include. */
  content?: { prompts: readonly Message[]; answer: Message | undefined };
}

export function toChatSpan(event: Attempt, { startedAt, finishReason, message }: ChatFacts): FinishedSpan {
  const { outcome, model, status, purpose, attempt, turn } = event;
  const isOk = outcome === 'ok';
  return {
    ...toParent(event),
    span: toChatId(event),
    name: `chat ${toModel(model)}`,
    kind: 'client',
    startedAt,
    endedAt: event.at,
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...toModelAttributes(model),
      ...toCommon(event),
      'gen_ai.request.stream': true,
      ...(isOk ? { 'gen_ai.response.model': toModel(model) } : { 'error.type': outcome }),
      ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
      ...toUsageAttributes(event.usage),
      ...optional({ 'http.response.status_code': status }),
      'klaus.request.purpose': purpose,
      'klaus.request.attempt': attempt,
      'klaus.turn': turn,
      ...toCost(event.usd),
      ...optional({ 'gen_ai.output.messages': message && toMessages([message], finishReason) }),
    },
    // The message of a provider is not included, because it may quote the request.
    ...(isOk ? {} : { failure: outcome }),
    links: [],
  };
}

export function toCallSpan(event: EventOf<'tool.finished'>, { startedAt, chat, content }: CallFacts): FinishedSpan {
  const { session, call, name, outcome } = event;
  const { trace, parent } = toParent(event);
  return {
    trace,
    parent,
    span: toCallId(session, call),
    name: `execute_tool ${name}`,
    kind: 'internal',
    startedAt,
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
      ...optional({
        'gen_ai.tool.call.arguments': content && toContent(content.input ?? {}),
        'gen_ai.tool.call.result': content && toContent(event.output),
      }),
    },
    ...(outcome === 'ok' ? {} : { failure: outcome }),
    links: chat === undefined ? [] : [toLink(trace, chat, 'asked_by')],
  };
}

export function toRunSpan(event: EventOf<'run.finished'>, facts: RunFacts): FinishedSpan {
  const { outcome } = event;
  const { agent, content } = facts;
  const { trace, parent: span } = toParent(event);
  return {
    trace,
    span,
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    startedAt: facts.startedAt,
    endedAt: event.at,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      ...toModelAttributes(facts.model),
      ...toCommon(event),
      ...toUsageAttributes(event.usage),
      'klaus.run.outcome': outcome,
      'klaus.run.turns': event.turns,
      'klaus.run.tool_calls': event.toolCalls,
      ...toCost(event.usd),
      ...(outcome === 'done' ? {} : { 'error.type': outcome }),
      ...optional({
        'gen_ai.input.messages': content && toMessages(content.prompts),
        'gen_ai.output.messages': content?.answer && toMessages([content.answer]),
      }),
    },
    ...(outcome === 'done' ? {} : { failure: outcome }),
    links: facts.links,
  };
}

export function toChatId({ session, run, purpose, turn, attempt, seq }: Attempt): string {
  return toSpanId(session, 'chat', run, purpose, turn, attempt, seq);
}

export function toRunLink(kind: string, { session, run }: { session: string; run: string }): SpanLink {
  return toLink(toTraceId(session, run), toSpanId(session, 'run', run), kind);
}

export function toCallLink(kind: string, { session, run, call }: Record<'session' | 'run' | 'call', string>): SpanLink {
  return toLink(toTraceId(session, run), toCallId(session, call), kind);
}

function toLink(trace: string, span: string, kind: string): SpanLink {
  return { trace, span, attributes: { 'klaus.link': kind } };
}

function toCallId(session: string, call: string): string {
  return toSpanId(session, 'call', call);
}

/** The trace and the span of the run. */
function toParent({ session, run }: { session: string; run: string }): { trace: string; parent: string } {
  return { trace: toTraceId(session, run), parent: toSpanId(session, 'run', run) };
}

function toCommon({ session, run }: { session: string; run: string }): Attributes {
  return { 'gen_ai.conversation.id': session, 'klaus.run.id': run };
}

/** `anthropic/claude-…` without its provider. */
function toModel(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function toModelAttributes(name: string): Attributes {
  const provider = name.slice(0, Math.max(0, name.indexOf('/')));
  return { 'gen_ai.provider.name': provider || '_OTHER', 'gen_ai.request.model': toModel(name) };
}

/** In the conventions, input includes tokens that were read from the cache or written to it. */
function toUsageAttributes({ input, output, cacheRead, cacheWrite }: Attempt['usage']): Attributes {
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
