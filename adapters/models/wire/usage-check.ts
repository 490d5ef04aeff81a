import { countBytes, type ModelEvent, type ModelInfo, type ModelRequest } from '@klaus/core/agent';
import { NO_USAGE, type Part, type Usage } from '@klaus/core/protocol';

/** A request, as far as its usage depends on it. */
export interface SentRequest {
  /** Bytes without images. */
  textBytes: number;
  images: number;
  /** Longest answer that was requested, in tokens. */
  maxOutputTokens: number;
  /** True if the provider adds text of its own to the prompt, such as results of a search. Default false. */
  isExtended?: boolean;
}

type Checked = Extract<ModelEvent, { type: 'finished' | 'usage' }>;

/** Typical bytes of a token. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_600;
/** No tokenizer has longer tokens on average, and templates of chats add no more tokens than this. */
const MOST_BYTES_PER_TOKEN = 64;
const MOST_ADDED_TOKENS = 20_000;
const MOST_TOKENS_PER_IMAGE = 10_000;
/** Shorter texts are not compared with low counts. */
const LONG_PROMPT = 20_000;
const LONG_ANSWER = 4_000;

/** @param bodyBytes Bytes of the request, with images in Base64. Default: estimated from the request. */
export function toSentRequest(request: ModelRequest, bodyBytes?: number): SentRequest {
  let images = 0;
  let imageBytes = 0;
  let textBytes = request.system.length;
  for (const { parts } of request.messages) {
    for (const part of parts) {
      if (part.type === 'image') {
        images++;
        imageBytes += part.data.length;
      } else if (bodyBytes === undefined) textBytes += countPart(part);
    }
  }
  const { maxOutputTokens } = request;
  if (bodyBytes !== undefined) return { images, maxOutputTokens, textBytes: Math.max(0, bodyBytes - imageBytes) };
  return { images, maxOutputTokens, textBytes: textBytes + countTools(request.tools) };
}

/**
 * Compares the usage that a provider reports with the bytes of the request and of the answer, and replaces a count that
 * is missing or impossible by an estimate, so that limits and compactions do not depend on it. An answer that has all of
 * the requested tokens was cut, also if the server reports its end, as llama.cpp does on Responses.
 */
export function createUsageCheck(sent: SentRequest, info: ModelInfo): (event: ModelEvent) => ModelEvent {
  let streamed = 0;
  return (event) => {
    if ('text' in event) streamed += countBytes(event.text);
    if (event.type !== 'finished' && event.type !== 'usage') return event;
    const bytes = event.type === 'finished' ? Math.max(streamed, countParts(event.parts)) : streamed;
    return check(event, { sent, info, bytes });
  };
}

/** The events with checked usage. */
export async function* withCheckedUsage(
  events: AsyncIterable<ModelEvent>,
  check: (event: ModelEvent) => ModelEvent,
): AsyncGenerator<ModelEvent, void, undefined> {
  for await (const event of events) yield check(event);
}

function check(
  event: Checked,
  { sent, info, bytes }: { sent: SentRequest; info: ModelInfo; bytes: number },
): ModelEvent {
  const { usage } = event;
  const reported = usage.input + usage.cacheRead + usage.cacheWrite;
  const isPromptRight = isPlausiblePrompt(reported, sent, info);
  const isComplete = event.type === 'finished' || event.isFinal;
  const isOutputRight = isPlausibleOutput(usage.output, {
    most: Math.max(sent.maxOutputTokens, info.maxOutputTokens),
    bytes,
    isComplete,
  });
  if (isPromptRight && isOutputRight) return isCut(event, sent) ? { ...event, stopReason: 'max_tokens' } : event;
  const prompt: Usage = isPromptRight ? usage : { ...NO_USAGE, input: estimatePrompt(sent) };
  const output = isOutputRight ? usage.output : Math.ceil(bytes / BYTES_PER_TOKEN);
  const { usd: _, ...rest } = event;
  const isTooLow = !isPromptRight && reported > 0 && reported < prompt.input;
  const checked = { ...rest, usage: { ...prompt, output }, isEstimated: true };
  return checked.type === 'finished' && isTooLow ? { ...checked, reportedPrompt: reported } : checked;
}

function isCut(event: Checked, { maxOutputTokens }: SentRequest): event is Extract<Checked, { type: 'finished' }> {
  return event.type === 'finished' && event.stopReason === 'end_turn' && event.usage.output === maxOutputTokens;
}

function estimatePrompt({ textBytes, images }: SentRequest): number {
  return Math.ceil(textBytes / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

function isPlausiblePrompt(tokens: number, sent: SentRequest, info: ModelInfo): boolean {
  const { textBytes, images, isExtended = false } = sent;
  if (tokens === 0) return false;
  if (textBytes > LONG_PROMPT && tokens * MOST_BYTES_PER_TOKEN < textBytes) return false;
  if (isExtended || tokens <= info.contextWindow) return true;
  // The window may be longer than Klaus assumes.
  return tokens <= textBytes / 2 + images * MOST_TOKENS_PER_IMAGE + MOST_ADDED_TOKENS;
}

function isPlausibleOutput(
  tokens: number,
  { most, bytes, isComplete }: { most: number; bytes: number; isComplete: boolean },
): boolean {
  if (tokens > most + bytes) return false;
  if (!isComplete || bytes === 0) return true;
  return tokens > 0 && (bytes <= LONG_ANSWER || tokens * MOST_BYTES_PER_TOKEN >= bytes);
}

/** A number of tokens as a provider reports it; undefined if it is none. */
export function toCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function countParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + countPart(part), 0);
}

function countPart(part: Part): number {
  if (part.type === 'call') return part.name.length + countBytes(JSON.stringify(part.input ?? null));
  return 'text' in part ? countBytes(part.text ?? '') : 0;
}

const toolBytes = new WeakMap<ModelRequest['tools'], number>();

function countTools(tools: ModelRequest['tools']): number {
  let bytes = toolBytes.get(tools);
  if (bytes === undefined) toolBytes.set(tools, (bytes = JSON.stringify(tools).length));
  return bytes;
}
