import type { ChangedFile } from '../changes/changed-file.ts';
import type { ReviewFinding } from '../reviewer.ts';
import { toChangedLines } from './changed-lines.ts';
import { findRole, type FileRole } from './file-role.ts';
import { findDependencies } from './find-dependencies.ts';
import { findNamedPaths, isInNamedFolder, isNamed } from './named-paths.ts';

const DEPENDENCY_WORDS =
  /\b(?:dependenc\w*|packages?|librar(?:y|ies)|install\w*|npm|pip|yarn|pnpm|cargo|gems?|upgrad\w*|bump\w*|switch(?:ing)? (?:to|from)|migrat\w*|third[- ]party|sdk|framework|set ?up|integrat\w*|bootstrap\w*|scaffold\w*)\b/i;
const VERSION_WORDS =
  /\b(?:upgrad\w*|bump\w*|updat\w+ (?:the |all )?(?:dep|pack|vers)\w*|versions?|vulnerab\w*|cve\b|audit|security|pin\w*|downgrad\w*|latest)\b/i;

/** Words with which a request may need a file of this role. */
const ROLE_WORDS: Readonly<Partial<Record<FileRole, RegExp>>> = {
  ci: /\b(?:ci|cd|workflows?|pipelines?|actions?|gitlab|jenkins|deploy\w*|builds?|releas\w*|publish\w*|github|checks?|automat\w*)\b/i,
  config:
    /\b(?:config\w*|set ?up|settings?|options?|\w*lint\w*|\w*rc|tsconfig|typescript|strict\w*|jest|vitest|vite|webpack|babel|prettier|docker\w*|containers?|compose|images?|make\w*|build\w*|bundl\w*|runners?|coverage|hooks?|husky|compil\w*|targets?|esm|modules?|alias\w*|paths?|env\w*|node|ports?|tool\w*|editors?|migrat\w*|convert\w*|upgrad\w*|deploy\w*|services?|playwright|e2e|timeouts?|plugins?|presets?|themes?|tailwind|css|owners?)\b/i,
  ignore:
    /\b(?:ignor\w*|exclud\w*|commit\w*|artifacts?|generated?|caches?|builds?|secrets?|env|outputs?|untrack\w*)\b/i,
  license: /\b(?:licen[cs]\w*|copyright|notice|years?|legal)\b/i,
};

const DOC_WORDS =
  /\b(?:doc\w*|readme|markdown|\w+\.mdx?|write[- ]?ups?|guides?|changelog|notes?|summar\w*|reports?|explain\w*|adr|specs?|plans?|tutorials?|pages?|releas\w*|sites?|blog|posts?|content|instructions?|howto|manual|runbook|articles?|proposal|rfc|design|skills?|agents?|prompts?|commands?|templates?)\b/i;
const DELETE_WORDS =
  /\b(?:delet\w*|remov\w*|mov(?:e|ed|ing)|renam\w*|replac\w*|clean\w*|merg\w*|drop\w*|get rid|unused|obsolete|dead|migrat\w*|convert\w*|consolidat\w*|split\w*|extract\w*|inlin\w*|revert\w*|refactor\w*|deprecat\w*|reorgani\w*|restructur\w*|rewrit\w*|port\b|switch\w*|combin\w*|dedup\w*|duplicate\w*)\b/i;

const SKIPS =
  /\b(?:it|test|describe|suite)\.(?:skip|todo)\(|\bx(?:it|describe|test)\(|@pytest\.mark\.(?:skip|skipif|xfail)\b|@unittest\.skip|pytest\.skip\(|\bt\.Skip(?:f|Now)?\(|^\s*@(?:Disabled|Ignore)\b|#\[ignore\]/;
const SKIP_WORDS = /\b(?:skip\w*|disabl\w*|ignor\w*|flak\w*|quarantin\w*|xfail|pending|todo)\b/i;

/** What changes add that `text`, the request or the plan, cannot have asked for. */
export function findExtras(text: string, changes: readonly ChangedFile[]): ReviewFinding[] {
  const named = findNamedPaths(text);
  const isMentioned = (path: string) => isNamed(path, named) || isInNamedFolder(path, named);
  return [
    ...findDependencyExtras(text, changes, isMentioned),
    ...changes.flatMap((file) => (isMentioned(file.path) ? [] : findFileExtras(text, file))),
    ...changes.flatMap((file) => findSkippedTests(text, file)),
  ];
}

function findDependencyExtras(
  text: string,
  changes: readonly ChangedFile[],
  isMentioned: (path: string) => boolean,
): ReviewFinding[] {
  const { added, changed, isVersion } = findDependencies(changes);
  const manifest = changes.find(({ path }) => findRole(path) === 'manifest')?.path;
  if (manifest === undefined || isMentioned(manifest)) return [];
  const found: ReviewFinding[] = [];
  if (!DEPENDENCY_WORDS.test(text))
    for (const name of added)
      if (!isRelated(text, name)) found.push({ file: manifest, text: `adds the dependency ${name}` });
  if (!VERSION_WORDS.test(text) && !DEPENDENCY_WORDS.test(text)) {
    for (const name of changed)
      if (!isRelated(text, name)) found.push({ file: manifest, text: `changes the version of ${name}` });
    if (isVersion && !/\b(?:releas\w*|publish\w*)\b/i.test(text))
      found.push({ file: manifest, text: 'changes the version of the project' });
  }
  return found;
}

/** Words of requests that occur in names of packages by accident. */
const COMMON = new Set(
  'add and the for with from not file files test tests type types util utils data date time string list node core client server error errors http json text name user users api app web page log logs key keys value values path config parser parse format lib tool tools cli run use new all fix com github org io result results sort message'.split(
    ' ',
  ),
);

/** True if a word of the text may name the package: `redis` and `ioredis`. */
function isRelated(text: string, name: string): boolean {
  const lower = name.toLowerCase();
  const parts = lower.split(/[^a-z0-9]+/).filter((part) => part.length > 2);
  const words = (text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []).filter((word) => !COMMON.has(word));
  return words.some((word) => parts.includes(word) || (word.length > 3 && lower.includes(word)));
}

function findFileExtras(text: string, { path, kind }: ChangedFile): ReviewFinding[] {
  const role = findRole(path);
  const words = ROLE_WORDS[role];
  if (words && !words.test(text)) return [{ file: path, text: `changes ${path}, which was not asked for` }];
  if (role === 'docs' && kind === 'created' && !DOC_WORDS.test(text))
    return [{ file: path, text: `creates the page ${path}, which was not asked for` }];
  if (kind === 'deleted' && !DELETE_WORDS.test(text))
    return [{ file: path, text: `deletes ${path}, which was not asked for` }];
  return [];
}

function findSkippedTests(text: string, file: ChangedFile): ReviewFinding[] {
  if (findRole(file.path) !== 'test' || file.kind === 'created' || SKIP_WORDS.test(text)) return [];
  const { removed, added } = toChangedLines(file);
  const count = (lines: readonly string[]) => lines.filter((line) => SKIPS.test(line)).length;
  return count(added) > count(removed) ? [{ file: file.path, text: 'skips a test' }] : [];
}
