import type { McpConfiguration, ReviewedServer } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { CliError } from '../../program/cli-error.ts';
import { openQuestions } from '../../prompt/open-questions.ts';

/** Milliseconds that a server has to start. */
const START_MS = 20_000;
const CHOICES = [
  { value: 'no', label: 'No' },
  { value: 'yes', label: 'Yes' },
] as const;

interface ReviewOptions {
  /** Accept the descriptions without a question. */
  yes?: boolean;
  /** Names of tools that only read. Absent: asks in a terminal about those that say so; otherwise as before. */
  reading?: readonly string[];
  signal: AbortSignal;
}

/**
 * Shows what the tools of a server say about themselves, and stores that the user accepts it: the model reads it as
 * instructions. The first time, the command itself is the acceptance, outside of a terminal.
 *
 * @throws CliError `usage` for a change that no user can see, without `--yes`; for a tool that the server does not have.
 */
export async function reviewTools(
  mcp: McpConfiguration,
  name: string,
  { yes, reading, signal }: ReviewOptions,
): Promise<void> {
  let found: ReviewedServer;
  try {
    found = await mcp.review(name, { signal, startMs: START_MS });
  } catch (error) {
    if (signal.aborted) throw error;
    const { message } = error as Error;
    err.write(
      `${toPrintable(message)}\nIts tools were not shown: sessions treat their descriptions as untrusted until \`klaus mcp trust ${toPrintable(name)}\` can start it.\n`,
    );
    return;
  }
  if (found.warning !== '') err.write(`${toPrintable(found.warning)}\n`);
  const unknown = reading?.find((name) => !found.tools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new CliError('usage', `The server has no tool ${toPrintable(unknown)}.`);
  if (found.diff !== undefined && found.changed.length === 0) {
    out.write('Its tools are as you have accepted them.\n');
    if (reading) accept(found, reading);
    return;
  }
  show(found);
  if (await isAccepted(found, yes)) {
    accept(found, reading ?? (await askReading(found)));
    out.write(`Accepted: the descriptions of ${found.tools.length} tools. A session leaves out a tool that changes.\n`);
  } else out.write('Not accepted. Sessions treat new descriptions as untrusted, and leave out tools that changed.\n');
}

function accept(found: ReviewedServer, reading: readonly string[]): void {
  found.accept(reading);
  if (reading.length > 0) out.write(`Only reads, as you say: ${reading.map(toPrintable).join(', ')}\n`);
}

/** Asks about the tools that say that they only read, and that the user has not marked. */
async function askReading({ tools, reading }: ReviewedServer): Promise<readonly string[]> {
  const open = tools.filter(({ name, reads }) => reads && !reading.includes(name)).map(({ name }) => name);
  if (open.length === 0 || !process.stdin.isTTY || !err.isTTY) return reading;
  using questions = await openQuestions('Tools that only read');
  const message = `The server says that these only read: ${open.map(toPrintable).join(', ')}. Run them without an approval?`;
  return (await questions.select(message, CHOICES)) === 'yes' ? [...reading, ...open] : reading;
}

function show({ diff, tools, changed }: ReviewedServer): void {
  if (diff !== undefined) {
    out.write(`Changed since you accepted them: ${changed.map(toPrintable).join(', ')}\n${toPrintable(diff)}\n`);
    return;
  }
  out.write(
    toTable(
      tools.map((tool) => [
        toPrintable(tool.name),
        tool.reads ? 'says it reads' : '',
        toPrintable(tool.description.replaceAll(/\s+/g, ' ')),
      ]),
    ),
  );
}

async function isAccepted({ diff }: ReviewedServer, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY && err.isTTY) {
    using questions = await openQuestions('Descriptions of tools');
    return (await questions.select('The model follows these texts. Accept them?', CHOICES)) === 'yes';
  }
  if (diff === undefined) return true;
  throw new CliError('usage', 'The tools of the server are not as you have accepted them.', {
    hint: 'Read the changes, then pass --yes.',
  });
}
