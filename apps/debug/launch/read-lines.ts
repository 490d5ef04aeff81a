import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Characters of a line, about. The rest of a longer one is dropped. */
const MAX_LINE = 4 * 1024 * 1024;

/** Calls `onLine` for each line of a stream that is not empty, and resolves at its end. Never rejects. */
export function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string) => {
    const [first, ...lines] = text.split('\n');
    if (rest.length < MAX_LINE) rest += first!;
    for (const next of lines) {
      if (rest.trim() !== '') onLine(rest);
      rest = next;
    }
  };
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
    stream.on('error', () => {});
    stream.once('close', () => {
      take(`${decoder.end()}\n`);
      resolve();
    });
  });
}
