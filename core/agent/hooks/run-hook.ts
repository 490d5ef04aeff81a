import { isKlausError, toKlausError } from '../../protocol/index.ts';
import type { HookEventName } from '../../protocol/settings/hook-settings.ts';
import { toCommandView } from '../calls/gate-context.ts';
import type { Work } from '../loop/work.ts';
import { openedOf } from '../state/state.ts';
import { findChangedHookFile } from './hook-files.ts';
import { readHookAnswer, type HookAnswer, type HookEnd } from './hook-answer.ts';
import type { ChosenHook } from './hooks.ts';

/** Seconds. */
const DEFAULT_TIMEOUT = 60;
/** Bytes of the output of a command. */
const KEEP_BYTES = 256 * 1_024;

/** The parts of an event that depend on its kind. */
export type HookFields = Readonly<Record<string, unknown>>;

/** Runs one hook. It cannot change the workspace where the sandbox can prevent it, and has no network. Never throws. */
export async function runHook(
  work: Work,
  chosen: ChosenHook,
  { event, fields }: { event: HookEventName; fields: HookFields },
): Promise<HookAnswer | { failure: string }> {
  const { workspace } = openedOf(work.state);
  const body = JSON.stringify({
    session_id: work.session,
    transcript_path: '',
    cwd: workspace,
    permission_mode: toPermissionMode(work.authority.mode()),
    hook_event_name: event,
    ...fields,
  });
  try {
    const end = await (chosen.hook.type === 'http' ? postEvent(work, chosen, body) : runCommand(work, chosen, body));
    return 'failure' in end ? end : readHookAnswer(end);
  } catch (error) {
    return { failure: isKlausError(error) || error instanceof Error ? toKlausError(error).message : 'it failed' };
  }
}

async function runCommand(
  work: Work,
  { hook, place }: ChosenHook,
  body: string,
): Promise<HookEnd | { failure: string }> {
  if (hook.type !== 'command') return { failure: 'it is no command' };
  const { workspace, sandbox: driver } = openedOf(work.state);
  // Other drivers keep commands from changing these files.
  const changed = driver === 'host' ? await findChangedHookFile(work) : undefined;
  if (changed !== undefined) return { failure: `${changed}, which it runs, changed in this turn` };
  const view = toCommandView(work);
  const seen = view.files ? [...view.files.read, ...view.files.write] : [workspace];
  const folders = place === 'user' ? (work.engine.hooks?.folders ?? []) : [];
  const sandbox = await work.sandbox();
  const result = await sandbox.exec({
    command: hook.command,
    cwd: workspace,
    stdin: body,
    env: { CLAUDE_PROJECT_DIR: workspace, KLAUS_PROJECT_DIR: workspace },
    // Other drivers cannot make the workspace read-only for one command.
    ...(driver === 'bubblewrap' ? { files: { read: seen, write: [] } } : view.files ? { files: view.files } : {}),
    readable: [...(view.readable ?? []), ...folders],
    limits: { ...work.engine.settings.execLimits, timeoutMs: toMilliseconds(hook.timeout) },
    keepBytes: KEEP_BYTES,
    signal: work.stop,
  });
  if (result.timedOut) return { failure: `it took longer than ${hook.timeout ?? DEFAULT_TIMEOUT} seconds` };
  if (result.cancelled) return { failure: 'it was cancelled' };
  return result.truncated ? { failure: 'its output is too large' } : result;
}

async function postEvent(work: Work, { hook }: ChosenHook, body: string): Promise<HookEnd | { failure: string }> {
  const { hooks } = work.engine;
  if (hook.type !== 'http' || !hooks) return { failure: 'this Klaus sends no events' };
  const { url, headers, timeout } = hook;
  return hooks.post({
    url,
    headers,
    // It leaves the machine.
    body: work.redactor.redact(body),
    timeoutMs: toMilliseconds(timeout),
    signal: work.stop,
  });
}

function toMilliseconds(seconds = DEFAULT_TIMEOUT): number {
  return Math.ceil(seconds * 1_000);
}

/** By the names of Claude Code. */
function toPermissionMode(mode: ReturnType<Work['authority']['mode']>): string {
  return mode === 'plan'
    ? 'plan'
    : mode === 'edits'
      ? 'acceptEdits'
      : mode === 'auto'
        ? 'bypassPermissions'
        : 'default';
}
