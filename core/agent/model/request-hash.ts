import type { Message } from '../../protocol/index.ts';
import type { Ids } from '../ports/ids.ts';
import type { ModelRequest } from '../ports/model.ts';
import { hasSampling } from './sampling.ts';

/** Identifies a request by its content. */
export type RequestHasher = (request: ModelRequest) => string;

/** Hashes requests incrementally: each message is hashed once while the history only grows. */
export function createRequestHasher(ids: Ids): RequestHasher {
  let base: { key: string; tools: ModelRequest['tools']; hash: string } | undefined;
  let seen: Message[] = [];
  let running = '';
  return ({ system, tools, messages, temperature, effort }) => {
    // A session without them keeps its hashes.
    const sampling = hasSampling({ temperature, effort }) ? [{ temperature, effort }] : [];
    const key = JSON.stringify(sampling);
    if (base?.key !== key || base.tools !== tools) {
      base = { key, tools, hash: ids.digest(JSON.stringify([system, tools, ...sampling])) };
      running = '';
    }
    // A part of a message in the middle may have been left out.
    const grew = seen.length <= messages.length && seen.every((message, at) => message === messages[at]);
    if (!grew || running === '') {
      seen = [];
      running = base.hash;
    }
    for (const message of messages.slice(seen.length)) {
      running = ids.digest(running + JSON.stringify([message.role, message.parts]));
      seen.push(message);
    }
    return running;
  };
}
