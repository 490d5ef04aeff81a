import { headOf } from '@klaus/core/cut-text';
import { isJSONRPCRequest, PROTOCOL_VERSION_META_KEY, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '@klaus/core/protocol';
import type { JsonObject } from './json-object.ts';
import { repairResult } from './repair-result.ts';
import type { ToolProblem } from './repair-tools.ts';

/** Codes of errors with which a request ends whose answer cannot arrive any more, or has no result. Of no server. */
export const NO_ANSWER = 7_404;
export const NO_RESULT = 7_405;
/** Pages of one list. */
const MAX_PAGES = 60;

interface Pending {
  id: string | number;
  method: string;
  isModern: boolean;
}

/** A text of a server that is no message of the protocol. */
class NoMessageError extends Error {}

/**
 * The messages of a connection. Servers deviate from the protocol: what is certain is repaired before the client of the
 * protocol, which is strict, reads it, and an answer that has no result ends its request.
 */
export class ServerMessages {
  readonly #pending = new Map<string, Pending>();
  #pages = 0;
  #problems: ToolProblem[] = [];

  /** What was wrong with the tools when they were listed last. */
  get problems(): readonly ToolProblem[] {
    return this.#problems;
  }

  /** Called with each message to the server. */
  send(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      const { id, method, params } = message;
      const isModern = params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
      this.#pending.set(String(id), { id, method, isModern });
      if (method !== 'tools/list') return;
      const isFirst = params?.['cursor'] === undefined;
      this.#pages = isFirst ? 1 : this.#pages + 1;
      if (isFirst) this.#problems = [];
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#pending.delete(String(message.params?.['requestId']));
    }
  }

  /** The messages in a value of the server. @throws NoMessageError. */
  receive(value: unknown): JSONRPCMessage[] {
    if (Array.isArray(value)) return value.flatMap((each) => this.receive(each));
    if (!isRecord(value)) throw new NoMessageError('no object');
    const { id, method, params } = value;
    if (typeof method === 'string') {
      const hasId = typeof id === 'string' || typeof id === 'number';
      const message = { method, ...(isRecord(params) ? { params } : {}), ...(hasId ? { id } : {}) };
      return [{ jsonrpc: '2.0', ...message } as JSONRPCMessage];
    }
    const isAnswer = 'result' in value || 'error' in value;
    if (!isAnswer && (id === undefined || id === null)) throw new NoMessageError('no message');
    const pending = this.#take(id);
    return pending ? [this.#toAnswer(pending, value)] : [];
  }

  /** The answer to a request whose own answer cannot arrive any more; undefined if it has arrived. */
  lose(id: string | number): JSONRPCMessage | undefined {
    const pending = this.#pending.get(String(id));
    if (!pending) return undefined;
    this.#pending.delete(String(id));
    return toError(pending, { code: NO_ANSWER, message: 'ended the connection before its answer' });
  }

  /** An answer without an id is that of the only open request, if there is one. */
  #take(id: unknown): Pending | undefined {
    const isNamed = id !== undefined && id !== null;
    const found = isNamed
      ? this.#pending.get(String(id as string | number))
      : this.#pending.size === 1
        ? [...this.#pending.values()][0]
        : undefined;
    if (found) this.#pending.delete(String(found.id));
    return found;
  }

  #toAnswer(pending: Pending, { result, error }: JsonObject): JSONRPCMessage {
    if (error !== undefined && error !== null) return toError(pending, error);
    if (!isRecord(result)) return toError(pending, { code: NO_RESULT, message: 'answered without a result' });
    const { id, method, isModern } = pending;
    const repaired = repairResult(method, result, {
      allowsEveryOutput: isModern,
      report: (problem) => void this.#problems.push(problem),
    });
    if (method === 'tools/list' && this.#pages >= MAX_PAGES && 'nextCursor' in repaired) {
      const { nextCursor: _, ...last } = repaired;
      this.#problems.push({ tool: 'tools', problem: `have more than ${MAX_PAGES} pages`, isLost: true });
      return { jsonrpc: '2.0', id, result: last };
    }
    return { jsonrpc: '2.0', id, result: { ...repaired } };
  }
}

function toError({ id }: Pending, given: unknown): JSONRPCMessage {
  const { code, message, data } = isRecord(given) ? given : { message: given };
  const text = typeof message === 'string' ? message : headOf(JSON.stringify(message ?? given) ?? '', 1_000);
  const shown = { code: Number.isSafeInteger(code) ? (code as number) : -32_603, message: text };
  return { jsonrpc: '2.0', id, error: data === undefined ? shown : { ...shown, data } };
}
