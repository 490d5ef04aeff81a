import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { ExportedTest } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import type { SessionClient } from '@klaus/sdk/client';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';
import { choiceOption, RAW_OPTION } from '../../program/run-options.ts';
import { chooseSession, SESSION_HELP } from './chosen-session.ts';

const FORMATS = ['md', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions extends Options {
  format: Format;
  /** Absent: English. */
  language?: 'en' | 'de';
  as?: 'test' | Format;
  out?: string;
}

export const command: LeafCommand = {
  name: 'export',
  summary: 'print a session as one document, or write it as a test',
  examples: [
    'klaus export 01J --format md > session.md',
    'klaus export 01J --format html > session.html      one file, redacted, without scripts',
    'klaus export 01J --as test --out test/session',
  ],
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))
      .addOption(choiceOption('--format <format>', 'Markdown, JSON, or HTML for others', FORMATS).default('md'))
      .addOption(choiceOption('--language <language>', 'of the HTML: en or de (default: en)', ['en', 'de']))
      .addOption(
        choiceOption(
          '--as <what>',
          'test: a script for the scripted model server and a test that runs it; else as --format',
          ['test', ...FORMATS],
        ),
      )
      .option('--raw', RAW_OPTION)
      .option('--out <folder>', 'where the test is written; it must not exist (default: klaus-test-ID)'),
  async run(chosen: string | undefined, { as: kind, ...given }: ExportOptions) {
    const isTest = kind === 'test';
    const options = { ...given, format: kind === undefined || isTest ? given.format : kind };
    if (options.language !== undefined && options.format !== 'html')
      throw new UsageError('--language requires --format html.', 'Other documents have no texts of Klaus.');
    if (!isTest && options.out !== undefined)
      throw new UsageError('--out requires --as test.', 'A document goes to standard output.');
    await using client = await openClient(options);
    const id = await chooseSession(client, chosen);
    if (isTest) await writeTest(client, id, options.out);
    else for await (const text of await client.export(id, options.format, options)) print(text, options);
  },
};

/** Prints a part of a document. JSON and HTML are already safe; Markdown is unchanged with `--raw` and in a file. */
function print(text: string, { format, raw }: ExportOptions): void {
  if (raw && format === 'md') out.raw(text);
  else out.write(format === 'md' && out.isTTY ? toPrintable(text) : text);
}

async function writeTest(client: SessionClient, given: string, path: string | undefined): Promise<void> {
  const { id } = await client.session(given);
  const folder = resolve(path ?? `klaus-test-${id}`);
  // Checked first, so that no export is recorded for a folder that exists.
  if (existsSync(folder)) throw new UsageError(`${folder} exists already.`, 'Pass another folder to `--out`.');
  writeTestFolder(folder, await client.exportTest(id));
}

/** Writes the test, and prints how to run it. @throws Error for a file outside of the folder; nothing is written then. */
function writeTestFolder(folder: string, { files, notes }: ExportedTest): void {
  const paths = new Map([...files.keys()].map((path) => [path, resolve(folder, path)]));
  // The paths may come from a server.
  for (const [path, file] of paths) {
    if (!file.startsWith(`${folder}${sep}`)) throw new Error(`The file ${path} would be outside of ${folder}.`);
  }
  for (const [path, content] of files) {
    mkdirSync(dirname(paths.get(path)!), { recursive: true });
    writeFileSync(paths.get(path)!, content);
  }
  out.write(`${toPrintable(folder)}: ${formatNumber(files.size, 'file')}\n`);
  for (const note of notes) err.write(`${toPrintable(note)}\n`);
  err.write(`Run it with node --test ${toPrintable(join(folder, 'session.test.mjs'))}\n`);
}
