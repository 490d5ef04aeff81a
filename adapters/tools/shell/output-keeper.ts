import { StringDecoder } from 'node:string_decoder';
import { isKlausError, type BlobRef } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';

/** Output up to here is given whole, in characters; of more, head and tail are kept and the whole becomes a blob. */
const MAX_WHOLE = 60_000;
const PART = MAX_WHOLE / 2;

/** Takes a command's output as it comes, shows it live and keeps what a result needs in bounded memory. */
export class OutputKeeper {
  readonly #context: Pick<ToolContext, 'progress' | 'openBlob'>;
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  #early: Uint8Array[] = [];
  #blob: ReturnType<ToolContext['openBlob']> | undefined;
  /** True when there was no room to begin a blob. */
  #unkept = false;
  #head = '';
  #tail = '';
  #left = 0;

  constructor(context: Pick<ToolContext, 'progress' | 'openBlob'>) {
    this.#context = context;
  }

  /** For `ExecRequest.onOutput`. */
  readonly take = (chunk: Uint8Array, stream: 'stdout' | 'stderr'): void => {
    const text = this.#decoders[stream].write(chunk);
    this.#context.progress(text);
    this.#add(text);
    if (this.#blob) this.#blob.write(chunk);
    else if (!this.#unkept) this.#early.push(Uint8Array.from(chunk));
    if (this.#isLong()) this.#begin();
  };

  /** The output for the model; `blob` holds all of it where `text` does not. */
  async finish(): Promise<{ text: string; blob?: BlobRef }> {
    this.#add(this.#decoders.stdout.end() + this.#decoders.stderr.end());
    if (!this.#isLong()) return { text: (this.#head + this.#tail).toWellFormed() };
    this.#begin();
    const blob = await this.#close();
    const lost = blob === undefined ? '\n[the whole output could not be kept: there is no room on the disk]' : '';
    const text = `${this.#head}\n[… ${this.#left} characters left out …]\n${this.#tail}${lost}`.toWellFormed();
    return blob ? { text, blob } : { text };
  }

  /** Gives up a blob that was begun. */
  abort(): void {
    this.#blob?.abort();
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

  #isLong(): boolean {
    return this.#left > 0;
  }

  #add(text: string): void {
    const room = PART - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === '') return;
    this.#tail += rest;
    if (this.#tail.length <= PART) return;
    this.#left += this.#tail.length - PART;
    this.#tail = this.#tail.slice(-PART);
  }
}
