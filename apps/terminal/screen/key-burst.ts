import { isKeyRelease } from '@earendil-works/pi-tui';
import { isText, PASTE_END, PASTE_START } from './typed-text.ts';

/** Characters that arrive together and are a paste, also without a line break. */
const PASTE_LENGTH = 200;
/** Characters with a single line break that are a paste. */
const LINES_LENGTH = 24;
/** Milliseconds without input after which a paste that no mark ends is complete. */
const PASTE_END_MS = 40;
/** A printable key in the notation of the kitty keyboard protocol. */
const PRINTABLE = /^\u001b\[\d+(?::\d*)*u$/;

/**
 * Keys that arrive in one read of the terminal. A person types one at a time: several are a paste in a terminal that does
 * not mark pastes, or keys that a slow connection has collected. Lines that arrive together are delivered as one paste,
 * so that a line break in them sends nothing. All other keys are delivered one by one, and {@link isBurst} distinguishes
 * them from keys that were typed alone.
 */
export class KeyBurst {
  readonly #deliver: (data: string) => void;
  /** Keys of the present read. */
  #keys: string[] = [];
  /** Text of a paste that may not be complete. */
  #held = '';
  #timer: NodeJS.Timeout | undefined;
  #isBurst = false;

  constructor(deliver: (data: string) => void) {
    this.#deliver = deliver;
  }

  /** True while one of several keys of a read is delivered. */
  get isBurst(): boolean {
    return this.#isBurst;
  }

  /** True while a paste may not be complete. */
  get isHeld(): boolean {
    return this.#held !== '' || this.#keys.length > 0;
  }

  /** Adds a key. The keys of one read are delivered after it. */
  add(data: string): void {
    if (this.#keys.push(data) === 1) process.nextTick(() => this.#read());
  }

  #read(): void {
    const keys = this.#keys;
    this.#keys = [];
    const isBurst = keys.filter((key) => !isKeyRelease(key)).length > 1 && keys.some(isTyped);
    let run: string[] = [];
    const endRun = (isLast: boolean): void => {
      this.#deliverRun(run, { isBurst, isLast });
      run = [];
    };
    for (const key of keys) {
      if (isTextual(key)) {
        run.push(key);
        continue;
      }
      endRun(false);
      this.#send(key, isBurst);
    }
    endRun(true);
  }

  /** Delivers text. The last text of a read can be the middle of a paste. */
  #deliverRun(run: readonly string[], { isBurst, isLast }: { isBurst: boolean; isLast: boolean }): void {
    if (run.length > 0 && (this.#held !== '' || isLines(run))) {
      this.#held += run.join('');
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#flush(), PASTE_END_MS);
    }
    if (this.#held !== '') return isLast ? undefined : this.#flush();
    if (run.length >= PASTE_LENGTH && !run.some(isBreak)) return this.#paste(run.join(''));
    for (const key of run) this.#send(key, isBurst);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const text = this.#held;
    this.#held = '';
    if (text !== '') this.#paste(text.replaceAll(/\r\n?/g, '\n'));
  }

  #paste(text: string): void {
    this.#deliver(`${PASTE_START}${text}${PASTE_END}`);
  }

  #send(key: string, isBurst: boolean): void {
    this.#isBurst = isBurst;
    try {
      this.#deliver(key);
    } finally {
      this.#isBurst = false;
    }
  }
}

function isBreak(key: string): boolean {
  return key === '\r' || key === '\n';
}

/** True for what a pasted text consists of. */
function isTextual(key: string): boolean {
  return isBreak(key) || key === '\t' || isText(key);
}

/** True for a key that enters a text or answers something. */
function isTyped(key: string): boolean {
  return isTextual(key) || PRINTABLE.test(key);
}

/**
 * True for a line break with more text behind it. On a busy machine, Enter and the first letters of the next line can be
 * read together too: a single line break needs more text than a person types in that time.
 */
function isLines(run: readonly string[]): boolean {
  const at = run.findIndex(isBreak);
  if (at < 0 || !run.slice(at).some((key) => !isBreak(key))) return false;
  return run.length >= LINES_LENGTH || run.filter(isBreak).length > 1;
}
