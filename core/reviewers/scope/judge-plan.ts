import { cutText } from '../../protocol/text/cut-text.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import type { ReviewFinding, RuleVerdict } from '../reviewer.ts';
import { holds } from './anchors.ts';
import { toChangedLines } from './changed-lines.ts';
import { findRole, isTestOf } from './file-role.ts';
import { findDeclarations } from './find-declarations.ts';
import { findExtras } from './find-extras.ts';
import { isInNamedFolder, isNamed } from './named-paths.ts';
import { readPlan, type ReadPlan } from './read-plan.ts';
import { readLimits } from './request-limits.ts';

export interface PlannedWork {
  request: readonly string[];
  plan: string;
  changes: readonly ChangedFile[];
  /** True if the work is reported as complete. */
  complete: boolean;
}

/** Decides whether changes follow a plan. Undefined if the names in it do not decide. */
export function judgePlan({ request, plan, changes, complete }: PlannedWork): RuleVerdict | undefined {
  const read = readPlan(plan);
  const findings = [
    ...findForbidden(read, changes),
    ...findOutside(plan, read, changes),
    ...findExtras([...request, plan].join('\n'), changes).filter(({ text }) => !text.startsWith('deletes')),
    ...(complete ? findMissing(read, changes) : []),
  ];
  if (findings.length > 0) {
    const texts = [...new Set(findings.map(({ text }) => text))];
    return {
      outcome: 'deny',
      reason: `The changes do not follow the plan: ${texts.slice(0, 3).join('; ')}.`,
      findings,
    };
  }
  return followsPlan(read, changes, complete)
    ? { outcome: 'pass', reason: 'Each file is in the plan, and its changes show what its steps name.' }
    : undefined;
}

/** Decides about the text of a plan. */
export function judgePlanText(work: {
  request: readonly string[];
  plan: string;
  previous?: string;
}): RuleVerdict | undefined {
  const { request, plan, previous } = work;
  const toCore = (text: string) =>
    text
      .replaceAll(/\[[ xX]\]/g, '[ ]')
      .replaceAll(/\s+/g, ' ')
      .trim();
  if (toCore(plan) === '') return { outcome: 'deny', reason: 'The plan is empty.' };
  if (previous !== undefined && toCore(previous) === toCore(plan))
    return { outcome: 'pass', reason: 'Only spaces or check marks of the plan changed.' };
  const { forbidden } = readLimits(request);
  const broken = readPlan(plan).steps.flatMap(({ changes }) =>
    changes !== undefined && (isNamed(changes, forbidden) || isInNamedFolder(changes, forbidden)) ? [changes] : [],
  );
  if (broken.length === 0) return undefined;
  return { outcome: 'deny', reason: `The plan changes what the user asked not to change: ${broken.join(', ')}.` };
}

function findForbidden({ forbidden }: ReadPlan, changes: readonly ChangedFile[]): ReviewFinding[] {
  return changes
    .filter(({ path }) => isNamed(path, forbidden) || isInNamedFolder(path, forbidden))
    .map(({ path }) => ({ file: path, text: `the plan excludes ${path}` }));
}

/** Files that no part of the plan can mean. */
function findOutside(plan: string, { paths, isOpen }: ReadPlan, changes: readonly ChangedFile[]): ReviewFinding[] {
  if (isOpen || paths.files.length === 0) return [];
  return changes
    .filter(({ path, from }) =>
      [path, from ?? path].every((each) => !isNamed(each, paths) && !isInNamedFolder(each, paths)),
    )
    .filter(({ path }) => !mayBelong(path, plan, paths.files))
    .map(({ path }) => ({ file: path, text: `${path} is not in the plan` }));
}

