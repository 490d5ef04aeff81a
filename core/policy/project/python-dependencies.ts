import { parse } from 'smol-toml';
import { isRecord } from '../../protocol/is-record.ts';

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

/** @param text Of pyproject.toml. A text that is no TOML names nothing. */
export function findTestDependencies(text: string): TestDependencies {
  const content = parseToml(text);
  const project = content['project'];
  const extras = isRecord(project) ? project['optional-dependencies'] : undefined;
  const groups = content['dependency-groups'];
  const group = findTestName(groups);
  return {
    extra: findTestName(extras),
    group,
    requirements: group === undefined || !isRecord(groups) ? [] : [...new Set(collect(groups, group, []))],
  };
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

/** @param lists Requirements by name. */
function findTestName(lists: unknown): string | undefined {
  return isRecord(lists) ? TEST_NAMES.find((name) => Array.isArray(lists[name])) : undefined;
}

function collect(groups: Readonly<Record<string, unknown>>, name: string, above: readonly string[]): string[] {
  const items = groups[name];
  if (above.includes(name) || !Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    if (typeof item === 'string') return isRequirement(item) ? [item] : [];
    const included = isRecord(item) ? item['include-group'] : undefined;
    return typeof included === 'string' ? collect(groups, included, [...above, name]) : [];
  });
}

/** A requirement, and no option of pip. */
function isRequirement(text: string): boolean {
  return /^[A-Za-z0-9][\x20-\x7e]*$/.test(text);
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
