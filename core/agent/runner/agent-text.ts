import type { EventBody, Message } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { runOf } from '../state/state.ts';

/** The message with the text of an agent, if there is any. */
export function toAgentMessage({ state }: Work, { parts, ...text }: TakenText): EventBody[] {
  if (parts.length === 0) return [];
  const message = { ...text, role: 'assistant' as const, origin: 'model' as const, parts };
  return [{ type: 'message.added', run: runOf(state).id, turn: state.turn, message }];
}

/** Text as a part of a message. */
export type TakenText = Pick<Message, 'id' | 'parts' | 'entries'>;

type Kind = 'text' | 'thinking';

/** The text of an agent that is not in the log yet: it is shown at once, and recorded with the next call. */
export class AgentText {
  #id = '';
  #parts: { type: Kind; text: string }[] = [];
  #offsets = { text: 0, thinking: 0 };
  #entries: string[] = [];

  add({ engine, session, redactor }: Work, kind: Kind, text: string): void {
    if (text === '') return;
    if (this.#id === '') this.#id = engine.ids.ulid();
    const last = this.#parts.at(-1);
    if (last?.type === kind) last.text += text;
    else this.#parts.push({ type: kind, text });
    const offset = this.#offsets[kind];
    this.#offsets[kind] += text.length;
    engine.store.emitLive({ type: 'message.delta', session, message: this.#id, part: kind, offset, text }, (raw) =>
      redactor.redact(raw),
    );
  }

  /** The id that the agent gave to the text since the last one. */
  entry(id: string): void {
    if (this.#parts.length > 0) this.#entries.push(id);
  }

  /** The text since the last call of this function, with the id under which it was shown. */
  take({ engine }: Work): TakenText {
    const entries = this.#entries.length > 0 ? { entries: this.#entries } : {};
    const taken = { id: this.#id || engine.ids.ulid(), parts: this.#parts, ...entries };
    this.#id = '';
    this.#entries = [];
    this.#parts = [];
    this.#offsets = { text: 0, thinking: 0 };
    return taken;
  }
}
