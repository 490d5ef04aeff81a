import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { OutputCapture, toCharacterEnd } from './output-capture.ts';

type Stream = 'stdout' | 'stderr';

const DEFAULT_KEEP_BYTES = 1_048_576;

/** The output of a command: forwarded as it arrives, and stored within a byte limit, by stream and merged. */
export class CommandOutput {
  readonly #onOutput: ExecRequest['onOutput'];
  readonly #captures: Record<Stream | 'output', OutputCapture>;
  /** The first bytes of an incomplete character, held back so that the other stream cannot split it. */
  readonly #pending: Record<Stream, Uint8Array> = { stdout: new Uint8Array(0), stderr: new Uint8Array(0) };

  constructor({ onOutput, keepBytes = DEFAULT_KEEP_BYTES }: Pick<ExecRequest, 'onOutput' | 'keepBytes'>) {
    this.#onOutput = onOutput;
    this.#captures = {
      stdout: new OutputCapture(keepBytes),
      stderr: new OutputCapture(keepBytes),
      output: new OutputCapture(keepBytes),
    };
  }

  write(chunk: Uint8Array, stream: Stream): void {
    this.#captures[stream].write(chunk);
    const pending = this.#pending[stream];
    const joined: Uint8Array = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
    const end = toCharacterEnd(joined);
    this.#captures.output.write(joined.subarray(0, end));
    this.#pending[stream] = joined.slice(end);
    this.#onOutput?.(chunk, stream);
  }

  toResult(): Pick<ExecResult, 'stdout' | 'stderr' | 'output' | 'truncated'> {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#captures.output.write(this.#pending[stream]);
      this.#pending[stream] = new Uint8Array(0);
    }
    const { stdout, stderr, output } = this.#captures;
    return {
      stdout: stdout.toText(),
      stderr: stderr.toText(),
      output: output.toText(),
      truncated: stdout.missing + stderr.missing + output.missing > 0,
    };
  }
}
