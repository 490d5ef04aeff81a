import { review } from '../../policy/index.ts';
import type { Decision, TreeChange } from '../../protocol/index.ts';
import { toGateContext } from '../calls/gate-context.ts';
import { isHumanRule } from '../calls/human-approval.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';

/** Rules that ask about every change. */
const GENERAL: ReadonlySet<string> = new Set(['mode', 'isolate', 'patch-approval']);

/** The decision about changes that the approval of their command covers. */
export const COVERED: Decision = {
  verdict: 'allow',
  rule: 'approval',
  reason: 'Git ignores the changed files, and the user approved the command',
  findings: [],
};

/**
 * Changes that the approval of a command covers: files that Git ignores, such as caches of a test runner. Secret files,
 * protected places and files that a policy names are not covered. The ignore rules before the command apply.
 */
export async function findCoveredChanges(
  work: Work,
  ready: ReadyCall,
  changes: readonly TreeChange[],
): Promise<ReadonlySet<string>> {
  if (!isHumanRule(ready.call.decided?.rule)) return new Set();
  const gate = toGateContext(work);
  const plain = changes.filter((change) => {
    // The ignore rules of the workspace do not apply to other folders.
    if (change.path.startsWith('/')) return false;
    const { verdict, findings } = review(
      { name: ready.call.name, changes: [change], scripts: [] },
      gate,
      work.engine.rules,
    );
    return verdict === 'ask' && findings.every(({ rule, verdict: own }) => own === 'allow' || GENERAL.has(rule));
  });
  // Git recognizes a folder that does not exist yet by its slash.
  const files = plain.filter((change) => !isFolder(change)).map(({ path }) => path);
  const folders = plain.filter(isFolder).map(({ path }) => path);
  const ignored = await work.engine.findIgnored(ready.context, [...files, ...folders.map((path) => `${path}/`)]);
  const covered = new Set(files.filter((path) => ignored.has(path)));
  for (const path of folders) {
    const below = changes.filter((change) => !isFolder(change) && change.path.startsWith(`${path}/`));
    const isCovered = below.length > 0 && below.every((change) => covered.has(change.path));
    if (ignored.has(`${path}/`) || isCovered) covered.add(path);
  }
  return covered;
}

function isFolder({ before, after }: TreeChange): boolean {
  return (after ?? before)?.type === 'directory';
}
