import type { StartedProcess } from '../process/agent-process.ts';

/** The process as JSON lines in both directions. */
export interface ProcessLines {
  send(message: unknown): void;
  /** Resolves when the output has ended. */
  readonly ended: Promise<void>;
}

export function openLines({ input, output }: StartedProcess, onLine: (line: string) => void): ProcessLines {
  const writer = input.getWriter();
  const encoder = new TextEncoder();
  return {
    send(message) {
      // The end of the process reports a broken pipe.
      writer.write(encoder.encode(`${JSON.stringify(message)}\n`)).catch(() => {});
    },
    ended: read(output, onLine),
  };
}

async function read(output: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const text of output.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) onLine(line);
  }
}
