import { toPrintable } from '@klaus/sdk/printable';
import { Option } from 'commander';
import { openClient } from '../../client/open-client.ts';
import type { SessionClient } from '../../client/session-client.ts';
import { out } from '../../output/sink.ts';
import { toTestFolder, writeTestFolder } from '../../output/test-folder.ts';
import { UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { RAW_OPTION } from '../../program/run-options.ts';
import type { ServerOptions } from '../../program/server-option.ts';

interface Options extends ServerOptions {
  format: 'md' | 'json';
  as?: 'test';
  raw?: true;
  out?: string;
}

export const command: LeafCommand = {
  name: 'export',
  summary: 'print a session as one document, or write it as a test',
  footer: 'Examples:\n  klaus export 01J --format md > session.md\n  klaus export 01J --as test --out test/session',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .addOption(new Option('--format <format>', 'Markdown or JSON').choices(['md', 'json']).default('md'))
      .addOption(
        new Option('--as <what>', 'test: a script for the scripted model server and a test that runs it').choices([
          'test',
        ]),
      )
      .option('--raw', RAW_OPTION)
      .option('--out <folder>', 'where the test is written; it must not exist (default: klaus-test-ID)'),
  async run(id: string, options: Options) {
    if (options.as === undefined && options.out !== undefined)
      throw new UsageError('--out requires --as test.', 'A document goes to standard output.');
    await using client = await openClient(options);
    if (options.as === 'test') await writeTest(client, id, options.out);
    else for await (const text of await client.export(id, options.format)) print(text, options);
  },
};

/** Prints a part of a document. JSON is already safe; Markdown is unchanged with `--raw` and in a file. */
function print(text: string, { format, raw }: Options): void {
  if (raw && format === 'md') out.raw(text);
  else out.write(format === 'md' && out.isTTY ? toPrintable(text) : text);
}

async function writeTest(client: SessionClient, given: string, path: string | undefined): Promise<void> {
  const { id } = await client.session(given);
  // Checked first, so that no export is recorded for a folder that exists.
  const folder = toTestFolder(id, path);
  writeTestFolder(folder, await client.exportTest(id));
}
