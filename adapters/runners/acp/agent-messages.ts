import { methods, type AnyMessage, type Stream } from '@agentclientprotocol/sdk/unstable';
import { toRecordedUpdate, type RecordedUpdate } from './session-update.ts';

/**
 * Takes the updates out of the messages of an agent, and drops answers to requests that were not sent. The SDK would
 * print updates that its schema does not know, and ids of answers, which come from the agent, to the terminal.
 */
export function takeUpdates(
  { readable, writable }: Stream,
  onUpdate: (sessionId: string, update: RecordedUpdate) => void,
): Stream {
  const pending = new Set<unknown>();
  const sent = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) pending.add(message.id);
      controller.enqueue(message);
    },
  });
  // The end of the process reports a broken pipe.
  sent.readable.pipeTo(writable).catch(() => {});
  const received = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const { id, method, params } = (message ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
      if (id === undefined && method === methods.client.session.update) {
        const known = toRecordedUpdate(params);
        if (known) onUpdate(known.sessionId, known.update);
      } else if (method !== undefined || id === undefined || id === null || pending.delete(id)) {
        controller.enqueue(message);
      }
    },
  });
  return { readable: readable.pipeThrough(received), writable: sent.writable };
}
