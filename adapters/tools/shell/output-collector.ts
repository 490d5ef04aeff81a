import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { isKlausError, type BlobRef } from '@klaus/core/protocol';
import type { LiveText, ToolContext } from '@klaus/core/agent';
import { LastStates } from './last-states.ts';
import { TextEnds } from './text-ends.ts';

/** Longest output that a result contains, in characters. Of longer output it has head and tail, and a blob has all. */
const MAX_TEXT = 60_000;

const NEWLINE = 10;

/** Output for the model; `blob` has all of it if `text` does not. */
export interface CollectedOutput {
  text: string;
  /** Of the complete output. */
  lines: number;
  blob?: BlobRef;
}

/** Collects the output of a command in bounded memory, and shows it live. */
export class OutputCollector {
  readonly #context: Pick<ToolContext, 'progress' | 'openBlob'>;
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  /** True while the last chunk of a stream ends inside a character. */
  readonly #isCut = { stdout: false, stderr: false };
  readonly #ends = new TextEnds(MAX_TEXT / 2);
  readonly #states = new LastStates((text) => this.#ends.add(text));
  #breaks = 0;
  #lastByte = NEWLINE;
  #early: Uint8Array[] = [];
  #blob: ReturnType<ToolContext['openBlob']> | undefined;
  /** True if the disk was full when a blob was opened. */
  #isDiskFull = false;

  constructor(context: Pick<ToolContext, 'progress' | 'openBlob'>) {
    this.#context = context;
  }

  /** For `ExecRequest.onOutput`. */
  readonly add = (chunk: Uint8Array, stream: 'stdout' | 'stderr'): void => {
    this.#countLines(chunk);
    const text = this.#toText(chunk, stream);
    this.#context.progress(text);
    this.#states.add(text);
    if (this.#blob) this.#blob.write(chunk);
    else if (!this.#isDiskFull) this.#early.push(new Uint8Array(chunk));
    if (this.#ends.left > 0) this.#begin();
  };

  async finish(): Promise<CollectedOutput> {
    this.#states.add(this.#decoders.stdout.end() + this.#decoders.stderr.end());
    this.#states.end();
    const { head, tail } = this.#ends.toParts();
    const { left } = this.#ends;
    const lines = this.#breaks + (this.#lastByte === NEWLINE ? 0 : 1);
    if (left === 0) return { text: (head + tail).toWellFormed(), lines };
    this.#begin();
    const blob = await this.#close();
    const lost = blob === undefined ? '\n[the complete output could not be stored: the disk is full]' : '';
    const text = `${head}\n[… ${left} characters omitted …]\n${tail}${lost}`.toWellFormed();
    return blob ? { text, blob, lines } : { text, lines };
  }

  abort(): void {
    this.#blob?.abort();
  }

  #countLines(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.#breaks += 1;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
  }

  /** ASCII has as many characters as bytes, and is converted to a string only on demand. */
  #toText(chunk: Uint8Array, stream: 'stdout' | 'stderr'): LiveText {
    if (!this.#isCut[stream] && isAscii(chunk)) return new AsciiText(chunk);
    this.#isCut[stream] = (chunk.at(-1) ?? 0) >= 0x80;
    return this.#decoders[stream].write(chunk);
  }

  /** Opens a blob with the output so far. A full disk does not fail the command. */
  #begin(): void {
    if (this.#blob || this.#isDiskFull) return;
    try {
      this.#blob = this.#context.openBlob();
      for (const early of this.#early) this.#blob.write(early);
    } catch (error) {
      if (!isKlausError(error) || error.code !== 'store.full') throw error;
      this.#isDiskFull = true;
    }
    this.#early = [];
  }

  async #close(): Promise<BlobRef | undefined> {
    try {
      return await this.#blob?.finish();
    } catch (error) {
      if (!isKlausError(error) || error.code !== 'store.full') throw error;
      return undefined;
    }
  }
}

/** ASCII bytes, valid until their owner reuses them. */
class AsciiText implements LiveText {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get length(): number {
    return this.#bytes.length;
  }

  slice(from: number, to?: number): string {
    return this.#bytes.toString('latin1', from, to);
  }

  toString(): string {
    return this.#bytes.toString('latin1');
  }
}
