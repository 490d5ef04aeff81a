import { review } from '../../policy/index.ts';
import type { Decision, TreeChange } from '../../protocol/index.ts';
import { toGateContext } from '../calls/gate-context.ts';
import { isHumanRule } from '../calls/human-approval.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';

/** Rules that ask about every change, whatever it is. */
const GENERAL: ReadonlySet<string> = new Set(['mode', 'isolate', 'patch-approval']);

/** The gate's word for changes that the approval of their command covers. */
export const COVERED: Decision = {
  verdict: 'allow',
  rule: 'approval',
  reason: 'Git ignores what it changed, and a person approved the command',
  findings: [],
};

/**
 * Changes that the approval of a command covers: what it writes to places that Git ignores, such as caches of a test
 * runner. Not secret files, protected places and what a policy names. The rules of the workspace before the command
 * count, not those that it wrote.
 */
export async function findCoveredChanges(
  work: Work,
  ready: ReadyCall,
  changes: readonly TreeChange[],
): Promise<ReadonlySet<string>> {
  if (!isHumanRule(ready.call.decided?.rule)) return new Set();
  const gate = toGateContext(work);
  const plain = changes.filter((change) => {
    // In a folder beside the workspace others' rules say what Git ignores.
    if (change.path.startsWith('/')) return false;
    const { verdict, findings } = review(
      { name: ready.call.name, changes: [change], scripts: [] },
      gate,
      work.engine.rules,
    );
    return verdict === 'ask' && findings.every(({ rule, verdict: own }) => own === 'allow' || GENERAL.has(rule));
  });
  // Git tells a folder from a file by the slash, where it is not there yet.
  const files = plain.filter((change) => !isFolder(change)).map(({ path }) => path);
  const folders = plain.filter(isFolder).map(({ path }) => path);
  const ignored = await work.engine.findIgnored(ready.context, [...files, ...folders.map((path) => `${path}/`)]);
  const covered = new Set(files.filter((path) => ignored.has(path)));
  for (const path of folders) {
    const below = changes.filter((change) => !isFolder(change) && change.path.startsWith(`${path}/`));
    const isWhole = below.length > 0 && below.every((change) => covered.has(change.path));
    if (ignored.has(`${path}/`) || isWhole) covered.add(path);
  }
  return covered;
}

function isFolder({ before, after }: TreeChange): boolean {
  return (after ?? before)?.type === 'directory';
}
