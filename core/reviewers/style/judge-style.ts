import { holds } from '../scope/anchors.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import type { RuleVerdict } from '../reviewer.ts';
import { classifyFile } from './classify-file.ts';
import type { GroupClass } from './classify-group.ts';
import { isRelated } from './is-related.ts';
import { mentionsRename, readRequestedStyle, type RequestedStyle } from './requested-style.ts';
import { describeKinds, type StyleKind } from './style-kind.ts';

type StyleClass = Extract<GroupClass, { kind: 'style' }>;

/** Lines of a change, with the unchanged ones around it, up to which its tokens are compared. */
const MAX_LINES = 6_000;

/** Decides whether changes alter the style of existing code without a request. Undefined if the tokens do not decide. */
export function judgeStyle(request: readonly string[], changes: readonly ChangedFile[]): RuleVerdict | undefined {
  if (changes.reduce((sum, { hunks }) => sum + countLines(hunks), 0) > MAX_LINES) return undefined;
  const files = changes.map((file) => ({ path: file.path, groups: classifyFile(file) }));
  const groups = files.flatMap((file) => file.groups);
  const requested = readRequestedStyle(request);
  if (groups.every((group) => isCode(group, request)))
    return { outcome: 'pass', reason: 'Every changed line changes code. No existing line changes only in style.' };
  const style = groups.filter((group): group is StyleClass => group.kind === 'style');
  if (groups.length === style.length && isRequested(style, requested, request)) {
    return { outcome: 'pass', reason: `The request asks for it: ${describeKinds(toKinds(style))}.` };
  }
  if (requested.isOpen || requested.isGeneral || !isEnglish(request)) return undefined;
  const isMixed = style.length < groups.length;
  const found = files.flatMap(({ path, groups: each }) => {
    const drift = each.filter(
      (group): group is StyleClass => group.kind === 'style' && isDrift(group, { requested, request, isMixed }),
    );
    return drift.length > 0 ? [{ file: path, text: describeKinds(toKinds(drift)) }] : [];
  });
  if (found.length === 0) return undefined;
  const places = found.map(({ file, text }) => `${file} (${text})`).join(', ');
  return { outcome: 'deny', reason: `Style changed without a request: ${places}.`, findings: found };
}

/** Words that nearly every English request contains, and requests in other languages do not. */
const ENGLISH =
  /\b(?:the|to|of|and|for|is|it|with|this|that|add|fix|make|use|change|update|remove|write|create|move|please|rename|refactor|implement|return|should|when)\b/i;

/** False for words in another language: what they say about style is not known. */
function isEnglish(request: readonly string[]): boolean {
  const text = request.join(' ');
  return text.trim() === '' || ENGLISH.test(text);
}

function countLines(hunks: ChangedFile['hunks']): number {
  return hunks.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
}

/** Code that certainly is no change of style: new, gone, or changed in a way that the request speaks of. */
function isCode(group: GroupClass, request: readonly string[]): boolean {
  return group.kind === 'code' ? isRelated(request, group.text) : group.kind === 'added' || group.kind === 'removed';
}

function toKinds(groups: readonly StyleClass[]): StyleKind[] {
  return [...new Set(groups.flatMap(({ kinds }) => kinds))];
}

function isRequested(groups: readonly StyleClass[], requested: RequestedStyle, request: readonly string[]): boolean {
  return groups.every(({ kinds, renames }) =>
    kinds.every((kind) => {
      if (kind === 'names') return renames!.every((rename) => mentionsBoth(request, rename));
      if (requested.kinds.has(kind)) return true;
      return requested.isGeneral && kind !== 'comments';
    }),
  );
}

function mentionsBoth(request: readonly string[], { from, to }: { from: string; to: string }): boolean {
  const text = request.join('\n');
  return holds(text, from) && holds(text, to);
}

interface DriftOptions {
  requested: RequestedStyle;
  request: readonly string[];
  /** True if other lines change code: empty lines and comments may belong to them. */
  isMixed: boolean;
}

function isDrift({ kinds, renames, isBlank }: StyleClass, { requested, request, isMixed }: DriftOptions): boolean {
  if (isMixed && isBlank) return false;
  if (isMixed && kinds.length === 1 && kinds[0] === 'comments') return false;
  if (kinds.some((kind) => requested.possible.has(kind))) return false;
  return renames === undefined || !renames.some((rename) => mentionsRename(request, rename));
}
