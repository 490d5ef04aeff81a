import type { McpConfiguration, ReviewedServer } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { CliError } from '../../program/cli-error.ts';
import { openQuestions } from '../../prompt/open-questions.ts';

/** Milliseconds that a server has to start. */
const START_MS = 20_000;

/**
 * Shows what the tools of a server say about themselves, and stores that the user accepts it: the model reads it as
 * instructions. The first time, the command itself is the acceptance, outside of a terminal.
 *
 * @throws CliError `usage` for a change that no user can see, without `--yes`.
 */
export async function reviewTools(
  mcp: McpConfiguration,
  name: string,
  { yes, signal }: { yes?: boolean; signal: AbortSignal },
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
  if (found.diff !== undefined && found.changed.length === 0) {
    out.write('Its tools are as you have accepted them.\n');
    return;
  }
  show(found);
  if (await isAccepted(found, yes)) {
    found.accept();
    out.write(`Accepted: the descriptions of ${found.tools.length} tools. A session leaves out a tool that changes.\n`);
  } else out.write('Not accepted. Sessions treat new descriptions as untrusted, and leave out tools that changed.\n');
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
        tool.reads ? 'reads' : 'any effect',
        toPrintable(tool.description.replaceAll(/\s+/g, ' ')),
      ]),
    ),
  );
}

async function isAccepted({ diff }: ReviewedServer, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY && err.isTTY) {
    using questions = await openQuestions('Descriptions of tools');
    const choices = [
      { value: 'no', label: 'No' },
      { value: 'yes', label: 'Yes' },
    ] as const;
    return (await questions.select('The model follows these texts. Accept them?', choices)) === 'yes';
  }
  if (diff === undefined) return true;
  throw new CliError('usage', 'The tools of the server are not as you have accepted them.', {
    hint: 'Read the changes, then pass --yes.',
  });
}
