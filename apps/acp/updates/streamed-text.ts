import type { Live } from '@klaus/sdk';

type Part = 'text' | 'thinking';

/** The text of messages that an editor has already, so that each character is sent once. */
export class StreamedText {
  readonly #messages = new Map<string, Record<Part, string>>();

  /** The new text of a piece. After a gap nothing is new until the message is stored. */
  add({ message, offset, text }: Extract<Live, { type: 'message.delta' }>, part: Part): string {
    const sent = this.#messages.get(message) ?? { text: '', thinking: '' };
    const known = sent[part].length;
    if (offset > known) return '';
    const fresh = text.slice(known - offset);
    this.#messages.set(message, { ...sent, [part]: sent[part] + fresh });
    return fresh;
  }

  /** What the editor lacks of the stored texts of one kind. */
  rest(message: string, part: Part, texts: readonly string[]): string {
    const sent = this.#messages.get(message)?.[part] ?? '';
    const stored = [texts.join('\n'), texts.join('')].find((each) => each.startsWith(sent));
    // What was streamed differs from what was stored: the editor gets the stored text.
    return stored === undefined ? `\n\n${texts.join('\n')}` : stored.slice(sent.length);
  }

  /** Call it once a message is stored, or is not going to be. True if a part of it was sent. */
  forget(message: string): boolean {
    return this.#messages.delete(message);
  }
}
