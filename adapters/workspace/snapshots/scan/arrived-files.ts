import { TOOL_MARKERS } from '@klaus/core/policy';

/**
 * The files of a folder that was seen first with a marker. If most of them are stored already, someone moved or copied a
 * covered folder, and the marker says nothing about it.
 */
export class ArrivedFiles {
  #files = 0;
  #bytes = 0;
  #knownFiles = 0;
  #knownBytes = 0;

  begin(): void {
    this.#files = this.#bytes = this.#knownFiles = this.#knownBytes = 0;
  }

  /** @param file `isStored`: its content already was. */
  add({ name, size, isStored }: { name: string; size: number; isStored: boolean }): void {
    // All empty files have the same content, and all tags of a tool.
    if (size === 0 || TOOL_MARKERS.has(name)) return;
    this.#files++;
    this.#bytes += size;
    if (!isStored) return;
    this.#knownFiles++;
    this.#knownBytes += size;
  }

  /** True if half of the files, or of their bytes, are stored already. */
  get areKnown(): boolean {
    if (this.#knownFiles === 0) return false;
    return this.#knownFiles * 2 >= this.#files || this.#knownBytes * 2 >= this.#bytes;
  }
}
