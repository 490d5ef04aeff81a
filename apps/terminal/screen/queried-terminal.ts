import { setTimeout as pause } from 'node:timers/promises';
import { getCapabilities, ProcessTerminal } from '@earendil-works/pi-tui';
import { KeyBurst } from './key-burst.ts';

/** Pixels of one cell of the terminal. */
export interface CellSize {
  width: number;
  height: number;
}

const ASK_CELL = '\u001b[16t';
const CELL = /^\u001b\[6;(\d+);(\d+)t$/;
/** Primary device attributes (DA1). */
const ATTRIBUTES = /\u001b\[\?([\d;]+)c/;
/** Characters of the input in which the answer is searched, which can arrive in pieces. */
const MAX_ANSWER = 256;
const SIXEL = '4';

/** Milliseconds that the rest of a paste may need. */
const PASTE_MS = 1_000;
const POLL_MS = 5;

/** Private fields of the library; a test fails if a version changes them. */
interface PasteFields {
  stdinBuffer?: { pasteMode: boolean };
}

/** The parts of `tty.WriteStream` that are not in its types. Without them, the size is the one that Node knows. */
interface SizedStream {
  _handle?: { getWindowSize?: (size: [number, number]) => number } | null;
  _refreshSize?: () => void;
}

/**
 * The terminal of this process, with what it answers about sixel images. The base class asks for the device attributes
 * at each start and keeps the answer from the input; the size of a cell is asked once the answer names sixel. A
 * terminal that does not answer gets no sixel.
 */
export class QueriedTerminal extends ProcessTerminal {
  #hasSixel: boolean | undefined;
  #cell: CellSize | undefined;
  #received = '';
  #burst: KeyBurst | undefined;
  /** True while input is read that was typed before this program read single keys. */
  #isEarly = false;

  /** The size of a cell, if the terminal shows sixel images and no better protocol. Undefined until it has answered. */
  get sixelCell(): CellSize | undefined {
    return this.#hasSixel ? this.#cell : undefined;
  }

  /** True while a key is handled that has arrived together with others: no person has typed it alone. */
  get isBurst(): boolean {
    return this.#burst?.isBurst ?? false;
  }

  /** Reads the size of the window now. Node reads it when it handles the signal, which can be one frame too late. */
  refreshSize(): void {
    const { stdout } = process as unknown as { stdout: SizedStream };
    if (stdout._handle?.getWindowSize?.([0, 0]) === 0) stdout._refreshSize?.();
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const burst = new KeyBurst(onInput);
    this.#burst = burst;
    this.#isEarly = process.stdin.isTTY && !process.stdin.isRaw;
    // Two turns of the event loop read all input that the kernel has queued.
    setImmediate(() => setImmediate(() => (this.#isEarly = false)));
    super.start(
      (data) => {
        this.#cell = toCell(data) ?? this.#cell;
        // Enter is a line feed in input that the terminal has collected in lines.
        burst.add(this.#isEarly && data === '\n' ? '\r' : data);
      },
      () => {
        // Another font changes both sizes.
        if (this.#hasSixel) this.write(ASK_CELL);
        onResize();
      },
    );
    if (this.#hasSixel === undefined) process.stdin.on('data', this.#receive);
  }

  override stop(): void {
    process.stdin.off('data', this.#receive);
    super.stop();
  }

  /** Resolves when all keys that have arrived together are handled and no paste is incomplete, after a second at most. */
  async inputEnd(): Promise<void> {
    const end = performance.now() + PASTE_MS;
    do await pause(POLL_MS);
    while (this.#isPasting && performance.now() < end);
  }

  get #isPasting(): boolean {
    return this.#burst?.isHeld === true || (this as unknown as PasteFields).stdinBuffer?.pasteMode === true;
  }

  readonly #receive = (data: string | Buffer): void => {
    this.#received = (this.#received + data.toString()).slice(-MAX_ANSWER);
    const hasSixel = readsSixel(this.#received);
    if (hasSixel === undefined) return;
    process.stdin.off('data', this.#receive);
    this.#received = '';
    this.#hasSixel = hasSixel && getCapabilities().images === null;
    if (this.#hasSixel) this.write(ASK_CELL);
  };
}

/** Whether the device attributes in an input name sixel. Undefined if it contains none. */
export function readsSixel(input: string): boolean | undefined {
  // The first one is the class of the device.
  return ATTRIBUTES.exec(input)?.[1]!.split(';').slice(1).includes(SIXEL);
}

function toCell(input: string): CellSize | undefined {
  const [height = 0, width = 0] = CELL.exec(input)?.slice(1).map(Number) ?? [];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
