import type { PromptResponse } from '@agentclientprotocol/sdk/unstable';
import type { Message, Part } from '@klaus/sdk';

/** Receives the id of the message that a prompt became. */
export type OnMessage = (id: string) => void;

interface PendingPrompt {
  /** Its text, by which its message is known. Undefined once that message was seen. */
  text: string | undefined;
  isCancelled: boolean;
  /** Settles when the request was sent, or was refused. */
  sent: Promise<void>;
  onMessage: OnMessage | undefined;
  resolve: (response: PromptResponse) => void;
  reject: (error: unknown) => void;
}

/** The prompts of an editor that have no response yet. */
export class PendingPrompts {
  readonly #prompts = new Set<PendingPrompt>();

  get size(): number {
    return this.#prompts.size;
  }

  /**
   * Sends a request that starts a run, or joins one, and waits for its end.
   *
   * @param prompt.message Absent: the request adds no message.
   */
  async run(
    { message, onMessage }: { message?: readonly Part[]; onMessage?: OnMessage },
    send: () => Promise<void>,
  ): Promise<PromptResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<PromptResponse>();
    const sent = send();
    const text = message && toText(message);
    const pending: PendingPrompt = { text, isCancelled: false, sent, onMessage, resolve, reject };
    this.#prompts.add(pending);
    try {
      await sent;
    } catch (error) {
      this.#prompts.delete(pending);
      throw error;
    }
    return promise;
  }

  /** Reports the message that a prompt became. True if it is the message of one of these prompts. */
  take({ id, origin, parts }: Message): boolean {
    if (origin !== 'user' && origin !== 'steer') return false;
    const stored = toText(parts);
    const own = [...this.#prompts].find(({ text }) => text !== undefined && isSame(text, stored));
    if (!own) return false;
    own.text = undefined;
    own.onMessage?.(id);
    return true;
  }

  /** They end as cancelled, regardless of how their run ends. Resolves when they have been sent. */
  async cancel(): Promise<void> {
    for (const pending of this.#prompts) pending.isCancelled = true;
    await Promise.allSettled([...this.#prompts].map(({ sent }) => sent));
  }

  /** True for the text of a cancelled prompt that has become no message. */
  isCancelled(parts: readonly Part[]): boolean {
    const stored = toText(parts);
    return [...this.#prompts].some(
      ({ isCancelled, text }) => isCancelled && text !== undefined && isSame(text, stored),
    );
  }

  /** Ends them with the response of their run. @param toResponse Throws the error of a run that failed. */
  settle(toResponse: () => PromptResponse): void {
    for (const pending of this.#prompts) {
      if (pending.isCancelled) pending.resolve({ stopReason: 'cancelled' });
      else {
        try {
          pending.resolve(toResponse());
        } catch (error) {
          pending.reject(error);
        }
      }
    }
    this.#prompts.clear();
  }

  fail(error: unknown): void {
    for (const pending of this.#prompts) pending.reject(error);
    this.#prompts.clear();
  }

  /** Ends them without a run. */
  end(): void {
    this.settle(() => ({ stopReason: 'cancelled' }));
  }
}

/** The texts alone: files and images can be stored in another form. */
function toText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** True if a stored text is the one that was sent, apart from secrets, which are redacted. */
function isSame(sent: string, stored: string): boolean {
  const pieces = stored.split(/\[secret:[\w-]+:[0-9a-f]{8}\]/);
  if (pieces.length === 1) return sent === stored;
  if (!sent.startsWith(pieces[0]!) || !sent.endsWith(pieces.at(-1)!)) return false;
  let at = 0;
  return pieces.every((piece) => {
    const found = sent.indexOf(piece, at);
    at = found + piece.length;
    return found >= 0;
  });
}
