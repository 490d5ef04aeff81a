import type { PromptEditor } from '../screen/index.ts';

/** Keys of the editor that do what vi's keys mean. */
const MOVES: Readonly<Record<string, string>> = {
  h: '\u001b[D',
  l: '\u001b[C',
  ' ': '\u001b[C',
  j: '\u001b[B',
  k: '\u001b[A',
  w: '\u001bf',
  e: '\u001bf',
  b: '\u001bb',
  '0': '\u0001',
  '^': '\u0001',
  $: '\u0005',
  x: '\u001b[3~',
  X: '\u007f',
  D: '\u000b',
  u: '\u001f',
  p: '\u0019',
};

const LEFT = '\u001b[D';
const RIGHT = '\u001b[C';
const UP = '\u001b[A';
const START = '\u0001';
const END = '\u0005';
const NEW_LINE = '\n';
const DELETE = '\u001b[3~';
const DELETE_TO_END = '\u000b';
const DELETE_TO_START = '\u0015';

/** What a key of the normal mode does before the input gets text again. */
const INSERTS: Readonly<Record<string, readonly string[]>> = {
  i: [],
  a: [RIGHT],
  I: [START],
  A: [END],
  o: [END, NEW_LINE],
  O: [START, NEW_LINE, UP],
  s: [DELETE],
  S: [START, DELETE_TO_END],
  C: [DELETE_TO_END],
};

/** What `d` and `c` delete, by the key that follows. */
const DELETES: Readonly<Record<string, readonly string[]>> = {
  w: ['\u001bd'],
  e: ['\u001bd'],
  b: ['\u0017'],
  $: [DELETE_TO_END],
  '0': [DELETE_TO_START],
  h: ['\u007f'],
  l: [DELETE],
};

const MAX_COUNT = 999;

/** The keys of vi for the input: a normal and an insert mode, counts, and the usual moves and deletions of one line. */
export class ViKeys {
  readonly #editor: PromptEditor;
  readonly #send: (keys: string) => void;
  #isNormal = false;
  #count = '';
  #operator: 'd' | 'c' | 'r' | undefined;

  /** @param send Gives keys to the editor. */
  constructor(editor: PromptEditor, send: (keys: string) => void) {
    this.#editor = editor;
    this.#send = send;
  }

  get isNormal(): boolean {
    return this.#isNormal;
  }

  /** True: the key was used. */
  handle(data: string): boolean {
    if (!this.#isNormal) {
      if (data !== '\u001b' || this.#editor.isShowingAutocomplete()) return false;
      this.#isNormal = true;
      this.#send(LEFT);
      return true;
    }
    // Control keys, arrows and Enter are those of the input and the terminal.
    if (data.length !== 1 || data < ' ' || data === '\u007f') return this.#cancel(data);
    if (this.#operator !== undefined) return this.#finish(data);
    if (/[1-9]/.test(data) || (data === '0' && this.#count !== '')) {
      this.#count += data;
      return true;
    }
    const inserts = INSERTS[data];
    if (inserts) return this.#insert(inserts);
    if (data === 'd' || data === 'c' || data === 'r') this.#operator = data;
    else if (MOVES[data] !== undefined) this.#repeat([MOVES[data]]);
    else if (data === 'g' || data === 'G') this.#repeat([data === 'G' ? END : START]);
    return true;
  }

  /** `Esc` ends an incomplete command; outside of one it belongs to the terminal. */
  #cancel(data: string): boolean {
    const isOpen = this.#operator !== undefined || this.#count !== '';
    this.#operator = undefined;
    this.#count = '';
    if (data === '\r') this.#isNormal = false;
    return data === '\u001b' && isOpen;
  }

  #finish(data: string): boolean {
    const operator = this.#operator;
    this.#operator = undefined;
    if (operator === 'r') this.#repeat([DELETE, data, LEFT]);
    else if (data === operator)
      this.#repeat(operator === 'd' ? [START, DELETE_TO_END, DELETE] : [START, DELETE_TO_END]);
    else if (DELETES[data]) this.#repeat(DELETES[data]);
    else return true;
    if (operator === 'c') this.#isNormal = false;
    return true;
  }

  #insert(keys: readonly string[]): boolean {
    this.#count = '';
    this.#repeat(keys);
    this.#isNormal = false;
    return true;
  }

  #repeat(keys: readonly string[]): void {
    const count = Math.min(MAX_COUNT, Number(this.#count || '1'));
    this.#count = '';
    for (let step = 0; step < count; step++) for (const key of keys) this.#send(key);
  }
}
