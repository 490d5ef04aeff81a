import { isRecord } from '@klaus/core/protocol';
import type { Ask } from './ask-server.ts';

/** A model that a server offers. */
export interface OfferedModel {
  id: string;
  /** True if it is in memory. */
  isLoaded: boolean;
}

/** What a server says about one of its models. Absent: it does not say. */
export interface ServerFacts {
  /** Tokens of prompt and answer, as the model is loaded. */
  contextWindow?: number;
  /** Tokens with which it could be loaded. */
  largestWindow?: number;
  tools?: boolean;
  images?: boolean;
  /** Whether the model can reason before it answers. */
  thinking?: boolean;
}

/** A request as it was sent, for {@link LocalProgram.countTokens}. */
export interface SentPrompt {
  model: string;
  messages: unknown;
  tools?: unknown;
}

/** A program that serves models on the machine of its user. */
export interface LocalProgram {
  /** Its own spelling of its name. */
  readonly title: string;
  /** Its usual port. */
  readonly port: number;
  /** The command that starts it. */
  readonly start: string;
  /** Its address according to its own variables: a URL, `host:port`, or one of both. Default: its port at loopback. */
  address?(env: Readonly<Record<string, string | undefined>>): string | undefined;
  /** Its models. Undefined: the answers are not those of this program. Only GET. */
  listModels(ask: Ask): Promise<readonly OfferedModel[] | undefined>;
  /** @param ask Sends no text of a session. */
  readFacts(ask: Ask, id: string): Promise<ServerFacts>;
  /** Loads a model, so that its window is known. It gets no text. */
  load?(ask: Ask, id: string): Promise<void>;
  /**
   * Keeps a loaded model in memory for the given milliseconds from now, or longer. It gets no text. Undefined: the program
   * unloads no model.
   *
   * @returns False if the model is not in memory: it is not loaded again.
   */
  keep?(ask: Ask, id: string, ms: number): Promise<boolean>;
  /** Tokens of a prompt in the template of the model, which the server counts itself. Undefined: it does not. */
  countTokens?(ask: Ask, prompt: SentPrompt): Promise<number | undefined>;
  /** The commands that load a model with a larger window. */
  enlarge(id: string, tokens: number): string;
  /** What to do about a template without tools. */
  readonly toolsFix: string;
}

/** The entries of a list in an answer, or undefined if it has no such list of objects. */
export function toEntries(answer: unknown, field: string): Record<string, unknown>[] | undefined {
  const list = isRecord(answer) ? answer[field] : undefined;
  return Array.isArray(list) && list.every(isRecord) ? list : undefined;
}

/** A number of tokens; undefined if it is none. */
export function toTokens(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

export function toFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
