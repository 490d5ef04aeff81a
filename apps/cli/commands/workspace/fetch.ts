import type { Fetched, FetchedStep, FetchStep } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { formatDuration } from '@klaus/sdk/transcript';
import { EXIT, type ExitCode } from '../../program/exit-codes.ts';
import { hasKeyboard, openKeyboard } from '../../prompt/keyboard.ts';
import { toFolder } from '../../session/open-klaus.ts';
import { UsageError } from '../../program/report-error.ts';
import { err, out } from '../../output/sink.ts';

export interface FetchCommandOptions {
  cwd?: string;
  dryRun?: true;
  yes?: true;
  allowHost?: readonly string[];
  anyHost?: true;
  json?: true;
}

/** What a program that is not there gives, in every shell. */
const NOT_FOUND = /\[exit code 127\]/;

/** `klaus fetch`: downloads the dependencies of a folder. Exit 0 when every command did its work. */
export async function fetch(options: FetchCommandOptions): Promise<ExitCode> {
  const workspace = toFolder(options.cwd ?? '.');
  const { fetchDependencies, listFetchHosts, planFetchOf } = await import('@klaus/sdk');
  const steps = planFetchOf(workspace);
  if (steps.length === 0) {
    throw new UsageError(
      `There is nothing in ${workspace} that says which tool it uses.`,
      'klaus fetch looks for files such as go.mod, Cargo.toml, pom.xml, package.json, pyproject.toml and Gemfile.',
    );
  }
  const hosts = options.anyHost ? 'any' : listFetchHosts(steps, { allowed: options.allowHost ?? [] });
  if (options.dryRun === true && options.json === true) out.json({ steps, hosts }, 2);
  else err.write(`${describePlan(steps, hosts)}\n`);
  if (options.dryRun === true) return EXIT.done;
  if (options.yes !== true && !(await isWanted())) {
    err.write('Nothing was run.\n');
    return EXIT.denied;
  }
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const fetched = await fetchDependencies({
      workspace,
      steps,
      hosts,
      signal: stop.signal,
      onNotice: (text) => err.write(`klaus: ${text}\n`),
      ...(options.json
        ? {}
        : { onStart: (step) => err.write(`$ ${toText(step)}\n`), onOutput: (text) => err.write(text) }),
    });
    if (options.json === true) out.json(fetched, 2);
    else printResult(fetched, steps);
    return fetched.steps.length === steps.length && fetched.steps.every(isDone) ? EXIT.done : EXIT.failed;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function describePlan(steps: readonly FetchStep[], hosts: readonly string[] | 'any'): string {
  return [
    'These commands run in the sandbox:',
    ...steps.map((step) => `  ${step.network ? 'with a network   ' : 'without a network'}  ${toText(step)}`),
    hosts === 'any'
      ? 'The network is every host. Nothing but these commands gets it.'
      : `The network is ${toLine(hosts.join(', '), 2_000)} and nothing else.`,
  ].join('\n');
}

function toText({ folder, command }: FetchStep): string {
  return toPrintable(folder === '' ? command : `(in ${folder}) ${command}`);
}

async function isWanted(): Promise<boolean> {
  if (!hasKeyboard()) throw new UsageError('klaus fetch asks before it downloads.', 'Add --yes if that is meant.');
  err.write('Run them? [y/n] ');
  const keyboard = await openKeyboard();
  try {
    const key = await keyboard.key();
    err.write('\n');
    return key?.toLowerCase() === 'y';
  } finally {
    keyboard.close();
  }
}

/** A line for each tool. */
function printResult({ session, steps, kept }: Fetched, planned: readonly FetchStep[]): void {
  const tools = new Map(planned.map((step) => [toName(step), [] as FetchedStep[]]));
  for (const step of steps) tools.get(toName(step))?.push(step);
  for (const [name, ran] of tools) {
    const failed = ran.find((step) => !isDone(step));
    const ms = ran.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const result = ran.length === 0 ? 'not reached' : failed === undefined ? 'done' : describeFailure(failed);
    out.write(`${name}: ${result} (${formatDuration(ms)})\n`);
  }
  const refused = [...new Set(steps.flatMap((step) => step.refused))];
  if (refused.length > 0) {
    const options = refused.map((host) => `--allow-host ${host.replace(/:(?:80|443)$/, '')}`);
    err.write(`Refused: ${refused.join(', ')}. What of it is meant can be allowed: klaus fetch ${options.join(' ')}\n`);
  }
  if (kept > 0) err.write(`Later sessions in this folder have ${kept} new entries in their caches.\n`);
  err.write(`Every step: klaus show ${session}\n`);
}

function toName({ tool, folder }: FetchStep): string {
  return folder === '' ? tool : `${tool} in ${toLine(folder, 80)}`;
}

function isDone({ outcome }: FetchedStep): boolean {
  return outcome === 'ok';
}

function describeFailure({ tool, outcome, output, network }: FetchedStep): string {
  if (outcome !== 'error') return outcome;
  if (NOT_FOUND.test(output)) return `${tool} is not installed`;
  return network ? 'failed' : 'downloaded; what its packages run afterwards failed';
}
