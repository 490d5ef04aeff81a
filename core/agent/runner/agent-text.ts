import type { Part } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';

type Kind = 'text' | 'thinking';

/** The text of an agent that is not in the log yet: it is shown at once, and recorded with the next call. */
export class AgentText {
  #id = '';
  #parts: { type: Kind; text: string }[] = [];
  #offsets = { text: 0, thinking: 0 };

  add({ engine, session }: Work, kind: Kind, text: string): void {
    if (text === '') return;
    if (this.#id === '') this.#id = engine.ids.ulid();
    const last = this.#parts.at(-1);
    if (last?.type === kind) last.text += text;
    else this.#parts.push({ type: kind, text });
    const offset = this.#offsets[kind];
    this.#offsets[kind] += text.length;
    engine.store.emitLive({ type: 'message.delta', session, message: this.#id, part: kind, offset, text });
  }

  /** The text since the last call of this function, with the id under which it was shown. */
  take({ engine }: Work): { id: string; parts: Part[] } {
    const taken = { id: this.#id || engine.ids.ulid(), parts: this.#parts };
    this.#id = '';
    this.#parts = [];
    this.#offsets = { text: 0, thinking: 0 };
    return taken;
  }
}
