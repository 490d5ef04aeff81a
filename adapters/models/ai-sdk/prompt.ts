import { createHash } from 'node:crypto';
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelRequest } from '@klaus/core/agent';
import { toWellFormed, type Message, type Part } from '@klaus/core/protocol';
import { toInputObject } from '../wire/call-ids.ts';
import { toReplayed, toToolName } from '../wire/replayed-message.ts';
import { NO_IMAGES, toDocumentText } from '../wire/request-writer.ts';
import type { LanguageModel, ProviderMetadata } from './language-model.ts';
import { readMetadata } from './metadata.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type ResultPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** Anthropic caches up to a mark. It is the same in every request. */
const CACHE: ProviderMetadata = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Converts histories, each message once: it is immutable and keeps its identity, so that a prompt begins with the
 * complete previous one.
 */
export function createPromptWriter(
  { specificationVersion: version, provider }: Pick<LanguageModel, 'specificationVersion' | 'provider'>,
  { images, answeredBy }: { images: boolean; answeredBy: string },
): (request: Pick<ModelRequest, 'system' | 'messages'>) => LanguageModelV4Prompt {
  const toId = provider?.startsWith('mistral') ? toMistralId : toSafeId;
  const written = new WeakMap<Message, LanguageModelV4Message[]>();
  return ({ system, messages }) => {
    const toolNames = new Map<string, string>();
    const prompt: LanguageModelV4Prompt =
      system === '' ? [] : [{ role: 'system', content: system.toWellFormed(), providerOptions: CACHE }];
    for (const message of messages) {
      for (const part of message.parts) if (part.type === 'call') toolNames.set(part.id, toToolName(part.name));
      let items = written.get(message);
      if (items === undefined) {
        items =
          message.role === 'assistant'
            ? toAssistant(toReplayed(message, answeredBy).parts, toId)
            : toUser(message.parts, { toolNames, images, toId });
        if (version === 'v3') items = items.map(toVersion3);
        items = toWellFormed(items);
        written.set(message, items);
      }
      prompt.push(...items);
    }
    return prompt;
  };
}

/** Providers reject empty texts and messages. */
function toAssistant(parts: readonly Part[], toId: ToId): LanguageModelV4Message[] {
  const content: AssistantPart[] = [];
  let next: ProviderMetadata | undefined;
  for (const part of parts) {
    if (part.type !== 'thinking' && part.type !== 'text' && part.type !== 'call') continue;
    const metadata = readMetadata(part);
    const own = metadata.own ?? next;
    const options = own && { providerOptions: own };
    if (part.type === 'thinking') {
      next = metadata.next ?? next;
      if (!metadata.next) content.push({ type: 'reasoning', text: part.text, ...options });
      continue;
    }
    next = undefined;
    if (part.type === 'call') {
      const call = { toolCallId: toId(part.id), toolName: part.name, input: toInputObject(part.input) };
      content.push({ type: 'tool-call', ...call, ...options });
    } else if (part.text.trim() !== '' || options) content.push({ type: 'text', text: part.text, ...options });
  }
  // Reasoning must be followed by its result, so an answer that ended after it is omitted.
  while (content.at(-1)?.type === 'reasoning') content.pop();
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toUser(
  parts: readonly Part[],
  { toolNames, images, toId }: { toolNames: ReadonlyMap<string, string>; images: boolean; toId: ToId },
): LanguageModelV4Message[] {
  const results: ResultPart[] = [];
  const content: UserPart[] = [];
  const addText = (text: string): void => void (text.trim() !== '' && content.push({ type: 'text', text }));
  for (const part of parts) {
    switch (part.type) {
      case 'result':
        results.push({
          type: 'tool-result',
          toolCallId: toId(part.call),
          toolName: toolNames.get(part.call) ?? 'unknown',
          output: { type: part.isError ? 'error-text' : 'text', value: part.text },
        });
        break;
      case 'image':
        if (!images) addText(NO_IMAGES);
        else content.push({ type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.data } });
        break;
      case 'file':
        addText(toDocumentText(part));
        break;
      case 'text':
        addText(part.text);
        break;
      case 'call':
      case 'thinking': // never in a user's message
    }
  }
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(content.length > 0 ? [{ role: 'user' as const, content }] : []),
  ];
}

/** Version 3 has the data of a file without a wrapper. The types of both versions are otherwise the same here. */
function toVersion3(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'user') return message;
  const content = message.content.map((part) =>
    part.type === 'file' && part.data.type === 'data' ? { ...part, data: part.data.data } : part,
  );
  return { ...message, content } as LanguageModelV4Message;
}

type ToId = (id: string) => string;

/** Mistral rejects ids of other providers: its own are nine letters and digits. */
function toMistralId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** Ids of another provider can contain characters that this one rejects. */
function toSafeId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}
