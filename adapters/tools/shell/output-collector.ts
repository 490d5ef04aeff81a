import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { isKlausError, type BlobRef } from '@klaus/core/protocol';
import type { LiveText, ToolContext } from '@klaus/core/agent';
import { TextEnds } from './text-ends.ts';

/** Output up to here is given whole, in characters; of more, head and tail are kept and the whole becomes a blob. */
const MAX_WHOLE = 60_000;

/** Takes a command's output as it comes, shows it live and keeps what a result needs in bounded memory. */
export class OutputKeeper {
  readonly #context: Pick<ToolContext, 'progress' | 'openBlob'>;
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  /** True while a stream stands in the middle of a character. */
  readonly #isCut = { stdout: false, stderr: false };
  readonly #ends = new TextEnds(MAX_WHOLE / 2);
  #early: Uint8Array[] = [];
  #blob: ReturnType<ToolContext['openBlob']> | undefined;
  /** True when there was no room to begin a blob. */
  #unkept = false;

  constructor(context: Pick<ToolContext, 'progress' | 'openBlob'>) {
    this.#context = context;
  }

  /** For `ExecRequest.onOutput`. */
  readonly take = (chunk: Uint8Array, stream: 'stdout' | 'stderr'): void => {
    const text = this.#toText(chunk, stream);
    this.#context.progress(text);
    this.#ends.add(text);
    if (this.#blob) this.#blob.write(chunk);
    else if (!this.#unkept) this.#early.push(new Uint8Array(chunk));
    if (this.#ends.left > 0) this.#begin();
  };

  /** The output for the model; `blob` holds all of it where `text` does not. */
  async finish(): Promise<{ text: string; blob?: BlobRef }> {
    this.#ends.add(this.#decoders.stdout.end() + this.#decoders.stderr.end());
    const { head, tail } = this.#ends.toParts();
    const { left } = this.#ends;
    if (left === 0) return { text: (head + tail).toWellFormed() };
    this.#begin();
    const blob = await this.#close();
    const lost = blob === undefined ? '\n[the whole output could not be kept: there is no room on the disk]' : '';
    const text = `${head}\n[… ${left} characters left out …]\n${tail}${lost}`.toWellFormed();
    return blob ? { text, blob } : { text };
  }

  /** Gives up a blob that was begun. */
  abort(): void {
    this.#blob?.abort();
  }

  /** ASCII has as many characters as bytes, and becomes a string only where somebody wants one. */
  #toText(chunk: Uint8Array, stream: 'stdout' | 'stderr'): LiveText {
    if (!this.#isCut[stream] && isAscii(chunk)) return new AsciiText(chunk);
    this.#isCut[stream] = (chunk.at(-1) ?? 0) >= 0x80;
    return this.#decoders[stream].write(chunk);
  }

  /** Puts what there is into a blob. A command that is done is not undone by a disk that has no room for all it said. */
  #begin(): void {
    if (this.#blob || this.#unkept) return;
    try {
      this.#blob = this.#context.openBlob();
      for (const early of this.#early) this.#blob.write(early);
    } catch (error) {
      if (!isKlausError(error) || error.code !== 'store.full') throw error;
      this.#unkept = true;
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

/** Bytes that are one character each, for as long as their owner leaves them. */
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
