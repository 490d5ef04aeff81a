import { readdir } from 'node:fs/promises';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { isFile } from '../project/package-json.ts';
import { isOtherRunner, OTHER_RUNNERS, type OtherRunner } from './other-runners.ts';
import type { Runner, RunnerChoice } from './runner.ts';

/**
 * Finds how the tests of a project are run that is neither an npm nor a Python project: by the one that is named, else
 * by the first whose files are there.
 *
 * @throws KlausError `tool.failed` for a choice of tests that the runner cannot make.
 */
export async function findOtherRunner(context: ToolContext, choice: RunnerChoice): Promise<Runner | undefined> {
  for (const row of OTHER_RUNNERS as readonly OtherRunner[]) {
    if (isOtherRunner(choice.runner) ? row.name !== choice.runner : !(await isThere(context, row))) continue;
    return { name: 'other', command: await toCommand(context, row, choice) };
  }
  return undefined;
}

async function toCommand(
  context: ToolContext,
  { name, command, byName, byPath }: OtherRunner,
  { path, pattern }: RunnerChoice,
): Promise<string> {
  const chosen = path === undefined ? await command(context) : byPath?.(path);
  if (chosen === undefined) throw cannot(name, 'file');
  if (pattern === undefined) return chosen;
  if (!byName) throw cannot(name, 'name');
  return `${chosen} ${byName(pattern)}`;
}

function cannot(name: string, what: 'file' | 'name'): KlausError {
  return new KlausError('tool.failed', `Tests of ${name} cannot be chosen by ${what} here. Use run_command.`);
}

async function isThere(context: ToolContext, { markers, isUsed }: OtherRunner): Promise<boolean> {
  for (const marker of markers) {
    const found = marker.startsWith('*.') ? await findEnding(context, marker.slice(1)) : marker;
    if (found === undefined || !(await isFile(context, found))) continue;
    if (!isUsed || (await isUsed(context, found))) return true;
  }
  return false;
}

async function findEnding(context: ToolContext, ending: string): Promise<string | undefined> {
  return (await readdir(context.workspace.root)).find((name) => name.endsWith(ending));
}
