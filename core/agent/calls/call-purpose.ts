import type { EventOf } from '../../protocol/index.ts';
import type { CallState } from '../state/state.ts';
import type { CallPurpose, FinishedCall } from './finished-call.ts';

/** Input fields that do not change the purpose of a call. */
const SIDE_INPUTS: ReadonlySet<string> = new Set([
  'timeoutMs',
  'background',
  'network',
  'description',
  'waitFor',
  'plan',
]);

/** Codes of the machine on which the call was to run. */
const FAILURES = ['sandbox.unavailable', 'sandbox.failed', 'store.full'] as const;

/** Must be called before the state removes the start of the call. @param given.workspace Absolute. */
export function toFinishedCall(
  { name, outcome, changes, detail }: EventOf<'tool.finished'>,
  { call, workspace }: { call: CallState; workspace: string },
): FinishedCall {
  const { decided, started } = call;
  return {
    name,
    outcome,
    failure:
      outcome === 'error'
        ? FAILURES.find((code) => code === (detail as { code?: unknown } | undefined)?.code)
        : undefined,
    began: started !== undefined || outcome === 'ok',
    isClosedPlace: decided?.verdict === 'deny' && decided.rule === 'path',
    isAcceptedPlan: call.asked?.subject.kind === 'plan' && outcome === 'ok',
    purpose: toPurpose(call.input, workspace),
    changed: changes.map(({ path }) => path),
  };
}

function toPurpose(input: unknown, workspace: string): CallPurpose {
  if (typeof input !== 'object' || input === null) return { key: JSON.stringify(input ?? null), paths: [] };
  const fields = input as Record<string, unknown>;
  const { command, cwd, patch } = fields;
  if (typeof command === 'string') {
    const folder = typeof cwd === 'string' ? toRelative(cwd, workspace) : '';
    return { key: JSON.stringify(['command', command.trim(), folder]), paths: [] };
  }
  const named = [fields['path'], ...(Array.isArray(fields['paths']) ? (fields['paths'] as unknown[]) : [])];
  const paths = [...named.filter((path) => typeof path === 'string'), ...toPatchedFiles(patch)];
  const main = Object.entries(fields).filter(([name]) => !SIDE_INPUTS.has(name));
  return {
    key: JSON.stringify(main.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    paths: [...new Set(paths.map((path) => toRelative(path, workspace)))],
  };
}

/**
 * The last denied call of a run that no other call has replaced.
 *
 * A later call of the run that the gate allows replaces a denied call with the same purpose: the same tool with the
 * same command, files or input; or another tool with at least the same effects that names or changes all of its files.
 * A call that was denied by its path is also replaced by the same tool with another path. Each such call replaces one
 * denied call. A plan that the user accepted replaces all calls that were denied before it.
 */
export function findOpenDenial(calls: readonly FinishedCall[], effectsOf: EffectsOf): FinishedCall | undefined {
  const used = new Set<FinishedCall>();
  const isOpen = (denied: FinishedCall, at: number): boolean => {
    const later = calls.slice(at + 1).filter(isAllowed);
    if (later.some((call) => isSamePurpose(call, denied, effectsOf))) return false;
    const elsewhere = denied.isClosedPlace
      ? later.find((call) => call.name === denied.name && !used.has(call))
      : undefined;
    if (elsewhere) used.add(elsewhere);
    return elsewhere === undefined;
  };
  const accepted = calls.findLastIndex(({ isAcceptedPlan }) => isAcceptedPlan);
  // From the end: a later denied call has fewer calls that can replace it.
  return calls.findLast((call, at) => at > accepted && call.outcome === 'denied' && isOpen(call, at));
}

type EffectsOf = (tool: string) => readonly string[];

function isAllowed({ began, outcome }: FinishedCall): boolean {
  return began && outcome !== 'denied' && outcome !== 'cancelled';
}

function isSamePurpose(later: FinishedCall, denied: FinishedCall, effectsOf: EffectsOf): boolean {
  if (later.name === denied.name && later.purpose.key === denied.purpose.key) return true;
  const { paths } = denied.purpose;
  if (paths.length === 0) return false;
  const effects = effectsOf(later.name);
  const reached = new Set([...later.purpose.paths, ...later.changed]);
  return effectsOf(denied.name).every((effect) => effects.includes(effect)) && paths.every((path) => reached.has(path));
}

const PATCHED = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm;

function toPatchedFiles(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  return [...patch.matchAll(PATCHED)].map((match) => match[1]!.trim());
}

function toRelative(path: string, workspace: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const normalized = `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
  if (normalized === workspace) return '';
  return normalized.startsWith(`${workspace}/`) ? normalized.slice(workspace.length + 1) : normalized;
}
