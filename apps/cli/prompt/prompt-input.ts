import { isUtf8 } from 'node:buffer';
import { fstatSync } from 'node:fs';
import type { Part } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';
import { formatBytes, formatCount } from '@klaus/sdk/transcript';
import { UsageError } from '../program/cli-error.ts';
import { err } from '../output/sink.ts';

/** Maximum size of standard input, in bytes. It is larger than the context window of any model. */
const MAX_BYTES = 8 * 1_024 * 1_024;

/** Milliseconds without input after which the wait is reported. */
const SILENCE = 2_000;

/**
 * Makes the parts of a prompt. Piped input is the prompt if none is given, and otherwise an attached file named `stdin`.
 * Input that is too long for a prompt is attached as a file too.
 *
 * @param input.words The command line; `-` alone means standard input.
 * @param input.maxChars Maximum length of a prompt (`maxPromptChars`); 0 means no limit.
 * @throws UsageError if there is no prompt, it is too long, or the input is neither text nor an image.
 */
export function toPromptParts(input: {
  words: readonly string[];
  stdin: Uint8Array | undefined;
  maxChars: number;
}): Part[] {
  const fromStdin = input.words.length === 1 && input.words[0] === '-';
  const prompt = fromStdin ? '' : input.words.join(' ').trim();
  const piped = input.stdin !== undefined && input.stdin.length > 0 ? input.stdin : undefined;
  if (prompt === '' && piped === undefined) {
    throw new UsageError(
      'There is no prompt.',
      'Write it in quotes: klaus "fix the failing test", or pipe it to standard input.',
    );
  }
  if (input.maxChars > 0 && prompt.length > input.maxChars) {
    throw new UsageError(
      `The prompt has ${formatCount(prompt.length)} characters; ${formatCount(input.maxChars)} are allowed.`,
      'Pipe the long part to standard input, as in klaus "what is wrong here?" < log.txt, or raise `AGENT_MAX_PROMPT_CHARS`.',
    );
  }
  if (piped === undefined) return [{ type: 'text', text: prompt }];
  const image = toImagePart(piped);
  if (image !== undefined) return [{ type: 'text', text: prompt || 'Look at this image.' }, image];
  if (!isUtf8(piped) || piped.includes(0)) {
    throw new UsageError(
      'Standard input is neither text nor a PNG, JPEG, GIF or WebP image.',
      'Convert it to text first.',
    );
  }
  const text = new TextDecoder().decode(piped);
  if (text.trim() === '' && prompt === '')
    throw new UsageError('Standard input is empty.', 'Pipe a prompt to standard input, or write one in quotes.');
  if (prompt === '' && (input.maxChars === 0 || text.length <= input.maxChars))
    return [{ type: 'text', text: text.trimEnd() }];
  return [
    { type: 'text', text: prompt || 'Do what the attached file stdin says.' },
    { type: 'file', name: 'stdin', mediaType: 'text/plain', text },
  ];
}

/**
 * Reads piped input to its end. Prints on standard error that it waits when nothing was received for two seconds,
 * because a pipe that is not closed looks like a hang.
 *
 * @returns Undefined if standard input is a terminal, closed or the null device.
 * @throws UsageError for more than 8 MiB.
 */
export async function readStdin(): Promise<Uint8Array | undefined> {
  if (!isPiped()) return undefined;
  const silence = setTimeout(() => {
    err.write('klaus: waiting for the end of standard input. Use `< /dev/null` if there is none.\n');
  }, SILENCE);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(silence);
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) {
        throw new UsageError(
          `Standard input is longer than ${formatBytes(MAX_BYTES)}.`,
          'Save it in the workspace and name the file in the prompt: the agent reads the parts that it needs.',
        );
      }
    }
  } finally {
    clearTimeout(silence);
  }
  return Buffer.concat(chunks);
}

function isPiped(): boolean {
  // `process.stdin` would create the stream. A terminal is none of these.
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}
