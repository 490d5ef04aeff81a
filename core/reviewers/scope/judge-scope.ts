import type { ChangedFile } from '../changes/changed-file.ts';
import type { RuleVerdict } from '../reviewer.ts';
import { classifyFile } from '../style/classify-file.ts';
import { judgeStyle } from '../style/judge-style.ts';
import { isShown, toAskedClauses } from './asked-clauses.ts';
import { findAnchors, findNumbers, holds } from './anchors.ts';
import { toChangedLines } from './changed-lines.ts';
import { findRole, isTestOf } from './file-role.ts';
import { findDeclarations } from './find-declarations.ts';
import { findExtras } from './find-extras.ts';
import { findNamedPaths, isNamed, type NamedPaths } from './named-paths.ts';
import { findBreach, readLimits } from './request-limits.ts';
import { findDependencies } from './find-dependencies.ts';

/** Decides whether changes do what the user asked for and nothing else. Undefined if rules cannot decide it. */
export function judgeScope(request: readonly string[], changes: readonly ChangedFile[]): RuleVerdict | undefined {
  if (changes.length === 0) return undefined;
  const text = request.join('\n');
  const limits = readLimits(request);
  if (limits.isQuestion)
    return deny(
      'The user asked a question and no change',
      changes.map(({ path }) => ({ file: path, text: 'changed' })),
    );
  const breaches = changes.flatMap(({ path }) => {
    const breach = findBreach(path, limits);
    return breach === undefined ? [] : [{ file: path, text: breach }];
  });
  if (breaches.length > 0) return deny('The changes break a limit of the request', breaches);
  const { added } = findDependencies(changes);
  if (limits.noDependencies && added.length > 0)
    return deny(
      'The user asked for no new dependencies',
      added.map((name) => ({ text: `adds ${name}` })),
    );
  const extras = findExtras(text, changes);
  if (extras.length > 0) return deny('The changes do more than was asked for', extras);
  const style = judgeStyle(request, changes);
  if (style?.outcome === 'deny') return style;
  const named = findNamedPaths(text);
  const isComplete = named.files.every((file) => changes.some(({ path }) => isNamed(path, { files: [file] })));
  if (style && isComplete && changes.every((file) => classifyFile(file).every(({ kind }) => kind === 'style')))
    return style;
  return isExact(text, changes) ? { outcome: 'pass', reason: 'Every change shows what the request names.' } : undefined;
}

function deny(head: string, findings: { file?: string; text: string }[]): RuleVerdict {
  const shown = findings.slice(0, 3).map(({ text }) => text);
  return { outcome: 'deny', reason: `${head}: ${shown.join('; ')}.`, findings };
}

/** Added lines of code up to which the names of a request cover a change. */
const MAX_ADDED = 40;
/** Additions that have a purpose of their own. */
const OWN_PURPOSE: readonly (readonly [line: RegExp, words: RegExp])[] = [
  [
    /\b(?:console\.\w+|print|println|printf|log(?:ger|ging)?\.\w+|fmt\.Print\w*|dbg!)\s*\(/i,
    /\b(?:log\w*|print\w*|debug\w*|warn\w*|show\w*|output\w*|message\w*)\b/i,
  ],
  [
    /\b(?:try|except|catch|rescue)\b/,
    /\b(?:error\w*|exception\w*|throw\w*|catch\w*|handl\w*|fail\w*|try|crash\w*|retr\w*|rais\w*)\b/i,
  ],
  [/\b(?:cache|memo\w*|lru_cache)\b/i, /\b(?:cach\w*|memo\w*)\b/i],
  [/\bprocess\.env\b|\bos\.environ\b|\bgetenv\b/, /\b(?:env\w*|config\w*|variable\w*|setting\w*)\b/i],
  [/\bTODO\b|\bFIXME\b/, /\btodo\b/i],
];

/** True if each part of the request names what it wants, the changes show it, and nothing else is in them. */
function isExact(text: string, changes: readonly ChangedFile[]): boolean {
  const named = findNamedPaths(text);
  const code = changes.filter(
    ({ path }) => !changes.some((other) => other.path !== path && isTestOf(path, other.path)),
  );
  if (!areFilesExact(text, { named, code, changes })) return false;
  const lines = code.map((file) => toChangedLines(file));
  const added = lines.flatMap((each) => each.added);
  const removed = lines.flatMap((each) => each.removed);
  const hasOwnPurpose = OWN_PURPOSE.some(([line, words]) => added.some((each) => line.test(each)) && !words.test(text));
  if (added.length > MAX_ADDED || hasOwnPurpose) return false;
  const clauses = toAskedClauses(text);
  const shown = {
    added: added.join('\n'),
    removed: removed.join('\n'),
    around: code.flatMap(({ hunks }) => hunks.flatMap((hunk) => [...hunk.before, ...hunk.after])).join('\n'),
    deleted: code.filter(({ kind }) => kind === 'deleted').map(({ path }) => path),
  };
  if (clauses.length === 0 || !clauses.every((clause) => isShown(clause, shown))) return false;
  const anchors = [...findAnchors(text), ...findNumbers(text)];
  if (named.files.length === 0 && anchors.length < 2) return false;
  const known = new Set([...findDeclarations(removed), ...anchors]);
  if (!findDeclarations(added).every((name) => known.has(name))) return false;
  return code.every(({ hunks, kind }) =>
    hunks.every(({ before, after }) => {
      const all = [...before, ...after].join('\n');
      return kind === 'deleted' || anchors.some((anchor) => holds(all, anchor));
    }),
  );
}

interface CodeFiles {
  named: NamedPaths;
  /** The changed files without the tests of other ones. */
  code: readonly ChangedFile[];
  changes: readonly ChangedFile[];
}

/** True if exactly the named files changed, or one file if none is named. */
function areFilesExact(text: string, { named, code, changes }: CodeFiles): boolean {
  const isCovered = named.files.length > 0 ? code.every(({ path }) => isNamed(path, named)) : code.length === 1;
  if (code.length === 0 || !isCovered) return false;
  if (named.files.some((file) => !changes.some(({ path }) => isNamed(path, { files: [file] })))) return false;
  const words = text.toLowerCase();
  if (!findDependencies(changes).added.every((name) => words.includes(name.toLowerCase()))) return false;
  return changes.every(
    ({ path, kind }) => (kind !== 'deleted' && /^(?:code|test|docs)$/.test(findRole(path))) || isNamed(path, named),
  );
}
