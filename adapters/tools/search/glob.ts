import { toGlobTest, type GlobTest } from '@klaus/core/policy';
import { toolFailed } from '../tool-failed.ts';

/** Characters. */
const MAX_GLOB = 1_000;

/**
 * The test of a glob of an agent, which is read as a line of .gitignore: a leading `!` negates, a trailing slash means
 * what is in the folder, and `[a-z]` and `{a,b}` are sets.
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
  try {
    return toGlobTest(glob.replace(/^\.\//, '/').replace(/\/$/, '/**'), { sets: true });
  } catch (error) {
    throw toolFailed(`The glob ${glob} is invalid.`, { cause: error });
  }
}
