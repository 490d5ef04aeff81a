import type { MergeConflict, MergedCopy, MergeOptions } from '@klaus/sdk';
import type { SessionClient } from '@klaus/sdk/client';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import { createOutput } from '../../output/show-output.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { approveOption, onAskOption, waitForModelOption } from '../../program/run-options.ts';
import { runSession, toOnAsk } from '../../run/run-session.ts';

interface MergeCommandOptions extends Omit<Options, 'agent'> {
  squash?: true;
  rebase?: true;
  into?: string;
  message?: string;
  agent?: string | true;
  markers?: true;
}

export const command: LeafCommand = {
  name: 'merge',
  summary: 'merge the working copy of a session into its branch, and remove it',
  examples: [
    'klaus merge 01J --squash',
    'klaus merge 01J --markers   you solve the conflicts in the working copy, and repeat the command',
    'klaus merge 01J --agent     the session solves the conflicts first',
  ],
  description:
    'Commits the uncommitted changes of the working copy, merges its commits into the branch from which it started, and removes it. If that branch is checked out, its files are updated too, unless uncommitted changes overlap. With a conflict nothing changes, and each hunk is printed.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--squash', 'one commit with all changes')
      .option('--rebase', 'the commits of the copy on top of the branch, without a merge commit')
      .option('--into <branch>', 'another local branch of the repository')
      .option('--message <text>', 'message of the commits that this makes (default: the title of the session)')
      .option('--agent [name]', 'an agent solves conflicts in the working copy (default: the session itself)')
      .option('--markers', 'write conflicts into the files of the working copy, to solve them by hand')
      .addOption(approveOption('what that agent may do without an approval'))
      .addOption(onAskOption)
      .addOption(waitForModelOption)
      .option('--plain', 'words instead of symbols, no colours, no animation: for screen readers')
      .option('--json', 'one JSON document'),
  run,
};

async function run(id: string, options: MergeCommandOptions): Promise<number> {
  if (options.squash && options.rebase) throw new UsageError('--squash and --rebase exclude each other.');
  const solves = options.agent !== undefined ? '--agent' : options.markers ? '--markers' : undefined;
  if (options.agent !== undefined && options.markers) throw new UsageError('--agent and --markers exclude each other.');
  if (options.rebase && solves !== undefined) {
    throw new UsageError(`--rebase and ${solves} exclude each other.`, 'The solution of conflicts is a merge commit.');
  }
  const method = options.squash ? 'squash' : options.rebase ? 'rebase' : 'merge';
  const given: MergeOptions = { method, into: options.into, message: options.message };
  const { agent, ...common } = options;
  await using client = await openClient(common);
  let merged = await client.copies.merge(id, given);
  if (!merged.done && agent !== undefined) {
    const exitCode = await solve(client, id, options);
    if (exitCode !== EXIT.done) return exitCode;
    merged = await client.copies.merge(id, given);
  }
  if (options.json) out.json(merged, 2);
  else if (merged.done) printMerged(merged);
  else printConflicts(merged);
  const command = `klaus merge ${id}${client.at}`;
  if (!merged.done && options.markers) {
    const shown = { into: options.into, message: options.message };
    const { path, files } = await client.copies.showConflicts(id, shown);
    const what = `${formatNumber(files.length, 'file')} in ${path}: ${files.join(', ')}`;
    err.write(`${toPrintable(`Edit the conflicts of ${what}. Then repeat \`${command}\`.`)}\n`);
  } else if (!merged.done && !options.json) {
    err.write(`${toPrintable(`\`${command} --agent\` lets an agent solve them in the working copy.`)}\n`);
    err.write(`${toPrintable(`\`${command} --markers\` writes them into its files, and you solve them there.`)}\n`);
  }
  return merged.done ? EXIT.done : EXIT.failed;
}

/** A run of an agent in the working copy that solves the conflicts in its files. Returns its exit code. */
async function solve(client: SessionClient, id: string, options: MergeCommandOptions): Promise<number> {
  const { agent, into, message, ...rest } = options;
  const opened = await client.copies.showConflicts(id, { into, message });
  const show: Options = { ...rest, agent: typeof agent === 'string' ? agent : undefined };
  // Standard output has the document of the merge alone.
  delete show.json;
  if (options.json) show.outputFormat = 'json';
  const output = createOutput(show);
  const { onAsk, asks } = toOnAsk(show, await client.settings());
  const prompt = { parts: [{ type: 'text', text: opened.prompt } as const], onAsk, mode: options.approve };
  let session = { id: opened.session, lastSeq: 0, mode: null as string | null };
  if (typeof agent === 'string') {
    const created = await client.open({
      ...prompt,
      agent,
      workspace: opened.path,
      waitForModelMs: options.waitForModel,
    });
    session = { ...session, id: created };
  } else {
    session = await client.session(opened.session);
    await client.prompt(session.id, { ...prompt, delivery: 'queue', waitForModelMs: options.waitForModel });
  }
  return runSession({ client, session, show, output, asks, showCommand: false });
}

function printMerged({ how, commit, into, submodules, notes, saved }: Extract<MergedCopy, { done: true }>): void {
  const verb = how === 'squashed' ? 'Merged as one commit' : how === 'rebased' ? 'Rebased' : 'Merged';
  out.write(`${toPrintable(`${verb} into ${into}: ${commit.slice(0, 10)}`)}\n`);
  if (submodules.length > 0) {
    const names = submodules.join(' ');
    err.write(`${toPrintable(`Submodules have new commits: git submodule update ${names}`)}\n`);
  }
  printNotes(notes);
  printSaved(saved);
}

/** Prints the rules of Git that commits do not follow. */
export function printNotes(notes: readonly string[]): void {
  for (const note of notes) err.write(`${toPrintable(note)}\n`);
}

/** Prints the refs that hold what no branch has. */
export function printSaved(saved: readonly string[]): void {
  for (const ref of saved) err.write(`${toPrintable(`Saved: git branch NAME ${ref} restores it.`)}\n`);
}

function printConflicts({ conflicts, into, at }: Extract<MergedCopy, { done: false }>): void {
  for (const conflict of conflicts) out.write(`${toPrintable(describeConflict(conflict))}\n`);
  const where = at === undefined ? '' : ` at commit ${at.slice(0, 10)}`;
  const files = formatNumber(conflicts.length, 'file');
  err.write(`${toPrintable(`Nothing was merged into ${into}: ${files} with conflicts${where}.`)}\n`);
}

function describeConflict({ path, messages, hunks }: MergeConflict): string {
  const mark = (sign: string, text: string): string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${sign} ${line}`);
  const shown = hunks.flatMap(({ line, target, copy }) => [
    `  line ${line}, - in the branch, + in the working copy:`,
    ...mark('  -', target),
    ...mark('  +', copy),
  ]);
  return [path, ...(hunks.length > 0 ? shown : messages.map((text) => `  ${text}`))].join('\n');
}
