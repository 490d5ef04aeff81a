import type { Access, Finding } from '../protocol/index.ts';
import { hasShortName, toCompared, type NameComparison } from './names/name-comparison.ts';
import { isBelow } from './path.ts';
import { describePlace, placeOf, toRelative } from './places.ts';
import type { GateContext, Rule } from './rule.ts';
import { isInWorkingCopy } from './working-copy.ts';
import { isSecretFile } from './secrets/secret-files.ts';

type Look = Omit<Finding, 'rule'>;

/** Paths: denies access outside the workspace and to Klaus's state; asks about secret files and protected places. */
export const pathRule: Rule = {
  name: 'path',
  check(call, context) {
    let ask: Look | undefined;
    for (const access of call.access) {
      if (access.kind !== 'fs') continue;
      const isNew = call.created?.includes(access.path) === true;
      const look = lookAt(access, context, isNew);
      if (look?.verdict === 'deny') return look;
      ask ??= look ?? lookAtLinked(access, call.linked ?? [], context);
    }
    const [readOnly] = call.readOnly ?? [];
    if (readOnly !== undefined) ask ??= { verdict: 'ask', reason: `${readOnly} is read-only by its mode` };
    const script = call.scripts?.[0];
    return ask ?? (script === undefined ? undefined : askAboutScripts(script));
  },
};

function lookAt(
  access: Extract<Access, { kind: 'fs' }>,
  { workspace, readable = [], writable = [], home, linkedState = [], secretPatterns, names = 'exact' }: GateContext,
  isNew: boolean,
): Look | undefined {
  const { path } = access;
  const isInCopy = isInWorkingCopy(workspace, home) && isBelow(path, workspace);
  // The skills of the user are texts; only a session that may read them has them among `readable`.
  const isSkill = access.right === 'r' && isBelow(path, `${home}/skills`);
  const isOwn = isSameOrBelow(path, home, names) && !isInCopy && !isSkill;
  // A change of a folder moves or deletes what is in it.
  const isAround = access.right === 'w' && path !== workspace && isSameOrBelow(home, path, names) && !isInCopy;
  const isLinked = linkedState.some(
    (place) =>
      isSameOrBelow(path, place, names) ||
      (access.right === 'w' && path !== workspace && isSameOrBelow(place, path, names)),
  );
  if (isOwn || isAround || isLinked) return { verdict: 'deny', reason: `${path} is Klaus's own state` };
  const relative = toRelative(path, workspace);
  const beside = readable.flatMap((folder) => toRelative(path, folder) ?? []);
  const isOpen = access.right === 'r' ? beside.length > 0 : isWritable(path, { readable, writable, names });
  if (relative === undefined && !isOpen) return { verdict: 'deny', reason: `${path} is outside the workspace` };
  // A folder beside the workspace can itself be a secret path.
  const named = [...(relative === undefined ? [path.slice(1)] : [relative]), ...beside];
  if (named.some((name) => isSecretFile(name, secretPatterns)))
    return { verdict: 'ask', reason: `${relative ?? path} is a secret file` };
  if (named.some((name) => hasShortName(name, names)))
    return { verdict: 'ask', reason: `${relative ?? path} can be the short name of another file` };
  return access.right === 'w' ? lookAtWrite(relative ?? path, { isNew }) : undefined;
}

/** Compared folded, a path can be below a folder whose name has another spelling. */
function isSameOrBelow(path: string, folder: string, names: NameComparison): boolean {
  return isBelow(toCompared(path, names), toCompared(folder, names));
}

/** The innermost folder decides: a writable folder can contain a read-only one. */
function isWritable(
  path: string,
  { readable, writable, names }: { readable: readonly string[]; writable: readonly string[]; names: NameComparison },
): boolean {
  const holders = readable.filter((folder) => isSameOrBelow(path, folder, names)).sort((a, b) => b.length - a.length);
  return holders[0] !== undefined && writable.includes(holders[0]);
}

/** A change of a protected place's link target is a change of that place, and so is one of a file that a hook runs. */
function lookAtLinked(
  { path, right }: Extract<Access, { kind: 'fs' }>,
  linked: readonly string[],
  { workspace, names = 'exact' }: GateContext,
): Look | undefined {
  if (right !== 'w') return undefined;
  // Paths beside the workspace are absolute.
  const name = toRelative(path, workspace) ?? path;
  if (!linked.some((place) => isSameOrBelow(`/${name}`, `/${place}`, names))) return undefined;
  return { verdict: 'ask', reason: `a hook, a protected file or git's configuration leads to ${name}` };
}

/** The verdict on a change of this path by any tool. */
export function lookAtWrite(relative: string, options: { isNew: boolean }): Look | undefined {
  const place = placeOf(relative, options);
  if (place === undefined) return undefined;
  if (place === 'git') return { verdict: 'deny', reason: `${relative} is git's own data; use the git tools` };
  return { verdict: 'ask', reason: `${relative} is ${describePlace(place)}` };
}

export function askAboutScripts(path: string): Look {
  return { verdict: 'ask', reason: `the scripts of ${path} would change, and they run at the next build or test` };
}
