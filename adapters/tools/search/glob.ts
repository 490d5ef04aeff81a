import { toGlobTest, type GlobTest } from '@klaus/core/policy';
import { toolFailed } from '../tool-failed.ts';

/** Characters. */
const MAX_GLOB = 1_000;

/**
 * The test of a glob of an agent, which is read as a line of .gitignore: a leading `!` negates, a trailing slash means
 * what is in the folder, `[a-z]` and `{a,b}` are sets, and a backslash takes the meaning from the next character. Since
 * folders have names such as `[id]`, brackets also match themselves.
 *
 * @throws KlausError `tool.failed` for an invalid glob.
 */
export function toSearchTest(glob: string): GlobTest {
  if (glob.length > MAX_GLOB || glob.includes('\0') || !glob.isWellFormed())
    throw toolFailed(`The glob must be valid text of at most ${MAX_GLOB} characters.`);
  if (glob.startsWith('!')) {
    const inner = toSearchTest(glob.slice(1));
    return (path) => !inner(path);
  }
  const pattern = glob.replace(/^\.\//, '/').replace(/\/$/, '/**');
  try {
    const test = toGlobTest(withoutEscapes(pattern), { sets: true });
    if (!hasBrackets(pattern)) return test;
    const literal = toGlobTest(withoutEscapes(pattern.replaceAll(/\\.|\[/g, (part) => (part === '[' ? '\\[' : part))), {
      sets: true,
    });
    return (path) => test(path) || literal(path);
  } catch (error) {
    throw toolFailed(`The glob ${glob} is invalid.`, { cause: error });
  }
}

/** True if a bracket in a glob can begin a set. */
export function hasBrackets(glob: string): boolean {
  return glob.replaceAll(/\\./g, '').includes('[');
}

/** Escaped characters as sets of one, which the dialect of globs has instead. */
function withoutEscapes(glob: string): string {
  return glob.replaceAll(/\\(.)/g, (_, char: string) => (/[[*?{\\]/.test(char) ? `[${char}]` : char));
}
