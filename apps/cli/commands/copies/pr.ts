import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PullRequest } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { quoteShellWord } from '@klaus/sdk/quote-shell-word';
import { openClient } from '../../client/open-client.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { CliError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'pr',
  summary: 'open a pull request with the changes of a working copy',
  examples: ['klaus pr 01J --draft', 'klaus pr 01J --dry-run      print the commands and the text'],
  description:
    'Commits the uncommitted changes of the working copy, pushes its branch, and opens a pull request with gh, or a merge request with glab. Title and text come from the log: the last answer, the changed files, and the checks that ran. Without these programs, and for a server, the commands and the text are printed.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--title <text>', 'the title (default: that of the session)')
      .option('--into <branch>', 'the branch of the request (default: the one from which the copy started)')
      .option('--remote <name>', 'the remote of the repository', 'origin')
      .option('--draft', 'open it as a draft')
      .option('--dry-run', 'only print the commands and the text')
      .option('--json', 'one JSON document'),
  run,
};

interface PrOptions extends Options {
  title?: string;
  into?: string;
  remote: string;
  draft?: true;
}

async function run(id: string, options: PrOptions): Promise<number> {
  await using client = await openClient(options);
  const { toHostEnvironment } = await import('@klaus/sdk');
  const env = toHostEnvironment();
  const { into, title } = options;
  const found = await client.copies.pullRequest(id, { into });
  const request = title === undefined ? found : { ...found, title };
  const program = ['gh', 'glab'].find((name) => isInstalled(name, env['PATH']));
  const push = ['git', 'push', '--no-verify', options.remote, `${request.commit}:refs/heads/${request.branch}`];
  const open = toOpening(program ?? 'gh', request, options);
  // The working copy is on the machine of the server.
  const isPrinted = options.dryRun === true || program === undefined || client.server !== undefined;
  if (!isPrinted) {
    runIn({ cwd: request.path, env }, push);
    const url = runIn({ cwd: request.repository, env }, open).trim();
    if (options.json) out.json({ ...request, opened: true, program, url }, 2);
    else out.write(`${toPrintable(url)}\n`);
    return EXIT.done;
  }
  if (options.json) out.json({ ...request, opened: false, commands: [push, open] }, 2);
  else {
    if (client.server !== undefined) err.write('Run these commands on the machine of the server:\n');
    else if (program === undefined) err.write('Neither gh nor glab is installed. Run these commands yourself:\n');
    const lines = [
      `cd ${quoteShellWord(request.path)} && ${push.map(quoteShellWord).join(' ')}`,
      `cd ${quoteShellWord(request.repository)} && ${open.map(quoteShellWord).join(' ')}`,
    ];
    out.write(`${toPrintable(lines.join('\n'))}\n`);
  }
  return EXIT.done;
}

function toOpening(program: string, { branch, target, title, body }: PullRequest, { draft }: PrOptions): string[] {
  const isGitlab = program === 'glab';
  const base = target === null ? [] : [isGitlab ? '--target-branch' : '--base', target];
  return [
    ...(isGitlab
      ? ['glab', 'mr', 'create', '--yes', '--source-branch', branch]
      : ['gh', 'pr', 'create', '--head', branch]),
    ...base,
    ...['--title', title, isGitlab ? '--description' : '--body', body],
    ...(draft ? ['--draft'] : []),
  ];
}

/** Standard output of a program of the user. @throws CliError `tool.failed` with its message. */
function runIn(at: { cwd: string; env: NodeJS.ProcessEnv }, [file, ...args]: readonly string[]): string {
  const ran = spawnSync(file!, args, { ...at, encoding: 'utf8', stdio: ['inherit', 'pipe', 'pipe'] });
  if (ran.status === 0) return ran.stdout;
  const reason = ran.error?.message ?? ran.stderr.trim();
  throw new CliError('tool.failed', `${file} ${args[0] ?? ''} failed: ${toPrintable(reason)}`, {
    hint: 'The working copy is unchanged. Fix the cause, and repeat the command.',
  });
}

function isInstalled(program: string, path = ''): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder.startsWith('/');
    } catch {
      return false;
    }
  });
}
