import { headOf } from '@klaus/sdk/cut-text';
import { cliInputSchema, PROTOCOL_VERSION, type CliInput } from 'klendathu/contract';
import { CliFailure } from './cli-failure.ts';

/** Characters. A host sends descriptions, not values. */
const MAX_INPUT = 64 * 1024 * 1024;
/** Until the end of standard input. */
const READ_TIMEOUT_MS = 60_000;

/**
 * Reads the input from standard input, to its end.
 *
 * @throws CliFailure `input`, `cli-outdated`, `cancelled`.
 */
export async function readInput(signal: AbortSignal): Promise<CliInput> {
  if (process.stdin.isTTY) {
    throw new CliFailure('input', 'Standard input is a terminal, and must be one JSON object.', {
      hint: '`klendathu-cli --help` explains it. The packages `klendathu` for Node.js and Python write it.',
    });
  }
  return parseInput(await readText(signal));
}

/** @throws CliFailure `input`, `cli-outdated`. */
export function parseInput(text: string): CliInput {
  if (text.trim() === '') throw new CliFailure('input', 'Standard input is empty, and must be one JSON object.');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CliFailure('input', `Standard input is not JSON: ${(error as Error).message}`);
  }
  // Checked first: a newer protocol may have other fields.
  const protocol = (json as { protocol?: unknown } | null)?.protocol;
  if (typeof protocol === 'number' && protocol > PROTOCOL_VERSION) {
    throw new CliFailure(
      'cli-outdated',
      `The input has protocol ${protocol}, and this klendathu-cli understands ${PROTOCOL_VERSION}.`,
      { hint: 'Update it: `npm install klendathu-cli@latest`.' },
    );
  }
  const parsed = cliInputSchema.safeParse(json);
  if (parsed.success) {
    checkUrl(parsed.data.mcpUrl);
    return parsed.data;
  }
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new CliFailure('input', `The input is invalid: ${issues.slice(0, 8).join('; ')}`);
}

function checkUrl(text: string): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new CliFailure('input', `mcpUrl is no http address: ${JSON.stringify(headOf(text, 200))}`);
  }
}

async function readText(signal: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
  const stop = AbortSignal.any([signal, timeout]);
  const leave = (): void => void process.stdin.destroy();
  stop.addEventListener('abort', leave, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_INPUT) throw new CliFailure('input', 'Standard input is larger than 64 MiB.');
    }
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (!stop.aborted) throw new CliFailure('input', `Standard input cannot be read: ${(error as Error).message}`);
  } finally {
    stop.removeEventListener('abort', leave);
  }
  if (signal.aborted) throw new CliFailure('cancelled', 'It was cancelled before the input was complete.');
  if (timeout.aborted) throw new CliFailure('input', 'Standard input did not end within 60 seconds.');
  return Buffer.concat(chunks).toString('utf8');
}