/** Words of a plan that cover files of a role without a name. */
const COVERS: Readonly<Record<string, RegExp>> = {
  test: /\b(?:tests?|specs?|coverage|snapshots?|fixtures?)\b/i,
  lock: /\b(?:dependenc\w*|packages?|install\w*|librar\w*|add [`@\w/-]+ to|package\.json|pyproject|Cargo\.toml|go\.mod|requirements)\b/i,
  docs: /\b(?:doc\w*|readme|changelog)\b/i,
  config: /\b(?:config\w*|settings?|set ?up)\b/i,
  ci: /\b(?:ci|workflows?|pipelines?)\b/i,
  manifest: /\b(?:dependenc\w*|packages?|install\w*|librar\w*|scripts?|version)\b/i,
};

function mayBelong(path: string, plan: string, files: readonly string[]): boolean {
  if (COVERS[findRole(path)]?.test(plan)) return true;
  // Files that list others.
  if (/(?:^|\/)(?:index\.[jt]sx?|__init__\.py|mod\.rs|lib\.rs)$/.test(path)) return true;
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  const words = stem
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word.length > 3);
  const lower = plan.toLowerCase();
  const isMeant = words.length > 0 && words.every((word) => lower.includes(word.toLowerCase().replace(/s$/, '')));
  return isMeant && !files.some((file) => words.every((word) => file.toLowerCase().includes(word.toLowerCase())));
}

/** Steps without a trace in the changes. */
function findMissing({ steps }: ReadPlan, changes: readonly ChangedFile[]): ReviewFinding[] {
  const text = changes
    .map((file) => `${file.path}\n${toChangedLines(file).added.join('\n')}\n${toChangedLines(file).removed.join('\n')}`)
    .join('\n');
  return steps.flatMap((step): ReviewFinding[] => {
    const { changes: file, adds } = step;
    const isThere =
      file === undefined ||
      changes.some(
        ({ path, from }) =>
          isNamed(path, { files: [file] }) || (from !== undefined && isNamed(from, { files: [file] })),
      );
    if (!isThere) return [{ file, text: `the step "${shorten(step.text)}" is missing` }];
    if (adds !== undefined && !holds(text, adds)) return [{ text: `the step "${shorten(step.text)}" is missing` }];
    return [];
  });
}

function shorten(text: string): string {
  return cutText(text, 80);
}

/** Changed lines of a file up to which the names of its steps cover it. */
const MAX_LINES = 120;

function followsPlan({ steps, paths, isOpen }: ReadPlan, changes: readonly ChangedFile[], complete: boolean): boolean {
  if (changes.length === 0 || steps.length === 0 || isOpen) return false;
  const names = new Set(steps.flatMap(({ anchors }) => anchors.map((anchor) => anchor.split('.').at(-1)!)));
  const all = changes.map((file) => ({ ...file, ...toChangedLines(file) }));
  const isFine = all.every(({ path, hunks, added, removed }) => {
    if (findRole(path) === 'test' && (isNamed(path, paths) || paths.files.some((file) => isTestOf(path, file))))
      return true;
    const own = steps.filter((step) => isNamed(path, step.paths));
    if (findRole(path) === 'lock') return all.some((other) => findRole(other.path) === 'manifest');
    const lines = [...added, ...removed].join('\n');
    const around = hunks.flatMap((hunk) => [...hunk.before, ...hunk.after]).join('\n');
    if (own.length === 0 || added.length + removed.length > MAX_LINES) return false;
    if (!own.every(({ anchors }) => !complete || anchors.every((anchor) => holds(around, anchor)))) return false;
    if (!own.some(({ anchors }) => anchors.some((anchor) => holds(lines, anchor)))) return false;
    const known = new Set(findDeclarations(removed));
    return findDeclarations(added).every((name) => names.has(name) || known.has(name));
  });
  if (!isFine || !complete) return isFine;
  // Each step must have left a trace: one without a file or a name cannot be checked.
  return steps.every(
    ({ changes: file, text }) => file !== undefined || /^\W*(?:run|check|verify|review|read|inspect)\b/i.test(text),
  );
}
