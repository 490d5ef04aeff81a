import type { Fetched, FetchedStep, FetchStep } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { formatDuration } from '@klaus/sdk/transcript';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { repeatable } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { confirm } from '../../prompt/keyboard.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

/** The result of a missing program, in every shell. */
const NOT_FOUND = /\[exit code 127\]/;

export const command: LeafCommand = {
  name: 'fetch',
  summary: 'download the dependencies of the project in this folder',
  examples: ['klaus fetch', 'klaus fetch --allow-host packages.example.com'],
  description:
    'Detects the tools of the project by its files (go.mod, package-lock.json, uv.lock …), prints the commands that download its dependencies, asks once, and runs them in the sandbox with a network. Later sessions in this folder use the downloads without a network.',
  footer: `The network is limited to the registries of the tools. Requests to other hosts are refused and listed;
--allow-host allows them. The Docker sandbox cannot limit the network, and needs --any-host. If a tool supports it,
code of the packages runs in a second step without a network. Maven, Gradle, pip, uv, Poetry and Bundler run code of
the project or of packages during the download. The fetch is recorded as a session: klaus show, klaus undo.`,
  server: 'local',
  declare: (declared) =>
    declared
      .option('--cwd <folder>', 'the folder (default: the current folder)')
      .option('--dry-run', 'only print what would be run')
      .option('--yes', 'do not ask')
      .option(
        '--allow-host <host>',
        'another host, such as git.example.com or localhost:4873; repeatable',
        repeatable(),
      )
      .option('--any-host', 'do not limit the network to the registries')
      .option('--json', 'one JSON document'),
  run,
};

async function run(options: Options & { allowHost?: readonly string[]; anyHost?: true }): Promise<number> {
  const { dryRun, yes, json } = options;
  const workspace = toFolder(options.cwd ?? '.');
  const { fetchDependencies, listFetchHosts, planFetchOf } = await import('@klaus/sdk');
  const steps = planFetchOf(workspace);
  if (steps.length === 0) {
    throw new UsageError(
      `No file in ${workspace} shows which tool the project uses.`,
      'klaus fetch looks for files such as go.mod, Cargo.toml, pom.xml, package.json, pyproject.toml and Gemfile.',
    );
  }
  const hosts = options.anyHost ? 'any' : listFetchHosts(steps, { allowed: options.allowHost ?? [] });
  if (dryRun && json) out.json({ steps, hosts }, 2);
  else err.write(`${describePlan(steps, hosts)}\n`);
  if (dryRun) return EXIT.done;
  if (!yes && !(await confirm('Run them?', 'klaus fetch asks before it downloads, and there is no terminal.'))) {
    err.write('Nothing was run.\n');
    return EXIT.denied;
  }
  using interrupt = createInterruptSignal();
  const fetched = await fetchDependencies({
    workspace,
    steps,
    hosts,
    signal: interrupt.signal,
    onNotice: (text) => err.write(`klaus: ${text}\n`),
    ...(json ? {} : { onStart: (step) => err.write(`$ ${toText(step)}\n`), onOutput: (text) => err.write(text) }),
  });
  if (json) out.json(fetched, 2);
  else printResult(fetched, steps);
  return fetched.steps.length === steps.length && fetched.steps.every(isDone) ? EXIT.done : EXIT.failed;
}

function describePlan(steps: readonly FetchStep[], hosts: readonly string[] | 'any'): string {
  return [
    'These commands run in the sandbox:',
    ...steps.map((step) => `  ${step.network ? 'with a network   ' : 'without a network'}  ${toText(step)}`),
    hosts === 'any'
      ? 'They can reach every host. Other commands get no network.'
      : `They can reach only ${toLine(hosts.join(', '), 2_000)}.`,
  ].join('\n');
}

function toText({ folder, command: line }: FetchStep): string {
  return toPrintable(folder === '' ? line : `(in ${folder}) ${line}`);
}

/** Prints one line for each tool. */
function printResult({ session, steps, kept }: Fetched, planned: readonly FetchStep[]): void {
  for (const [name, ran] of groupByTool(planned, steps)) {
    const failed = ran.find((step) => !isDone(step));
    const ms = ran.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const result = ran.length === 0 ? 'not reached' : failed === undefined ? 'done' : describeFailure(failed);
    out.write(`${name}: ${result} (${formatDuration(ms)})\n`);
  }
  const refused = [...new Set(steps.flatMap((step) => step.refused))];
  if (refused.length > 0) {
    const options = refused.map((host) => `--allow-host ${host.replace(/:(?:80|443)$/, '')}`);
    err.write(`Refused: ${refused.join(', ')}. To allow them: klaus fetch ${options.join(' ')}\n`);
  }
  if (kept > 0) err.write(`Later sessions in this folder have ${kept} new entries in their caches.\n`);
  err.write(`Every step: klaus show ${session}\n`);
}

function groupByTool(planned: readonly FetchStep[], steps: readonly FetchedStep[]): Map<string, FetchedStep[]> {
  const toName = ({ tool, folder }: FetchStep) => (folder === '' ? tool : `${tool} in ${toLine(folder, 80)}`);
  const tools = new Map(planned.map((step) => [toName(step), [] as FetchedStep[]]));
  for (const step of steps) tools.get(toName(step))?.push(step);
  return tools;
}

function isDone({ outcome }: FetchedStep): boolean {
  return outcome === 'ok';
}

function describeFailure({ tool, outcome, output, network }: FetchedStep): string {
  if (outcome !== 'error') return outcome;
  if (NOT_FOUND.test(output)) return `${tool} is not installed`;
  return network ? 'failed' : 'downloaded; the code of its packages that runs next failed';
}
