import { findAnchors, findNumbers, holds } from './anchors.ts';
import { findNamedPaths, isNamed } from './named-paths.ts';

const VERB =
  '(?:add|append|apply|bump|call|cap|change|check|clamp|convert|correct|create|default|delete|document|drop|ensure|export|extend|extract|fix|handle|implement|import|include|increase|insert|introduce|limit|log|lower|make|mention|move|pass|prefix|print|raise|read|reduce|refactor|register|reject|remove|rename|replace|require|reset|return|set|show|skip|sort|split|start|stop|support|switch|test|throw|trim|turn|update|use|validate|wrap|write)';
const SPLIT = new RegExp(
  `[;\\n]+|[.!?](?=\\s|$)|,?\\s+(?:and|then|also|plus)\\s+(?:also\\s+|then\\s+)?(?=${VERB}\\b)|,\\s+(?=${VERB}\\b)`,
  'i',
);
const REMOVES = /^\W*(?:please\s+)?(?:remove|delete|drop)\b/i;

/** One thing that a request asks for, with what shows that a change does it. */
export interface AskedClause {
  text: string;
  anchors: readonly string[];
  numbers: readonly string[];
  files: readonly string[];
  removes: boolean;
}

/** The parts of a request that ask for a change. */
export function toAskedClauses(text: string): AskedClause[] {
  return text
    .split(SPLIT)
    .filter((clause) => new RegExp(`\\b${VERB}\\b`, 'i').test(clause))
    .map((clause) => ({
      text: clause,
      anchors: findAnchors(clause),
      numbers: findNumbers(clause),
      files: findNamedPaths(clause).files,
      removes: REMOVES.test(clause),
    }));
}

/** Changed lines, and those with the unchanged ones around them. */
export interface ShownLines {
  added: string;
  removed: string;
  around: string;
  /** Paths of deleted files. */
  deleted: readonly string[];
}

/** True if the lines show each name and value of the clause, and the changed ones show one of them. */
export function isShown(clause: AskedClause, lines: ShownLines): boolean {
  const { anchors, numbers, removes, files } = clause;
  const all = [...anchors, ...numbers];
  if (all.length === 0)
    return (
      removes &&
      files.length > 0 &&
      files.every((file) => lines.deleted.some((path) => isNamed(path, { files: [file] })))
    );
  if (removes && !lines.deleted.length)
    return all.every((anchor) => holds(lines.removed, anchor) && !holds(lines.added, anchor));
  const changed = `${lines.added}\n${lines.removed}`;
  const around = anchors.every((anchor) => holds(lines.around, anchor));
  return around && numbers.every((number) => holds(changed, number)) && all.some((anchor) => holds(changed, anchor));
}
