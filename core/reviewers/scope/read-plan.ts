import { findAnchors } from './anchors.ts';
import { findNamedPaths, type NamedPaths } from './named-paths.ts';

export interface PlanStep {
  text: string;
  paths: NamedPaths;
  anchors: readonly string[];
  /** The file that the step certainly changes. */
  changes?: string;
  /** The name that the step certainly adds. */
  adds?: string;
}

export interface ReadPlan {
  steps: readonly PlanStep[];
  /** All paths that may change. */
  paths: NamedPaths;
  forbidden: NamedPaths;
  /** True if the plan leaves open which files it needs. */
  isOpen: boolean;
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/;
const HEADING = /^#+\s+(.*)$|^\*\*(.+?)\*\*:?\s*$/;
const EXCLUDED = /\b(?:out of scope|not in scope|non-?goals?|later|won['’]?t|excluded|do not|don['’]?t)\b/i;
const FORBIDS =
  /\b(?:do not|don['’]?t|never|must not|will not|won['’]?t|no changes? (?:to|in)|without (?:chang|touch|modif)\w*|leave\b.*\b(?:alone|unchanged|as is|untouched)|keep\b.*\b(?:unchanged|as is|untouched)|stays? (?:unchanged|as is|untouched)|unchanged)\b/i;
const OPEN =
  /\betc\b|\b(?:where|as|if|wherever) (?:needed|necessary|required|appropriate)\b|\ball (?:the )?(?:other )?(?:callers?|usages?|uses|call sites?|references?|files?|modules?|places?|imports?|components?|consumers?)\b|\bcallers\b|\bcall sites\b|\busages\b|\beverywhere\b|\bthroughout\b|\bother files\b|\brelated files\b|\bremaining\b|\beach (?:\w+ )?(?:file|module|component|caller)\b/i;
const CHANGES =
  /^\W*(?:(?:I|we)(?:['’]ll| will)\s+|(?:first|then|next|finally),?\s+)?(?:add|append|change|convert|create|delete|document|edit|export|extend|extract|fix|handle|implement|improve|introduce|modify|rename|refactor|register|remove|replace|return|rewrite|set|simplify|switch|update|use|wire|wrap|write|raise|make|pass|validate|limit|accept)\b/i;
/** A path after these is an example or a source. */
const REFERS =
  /\b(?:like|as in|from|see|following|based on|similar to|used by|called by|same as|pattern (?:of|in)|compare|reads?|via|mirror\w*|than|with)\s+(?:the\s+)?(?:one\s+)?(?:in\s+)?`?$/i;
const ADDS =
  /^\W*(?:add|create|implement|introduce|write)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:exported\s+)?(?:function\s+|class\s+|method\s+|helper\s+|type\s+|constant\s+|hook\s+|component\s+)?`([\p{L}_$][\w$]*)(?:\(\))?`/iu;

export function readPlan(plan: string): ReadPlan {
  const steps: PlanStep[] = [];
  const forbidden: string[] = [];
  const allowed: string[] = [];
  let isExcluded = false;
  for (const line of plan.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) isExcluded = EXCLUDED.test(heading[1] ?? heading[2] ?? '');
    if (isExcluded || FORBIDS.test(line)) forbidden.push(line);
    else allowed.push(line);
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined && !isExcluded && !FORBIDS.test(item)) steps.push(toStep(item));
  }
  // A plan without a list.
  if (steps.length === 0) steps.push(...allowed.filter((line) => line.trim() !== '').map(toStep));
  const text = allowed.join('\n');
  return {
    steps,
    paths: findNamedPaths(text),
    forbidden: dropAllowed(findNamedPaths(forbidden.join('\n')), findNamedPaths(text)),
    isOpen: OPEN.test(text),
  };
}

/** A path that one line forbids and another one names is not certain. */
function dropAllowed(forbidden: NamedPaths, { files, folders }: NamedPaths): NamedPaths {
  return {
    files: forbidden.files.filter((file) => !files.includes(file)),
    folders: forbidden.folders.filter((folder) => !folders.includes(folder)),
  };
}

function toStep(text: string): PlanStep {
  const paths = findNamedPaths(text);
  const [first] = paths.files;
  const isOptional = /\boptional(?:ly)?\b|\bif (?:needed|necessary|time)\b|\bmaybe\b/i.test(text);
  const at = first === undefined ? -1 : text.indexOf(first);
  const isTarget =
    !REFERS.test(text.slice(0, Math.max(0, at))) &&
    (CHANGES.test(text) || /^[`*\s]*$/.test(text.slice(0, Math.max(0, at))));
  const adds = ADDS.exec(text)?.[1];
  return {
    text,
    paths,
    anchors: findAnchors(text),
    ...(first !== undefined && isTarget && !isOptional && { changes: first }),
    ...(adds !== undefined && !isOptional && { adds }),
  };
}
