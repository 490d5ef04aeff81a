/** An example for a first prompt: the name of its text. */
export type Example = 'explain' | 'test' | 'todo' | 'readme' | 'review' | 'begin';

const MANIFESTS =
  /^(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|Makefile|CMakeLists\.txt)$/;

/** Number of examples that are shown. */
const SHOWN = 3;

/**
 * The examples that fit a workspace, by the names in its folder.
 *
 * @param names Files and folders, without their paths.
 */
export function findExamples(names: readonly string[]): Example[] {
  const shown = names.filter((name) => !name.startsWith('.'));
  if (shown.length === 0) return ['begin'];
  const found: Example[] = ['explain'];
  if (names.some((name) => MANIFESTS.test(name))) found.push('test');
  if (names.includes('.git')) found.push('review');
  if (names.some((name) => /^readme/i.test(name))) found.push('readme');
  found.push('todo');
  return found.slice(0, SHOWN);
}
