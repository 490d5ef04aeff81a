import type { Fetched, FetchedTool, FetchStep, MissingTool } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { formatDuration } from '@klaus/sdk/transcript';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { repeatable } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { confirm } from '../../prompt/keyboard.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

export const command: LeafCommand = {
  name: 'fetch',
  summary: 'download the dependencies of the project in this folder',
  examples: ['klaus fetch', 'klaus fetch --allow-host packages.example.com'],
  description:
    'Detects the tools of the project by its files (go.mod, package-lock.json, uv.lock …), prints the commands that download its dependencies, asks once, and runs them in the sandbox with a network. Later sessions in this folder use the downloads without a network.',
  footer: `The network is limited to the registries of the tools. Requests to other hosts are refused and listed;
--allow-host allows them. The Docker sandbox cannot limit the network, and needs --any-host. If a tool supports it,
code of the packages runs in a second step without a network. Maven, Gradle, pip, uv, Poetry and Bundler run code of
the project or of packages during the download. The fetch is recorded as a session, which only its id selects: klaus show ID, klaus undo --session ID.`,
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
  const { fetchDependencies, listFetchHosts } = await import('@klaus/sdk');
  const { steps, missing, replaced } = await plan(workspace);
  const hosts = options.anyHost ? 'any' : listFetchHosts(steps, { allowed: options.allowHost ?? [] });
  const lacking = missing.filter(({ tool }) => !replaced.includes(tool));
  if (dryRun && json) out.json({ steps, hosts, missing }, 2);
  else err.write(`${[...describeMissing(missing, replaced), ...describePlan(steps, hosts)].join('\n')}\n`);
  if (dryRun) return EXIT.done;
  if (steps.length === 0) {
    throw new CliError(
      'tool.failed',
      `Nothing was run: ${lacking.map(({ program }) => program).join(', ')} not found.`,
      {
        hint: lacking.map(({ tool, source }) => `Install ${tool}: ${source}.`).join(' '),
      },
    );
  }
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
  if (json) out.json({ ...fetched, missing }, 2);
  else printResult(fetched, lacking);
  return lacking.length === 0 && fetched.tools.every(({ state }) => state === 'done') ? EXIT.done : EXIT.failed;
}

interface Plan {
  /** Without those of missing tools. */
  steps: readonly FetchStep[];
  missing: readonly MissingTool[];
  /** Missing tools in whose place pip installs the dependencies. */
  replaced: readonly string[];
}

/** @throws UsageError for a folder without dependencies. */
async function plan(workspace: string): Promise<Plan> {
  const { findMissingTools, planFetchOf } = await import('@klaus/sdk');
  const planned = planFetchOf(workspace);
  if (planned.length === 0) {
    throw new UsageError(
      `No file in ${workspace} shows which tool the project uses.`,
      'klaus fetch looks for files such as go.mod, Cargo.toml, pom.xml, package.json, pyproject.toml and Gemfile.',
    );
  }
  const missing = await findMissingTools(planned, { workspace });
  const isThere = ({ tool }: FetchStep): boolean => missing.every((one) => one.tool !== tool);
  const without = PYTHON_TOOLS.filter((name) => missing.some(({ tool }) => tool === name));
  const others = without.length === 0 ? [] : planFetchOf(workspace, { without: PYTHON_TOOLS });
  const pip = others.filter(({ tool }) => tool === 'pip');
  const isReplaced = pip.length > 0 && (await findMissingTools(pip, { workspace })).length === 0;
  const steps = planned.filter(isThere);
  if (!isReplaced) return { steps, missing, replaced: [] };
  const folders = new Set(planned.filter((step) => !isThere(step)).map(({ folder }) => folder));
  return { steps: [...steps, ...pip.filter(({ folder }) => folders.has(folder))], missing, replaced: without };
}

/** Tools in whose place pip can install the dependencies. */
const PYTHON_TOOLS: readonly string[] = ['uv', 'poetry'];

function describeMissing(missing: readonly MissingTool[], replaced: readonly string[]): string[] {
  return missing.map(({ tool, program, source }) => {
    const instead = replaced.includes(tool)
      ? ` In its place pip is planned, which ignores the lock file of ${tool}.`
      : '';
    return `${program} is not installed. Install it with: ${source}.${instead}`;
  });
}

function describePlan(steps: readonly FetchStep[], hosts: readonly string[] | 'any'): string[] {
  if (steps.length === 0) return [];
  return [
    'These commands run in the sandbox:',
    ...steps.map((step) => `  ${step.network ? 'with a network   ' : 'without a network'}  ${toText(step)}`),
    hosts === 'any'
      ? 'They can reach every host. Other commands get no network.'
      : `They can reach only ${toLine(hosts.join(', '), 2_000)}.`,
  ];
}

function toText({ folder, command: line }: FetchStep): string {
  return toPrintable(folder === '' ? line : `(in ${folder}) ${line}`);
}

/** Prints one line for each tool. */
function printResult({ session, steps, tools, kept }: Fetched, missing: readonly MissingTool[]): void {
  for (const { tool, folder, state, durationMs } of tools) {
    const name = folder === '' ? tool : `${tool} in ${toLine(folder, 80)}`;
    out.write(`${name}: ${STATES[state](tool)} (${formatDuration(durationMs)})\n`);
  }
  for (const { tool, program } of missing) out.write(`${tool}: ${STATES.missing(program)}\n`);
  const refused = [...new Set(steps.flatMap((step) => step.refused))];
  if (refused.length > 0) {
    const options = refused.map((host) => `--allow-host ${host.replace(/:(?:80|443)$/, '')}`);
    err.write(`Refused: ${refused.join(', ')}. To allow them: klaus fetch ${options.join(' ')}\n`);
  }
  if (kept > 0) err.write(`Later sessions in this folder have ${kept} new entries in their caches.\n`);
  err.write(`Every step: klaus show ${session}\nTo undo it: klaus undo --session ${session}\n`);
}

const STATES: Readonly<Record<FetchedTool['state'], (tool: string) => string>> = {
  done: () => 'done',
  missing: (tool) => `${tool} is not installed`,
  failed: () => 'failed',
  unbuilt: () => 'downloaded; the code of its packages that runs next failed',
  denied: () => 'denied',
  cancelled: () => 'cancelled',
  skipped: () => 'not reached',
};
