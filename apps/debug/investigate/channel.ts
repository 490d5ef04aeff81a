/**
 * Messages for any number of readers. Each reader gets all messages from the first one on, at its own speed, even if it
 * begins after the end.
 */
export interface Channel<T> {
  readonly messages: AsyncIterable<T>;
  /** Ignored after `end`. */
  readonly push: (message: T) => void;
  readonly end: () => void;
}

export function createChannel<T>(): Channel<T> {
  const sent: T[] = [];
  let hasEnded = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  return {
    messages: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; ;) {
          if (at < sent.length) yield sent[at++]!;
          else if (hasEnded) return;
          else await new Promise<void>((resolve) => waiting.push(resolve));
        }
      },
    },
    push(message) {
      if (hasEnded) return;
      sent.push(message);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
  };
}
