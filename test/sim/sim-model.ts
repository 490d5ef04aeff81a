import { optional } from '@klaus/core/optional';
import {
  cost,
  worstCase,
  type Model,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type StreamOptions,
  type Models,
} from '@klaus/core/agent';
import type { Part, Usage } from '@klaus/core/protocol';
import { toHash } from './files.ts';
import type { PlannedAnswer, PlannedCall, PlannedFailure } from './plan.ts';
import type { Host } from './scheduler.ts';
import type { World } from './world.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const LAST: PlannedAnswer = { thinking: false, words: 'That is all.', calls: [], failures: [], filled: 2 };

/** The models of one process. */
export function createSimModels(world: World, host: Host): Models {
  const info: ModelInfo = {
    contextWindow: world.plan.contextWindow,
    maxOutputTokens: 4_096,
    images: false,
    prices: [{ above: 0, price: PRICE }],
  };
  const create = (name: string): Model => ({
    name,
    info,
    stream: (request, options) => stream({ world, host, info, request, options }),
  });
  return {
    async resolve(name) {
      await world.scheduler.pause(host, 'model resolve');
      return create(name);
    },
    cheap: async () => create('sim/small'),
  };
}

interface Streaming {
  world: World;
  host: Host;
  info: ModelInfo;
  request: ModelRequest;
  options: StreamOptions;
}

async function* stream(streaming: Streaming): AsyncGenerator<ModelEvent, void, undefined> {
  const { world, host, info, request, options } = streaming;
  const { signal, onBytes, onSent } = options;
  const isTurn = !/-(title|compaction)$/.test(request.session);
  const prompt = countPrompt(request);
  const tokens = prompt + request.maxOutputTokens;
  const usd = worstCase(info, prompt, request.maxOutputTokens) ?? 0;
  world.monitor.requestLeaves(request, { tokens, usd, isTurn, isLate: world.holders.isFormer(host) });
  const { answer, index, failure } = isTurn ? takeTurn(world, request) : takeCheap(world, request);
  await world.scheduler.pause(host, 'model request');
  onSent?.();
  const usage = toUsage({
    prompt,
    index,
    output: Math.max(1, Math.floor((request.maxOutputTokens * answer.filled) / 100)),
  });
  const parts = toParts(answer, index);
  const pieces = toPieces(parts);
  let sent = 0;
  for (const piece of pieces) {
    if (failure && sent >= failure.after) break;
    await world.scheduler.pause(host, 'model piece');
    if (signal.aborted) break;
    // The provider charges from the first byte on.
    if (sent++ === 0) world.monitor.billed += prompt;
    onBytes?.();
    yield piece;
  }
  if (!failure && !signal.aborted) await world.scheduler.pause(host, 'model end');
  if (failure?.hangs) await world.scheduler.sleep(host, 1e9, { label: 'model hangs', signal });
  else if (failure) await world.scheduler.pause(host, 'model fails');
  if (signal.aborted) return yield { type: 'failed', failure: { code: 'abandoned', message: 'cancelled' } };
  if (failure) {
    // Some connections end without an error.
    if (failure.code !== 'connection' || failure.after !== 1) yield { type: 'failed', failure: toFailure(failure) };
    return;
  }
  if (sent === 0) onBytes?.();
  world.monitor.billed += usage.output + (sent === 0 ? prompt : 0);
  const stopReason = answer.stop ?? (answer.calls.length > 0 ? 'tool_use' : 'end_turn');
  yield { type: 'finished', parts, stopReason, usage, usd: cost(info, usage) ?? 0 };
}

interface Taken {
  answer: PlannedAnswer;
  index: number;
  failure: PlannedFailure | undefined;
}

function takeTurn({ plan, requests }: World, request: ModelRequest): Taken {
  const { index, attempt } = requests.take(request);
  const answer = plan.answers[index] ?? LAST;
  return { answer, index, failure: answer.failures[attempt - 1] };
}

function takeCheap({ plan }: World, request: ModelRequest): Taken {
  const chance = Number.parseInt(toHash(JSON.stringify(request.messages)).slice(0, 2), 16);
  const fails = !plan.isCalm && chance < 40;
  const failure: PlannedFailure | undefined = fails ? { code: 'invalid_request', status: 400, after: 0 } : undefined;
  return { answer: { ...LAST, words: 'A title\nA sentence about it.' }, index: 0, failure };
}

function toFailure({ code, status, retryAfter }: PlannedFailure): Extract<ModelEvent, { type: 'failed' }>['failure'] {
  return {
    code,
    message: `the provider said ${code}`,
    status,
    retryAfterMs: retryAfter,
  };
}

/** Four bytes for a token: fewer tokens than the maximum that the engine expects. */
function countPrompt({ system, tools, messages }: ModelRequest): number {
  let bytes = system.length + (tools.length > 0 ? JSON.stringify(tools).length : 0);
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'thinking' || part.type === 'result') bytes += part.text.length;
      else if (part.type === 'call') bytes += JSON.stringify(part.input ?? null).length;
    }
  }
  return Math.floor(bytes / 4);
}

function toUsage({ prompt, index, output }: { prompt: number; index: number; output: number }): Usage {
  const cacheRead = index % 2 === 1 ? Math.floor(prompt / 2) : 0;
  const cacheWrite = Math.floor((prompt - cacheRead) / 3);
  return { input: prompt - cacheRead - cacheWrite, output, cacheRead, cacheWrite };
}

function toParts({ thinking, words, calls }: PlannedAnswer, index: number): Part[] {
  const parts: Part[] = [];
  if (thinking) parts.push({ type: 'thinking', text: `thought ${index}`, signature: `signed ${index}` });
  if (words !== '') parts.push({ type: 'text', text: words });
  for (const [at, call] of calls.entries()) {
    // Some providers start the ids of calls again in every answer.
    const id = index % 2 === 0 ? `call_${index}_${at}` : `call_${at}`;
    const name = call.wrong === 'unknown' ? 'no_such_tool' : call.tool;
    parts.push({ type: 'call', id, name, input: toInput(call, `k${index}c${at}`) });
  }
  return parts;
}

function toInput({ path, text, ms, wrong }: PlannedCall, id: string): unknown {
  if (wrong === 'text') return `{"id": "${id}", `;
  if (wrong === 'schema') return { id, path: 7 };
  return { id, path, text, ms, ...optional({ wrong }) };
}

function toPieces(parts: readonly Part[]): ModelEvent[] {
  return parts.flatMap((part, index): ModelEvent[] => {
    if (part.type === 'thinking') return [{ type: 'thinking', text: part.text }];
    if (part.type === 'text') {
      const half = Math.ceil(part.text.length / 2);
      return [part.text.slice(0, half), part.text.slice(half)].map((text) => ({ type: 'text', text }));
    }
    return part.type === 'call' ? [{ type: 'call', index, name: part.name, text: JSON.stringify(part.input) }] : [];
  });
}
