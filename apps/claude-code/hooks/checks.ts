import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { readChecks, readFilesState } from '@klaus/sdk/guard';
import { toClaudeCall } from './claude-tool.ts';
import type { HookContext } from './hook-context.ts';

const MAX_PACKAGE = 1_048_576;
/** Calls whose end was not reported. */
const MAX_BEGUN = 100;

/** Milliseconds for the state of the files. */
const STATE_MS = 1_500;
/** The state of files that could not be read in time. It differs from each other one. */
const UNKNOWN = 'unknown';

/** The files of the project now, if they can be read within a part of the deadline. */
export function readState({ root, deadlineMs }: Pick<HookContext, 'root' | 'deadlineMs'>): Promise<string | undefined> {
  return readFilesState(root, Math.min(STATE_MS, Math.ceil(deadlineMs / 3)));
}

/** The files when the guard first sees a session: what it changes is seen from here on. Undefined if they are known. */
export async function readFirstState(context: HookContext): Promise<string | undefined> {
  return context.session.firstState === undefined ? ((await readState(context)) ?? UNKNOWN) : undefined;
}

/** Notes the files as a check is about to see them. */
export async function beginCheck(context: HookContext): Promise<void> {
  const { begun, event, observed } = context;
  const first = await readFirstState(context);
  if (first !== undefined) await observed('started', '', { state: first });
  if (event.tool_use_id === undefined || !findChecks(context)) return;
  const state = first ?? (await readState(context));
  if (state === undefined || state === UNKNOWN) return;
  begun.set(event.tool_use_id, state);
  if (begun.size > MAX_BEGUN) begun.delete(begun.keys().next().value!);
}

/** Records a check that has ended. */
export async function endCheck(context: HookContext): Promise<void> {
  const { begun, event, observed } = context;
  const found = findChecks(context);
  if (!found) return;
  const { interrupted, backgroundTaskId } = (event.tool_response ?? {}) as Record<string, unknown>;
  // It has no exit code yet, or none of its own.
  if (interrupted === true || typeof backgroundTaskId === 'string') return;
  const began = begun.get(event.tool_use_id ?? '');
  begun.delete(event.tool_use_id ?? '');
  // Another part of the line may have changed files before the check.
  const state = began === undefined || found.acts ? await readState(context) : began;
  const { command, checks, doubt } = found;
  await observed('checked', command, {
    passed: event.hook_event_name !== 'PostToolUseFailure',
    checks,
    doubt,
    state,
  });
}

/** The checks of a call. Undefined for one that checks nothing, or does not wait for its end. */
function findChecks({ event, root }: HookContext) {
  const call = toClaudeCall(event);
  if (call.kind !== 'command' || event.tool_name !== 'Bash' || event.tool_input?.['run_in_background'] === true)
    return undefined;
  const cwd = toReal(event.cwd);
  const command = cwd === event.cwd ? call.command : call.command.replaceAll(event.cwd, cwd);
  const found = readChecks(command, {
    root,
    cwd: relative(root, cwd).split(sep).join('/'),
    scriptsOf: (folder) => readScripts(root, folder),
  });
  return found && { ...found, command: call.command };
}

function readScripts(root: string, folder: string): Record<string, string> | undefined {
  const file = join(root, folder, 'package.json');
  if (!file.startsWith(join(root, sep))) return undefined;
  try {
    const { scripts } = JSON.parse(readForeignFileSync(file, { max: MAX_PACKAGE }).text.replace(/^\uFEFF/, '')) as {
      scripts?: unknown;
    };
    const entries = Object.entries((scripts ?? {}) as object);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return undefined;
  }
}

function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
