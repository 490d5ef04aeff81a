/** Names of extras and groups with what tests need, the best first. */
const TEST_NAMES = ['test', 'tests', 'testing', 'dev'];

/** What the tests of a Python project need in addition to its dependencies. */
export interface TestDependencies {
  /** Of `[project.optional-dependencies]`. */
  extra: string | undefined;
  /** Of `[dependency-groups]`. */
  group: string | undefined;
  /** The requirements of that group, with those of included groups. */
  requirements: readonly string[];
}

/** @param text Of pyproject.toml. */
export function findTestDependencies(text: string): TestDependencies {
  const extras = readArrays(text, 'project.optional-dependencies');
  const groups = readArrays(text, 'dependency-groups');
  const group = TEST_NAMES.find((name) => groups.has(name));
  return {
    extra: TEST_NAMES.find((name) => extras.has(name)),
    group,
    requirements: group === undefined ? [] : [...new Set(collect(groups, group, []))],
  };
}

function collect(groups: ReadonlyMap<string, string>, name: string, above: readonly string[]): string[] {
  if (above.includes(name)) return [];
  return listItems(groups.get(name) ?? '').flatMap(({ text, isGroup }) =>
    isGroup ? collect(groups, text, [...above, name]) : isRequirement(text) ? [text] : [],
  );
}

/** A requirement, and no option of pip. */
function isRequirement(text: string): boolean {
  return /^[A-Za-z0-9][\x20-\x7e]*$/.test(text);
}

/** The arrays of a table of a TOML file: their texts between the brackets, by key. */
function readArrays(text: string, table: string): Map<string, string> {
  const found = new Map<string, string>();
  let rest: string | undefined = tableOf(text, table);
  while (rest !== undefined) {
    const begin = /^[ \t]*["']?([\w.-]+)["']?[ \t]*=[ \t]*\[/m.exec(rest);
    if (!begin) return found;
    const from = begin.index + begin[0].length;
    const length = toArrayLength(rest.slice(from));
    found.set(begin[1]!, rest.slice(from, from + length));
    rest = rest.slice(from + length);
  }
  return found;
}

/** The text from the head of a table to the next head. */
function tableOf(text: string, table: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const isHead = (line: string): boolean => /^\s*\[{1,2}[\w."' -]+\]{1,2}\s*(?:#.*)?$/.test(line);
  const start = lines.findIndex((line) => isHead(line) && line.replaceAll(/[[\]\s"']|#.*/g, '') === table);
  if (start === -1) return undefined;
  const end = lines.findIndex((line, index) => index > start && isHead(line));
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n');
}

/** A string or a comment of TOML, or a bracket. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]]/g;

/** The number of characters before the bracket that closes an array. */
function toArrayLength(text: string): number {
  let depth = 1;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '[') depth++;
    if (token === ']' && --depth === 0) return index;
  }
  return text.length;
}

/** The strings of an array. One in `{ include-group = "…" }` is the name of a group. */
function listItems(text: string): { text: string; isGroup: boolean }[] {
  const items: { text: string; isGroup: boolean }[] = [];
  let last = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('"') || token.startsWith("'")) {
      const isGroup = /\binclude-group\s*=\s*$/.test(text.slice(last, index));
      items.push({ text: token.slice(1, -1).replaceAll(/\\(["\\])/g, '$1'), isGroup });
    }
    last = index + token.length;
  }
  return items;
}

/**
 * True if a text of pyproject.toml or of a requirements file names the package of a Python module. The name of some
 * packages is not that of their module; those are not found.
 *
 * @param module Such as `flask` or `google.cloud`.
 */
export function namesPythonModule(text: string, module: string): boolean {
  const [name = ''] = module.split('.');
  const own = toPattern(name);
  return new RegExp(`(?:^|["'\\s,[])${own}(?=$|["'\\s,;=<>~!@[\\]])`, 'im').test(text.replaceAll(/#.*$/gm, ''));
}

/** Packages ignore case, and the difference of `-`, `_` and `.`. */
function toPattern(name: string): string {
  return name
    .split(/[-_.]+/)
    .map((part) => part.replaceAll(/[^\w]/g, ''))
    .join('[-_.]+');
}
