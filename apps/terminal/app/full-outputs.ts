import type { CallEntry } from '@klaus/sdk/conversation';
import { formatBytes, formatCount } from '@klaus/sdk/transcript';

/** Lines of one output: half of them from its beginning, half from its end. */
const MAX_LINES = 20_000;
/** Bytes of an output that is read at all. */
const MAX_BYTES = 32 * 1_024 * 1_024;

export interface FullOutputsOptions {
  /** Reads the complete output of a call. */
  read: (call: string) => Promise<string>;
  /** The command that prints complete outputs. */
  command: string;
  /** A text has changed. */
  onChange: () => void;
}

/** The complete outputs of calls of which the log has a part. One is read when it is shown for the first time. */
export class FullOutputs {
  readonly #options: FullOutputsOptions;
  readonly #texts = new Map<string, string>();

  constructor(options: FullOutputsOptions) {
    this.#options = options;
  }

  /** The text to show now. */
  of({ id, result }: CallEntry): string | undefined {
    if (!result?.blob || this.#texts.has(id)) return this.#texts.get(id);
    const isLarge = result.blob.size > MAX_BYTES;
    const why = isLarge ? `${formatBytes(result.blob.size)}: ${this.#options.command} prints it` : 'it is being read';
    this.#texts.set(id, `[A part of the output; ${why}]\n${result.output}`);
    if (!isLarge) void this.#read(id, result.output);
    return this.#texts.get(id);
  }

  async #read(id: string, part: string): Promise<void> {
    const { read, command, onChange } = this.#options;
    const text = await read(id).then(
      (output) => toEnds(output, command),
      (error: Error) => `[A part of the output; the rest cannot be read: ${error.message}]\n${part}`,
    );
    this.#texts.set(id, text);
    onChange();
  }
}

function toEnds(output: string, command: string): string {
  const lines = output.split('\n');
  const left = lines.length - MAX_LINES;
  if (left <= 0) return output;
  const half = MAX_LINES / 2;
  const note = `[… ${formatCount(left)} lines are not shown here; ${command} prints all]`;
  return [...lines.slice(0, half), note, ...lines.slice(-half)].join('\n');
}
