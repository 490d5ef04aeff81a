import type { LiveText } from '@klaus/core/agent';

/** Longest beginning of a line that is held back, in characters. */
const MAX_LINE = 4_096;

/**
 * Output as a terminal shows it at the end: of a line that a program has written again after `\r`, such as a progress
 * bar, the last state.
 */
export class LastStates {
  readonly #emit: (text: LiveText) => void;
  /** The beginning of a line whose end has not arrived. */
  #line = '';

  constructor(emit: (text: LiveText) => void) {
    this.#emit = emit;
  }

  add(text: LiveText): void {
    // Most output has no line that is written again, and is passed on as it is.
    const raw = text.toString();
    if (this.#line === '' && !raw.includes('\r') && raw.endsWith('\n')) return this.#emit(text);
    const lines = (this.#line + raw).split('\n');
    this.#line = toOpenState(lines.pop()!);
    if (lines.length > 0) this.#emit(`${lines.map(toLastState).join('\n')}\n`);
    if (this.#line.length <= MAX_LINE) return;
    this.#emit(this.#line);
    this.#line = '';
  }

  end(): void {
    if (this.#line !== '') this.#emit(toLastState(this.#line));
    this.#line = '';
  }
}

/** The last state of a complete line, which keeps a `\r` at its end. */
function toLastState(line: string): string {
  if (!line.includes('\r')) return line;
  const states = line.split('\r');
  const last = states.findLast((state) => state.trim() !== '') ?? '';
  return states.at(-1) === '' ? `${last}\r` : last;
}

/** The states of a line that can still be the last one. */
function toOpenState(line: string): string {
  const at = line.lastIndexOf('\r');
  if (at < 0) return line;
  const [before, last] = [line.slice(0, at), line.slice(at + 1)];
  return before.includes('\r') ? `${toLastState(`${before}\r `)}\r${last}` : line;
}
