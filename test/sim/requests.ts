import type { ModelRequest } from '@klaus/core/agent';
import { toHash } from './files.ts';

/** Assigns answers to requests: the same request always gets the same answer. */
export class Requests {
  readonly #known = new Map<string, { index: number; attempts: number }>();

  take(request: ModelRequest): { index: number; attempt: number } {
    const key = toHash(JSON.stringify(request.messages.map(({ role, parts }) => [role, parts])));
    const entry = this.#known.get(key) ?? { index: this.#known.size, attempts: 0 };
    this.#known.set(key, entry);
    entry.attempts++;
    return { index: entry.index, attempt: entry.attempts };
  }
}
