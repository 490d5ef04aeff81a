import { findRole } from './file-role.ts';
import { findNamedPaths, isInNamedFolder, isNamed, type NamedPaths } from './named-paths.ts';

/** What a user's words forbid. */
export interface RequestLimits {
  /** True if each message only asks for an answer. */
  isQuestion: boolean;
  /** Paths that must not change. */
  forbidden: NamedPaths;
  noDependencies: boolean;
  noTests: boolean;
  /** The only paths that may change. */
  only?: NamedPaths;
}

const QUESTION =
  /^\s*(?:(?:hi|hey|hello|ok|so|quick question)\b[,:\s]*)?(?:why|what|how|where|which|who|when|explain|describe|show me|tell me|is|are|does|do we|did|(?:can|could) you (?:explain|describe|tell|show))\b/i;
const WORK =
  /\b(?:fix|add|chang(?:e|ing)|implement|mak(?:e|ing)|updat(?:e|ing)|remov(?:e|ing)|delet(?:e|ing)|creat(?:e|ing)|writ(?:e|ing)|refactor|renam(?:e|ing)|mov(?:e|ing)|replac(?:e|ing)|us(?:e|ing)|let'?s|please (?!explain|describe|tell|show)|convert|set|improve|handle|should be|correct|then|instead|need|want|go ahead|do it|would be (?:nice|good|great))\b/i;

const FORBIDS =
  /\b(?:do not|don['’]?t|never|must not|should not|shouldn['’]?t)\s+(?:(?:ever|also|even)\s+)?(?:touch|chang|modif|edit|alter|delet|updat|rewrit|remov|renam|mov|break)\w*|\bwithout\s+(?:touch|chang|modif|edit|alter|delet|updat|rewrit|remov)\w*|\b(?:leave|keep)\b(?=(?:[^.;\n]|\.(?=\S))*\b(?:alone|untouched|unchanged|intact|as (?:it )?is|as they are)\b)/gi;
const NO_DEPENDENCIES =
  /\b(?:no|without|don['’]?t|do not|avoid)\b[^.;\n]{0,25}\b(?:new |extra |additional |third[- ]party )*(?:dependenc\w+|packages?|librar\w+)\b/i;
const NO_TESTS =
  /\b(?:do not|don['’]?t|without|never)\s+(?:add|writ|chang|touch|edit|modif|updat|adding)\w*\s+(?:any |the |new )*tests?\b|\bno (?:new )?tests\b/i;

export function readLimits(request: readonly string[]): RequestLimits {
  const text = request.join('\n');
  const only = findOnly(text);
  return {
    isQuestion: request.length > 0 && request.every((message) => QUESTION.test(message) && !WORK.test(message)),
    forbidden: findForbidden(text),
    noDependencies: NO_DEPENDENCIES.test(text),
    noTests: NO_TESTS.test(text),
    ...(only && { only }),
  };
}

/** The paths after a word that forbids, up to the end of its clause. */
function findForbidden(text: string): NamedPaths {
  const files: string[] = [];
  const folders: string[] = [];
  for (const found of text.matchAll(FORBIDS)) {
    const [clause = ''] = text.slice(found.index).split(/;|\n|[.!?](?=\s|$)|,? but\b|\binstead\b|\bjust\b/);
    if (/\b(?:unless|except|until|more than|without)\b/i.test(clause.slice(found[0].length))) continue;
    const named = findNamedPaths(clause);
    files.push(...named.files);
    folders.push(...named.folders);
  }
  return { files, folders };
}

/** "only change a.ts", "in a.ts only", "a.ts and nothing else". */
function findOnly(text: string): NamedPaths | undefined {
  const all = findNamedPaths(text);
  if (all.files.length + all.folders.length === 0) return undefined;
  if (/\b(?:nothing else|no other (?:files?|changes?|code)|not(?:hing)? other than)\b/i.test(text)) return all;
  for (const found of text.matchAll(/\bonly\b([^;\n]{0,60})/gi)) {
    const window = /^\s*(?:(?:chang|touch|edit|modif|updat)\w*|in|inside|within|the file)\b/i.test(found[1]!);
    const named = findNamedPaths(found[1]!.split(/[.!?](?=\s|$)/)[0]!);
    if (window && named.files.length + named.folders.length > 0) return named;
    const before = text.slice(Math.max(0, found.index - 60), found.index);
    const last = findNamedPaths(before);
    if (last.files.length > 0 && new RegExp(`${escape(last.files.at(-1)!)}\`?\\s*$`).test(before)) return last;
  }
  return undefined;
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/** Why the limits forbid a change of the path. */
export function findBreach(path: string, { forbidden, only, noTests }: RequestLimits): string | undefined {
  if (isNamed(path, forbidden) || isInNamedFolder(path, forbidden)) return `the user asked not to change ${path}`;
  if (noTests && findRole(path) === 'test') return `the user asked for no changes of tests, such as ${path}`;
  if (only && !isNamed(path, only) && !isInNamedFolder(path, only))
    return `${path} is not among the only files to change`;
  return undefined;
}
