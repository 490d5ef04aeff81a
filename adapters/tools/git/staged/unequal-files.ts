import { runGit, type GitContext } from '../git.ts';
import { readBlobs } from '../read-blobs.ts';
import type { Repository } from '../repository.ts';

const KEEP_BYTES = 16 * 1_024 * 1_024;

/** Without the times and flags of any index. Files that attributes transform are listed apart. */
const COMPARE = `
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GIT_INDEX_FILE="$tmp/index" GIT_LITERAL_PATHSPECS=0
git -c core.sparseCheckout=false read-tree "$KLAUS_TREE"
plain='-c core.sparseCheckout=false -c core.trustctime=true -c core.checkStat=default'
git $plain update-index -q --refresh >/dev/null || true
git $plain diff-files -z --name-only --no-renames --ignore-submodules=all
printf '\\0'
for name in filter ident working-tree-encoding; do git ls-files -z -s -- ':(top)' ":(top,exclude,attr:!$name)"; done
`;

const POINTER = /^version https:\/\/git-lfs[^\n]*\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n$/;

interface Row {
  path: string;
  blob: string;
}

/**
 * The files whose content differs from that of a tree: a flag of the index, a sparse checkout, times that were set, a
 * filter of Git or an encoding can hide it. For a file of Git LFS, the hash in its pointer counts.
 *
 * @returns Paths relative to the top of the working tree.
 */
export async function findUnequalFiles(
  context: GitContext,
  { repository, tree }: { repository: Repository; tree: string },
): Promise<string[]> {
  const run = async (script: string, stdin: string): Promise<string | undefined> => {
    const command = ['/bin/sh', '-c', `cd "$GIT_WORK_TREE"; ${script}`];
    const result = await runGit(context, command, {
      repository,
      stdin,
      keepBytes: KEEP_BYTES,
      env: { KLAUS_TREE: tree },
    });
    return result.exitCode === 0 && !result.truncated ? result.stdout : undefined;
  };
  const compared = await run(COMPARE, '');
  // What cannot be compared is not known to be equal.
  if (compared === undefined) return ['.'];
  const fields = compared.split('\0');
  const unequal = fields.splice(0, fields.indexOf('') + 1).slice(0, -1);
  const rows = fields.flatMap((field): Row[] => {
    const [, mode, blob, path] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(field) ?? [];
    return mode?.startsWith('100') ? [{ blob: blob!, path: path! }] : [];
  });
  const transformed = [...new Map(rows.map((row) => [row.path, row])).values()].filter(
    ({ path }) => !unequal.includes(path),
  );
  if (transformed.length === 0) return unequal;
  const stdin = transformed.map(({ path }) => `./${path}\0`).join('');
  const raw = (await run('xargs -0 git hash-object --no-filters --', stdin))?.trim().split('\n');
  if (raw?.length !== transformed.length) return [...unequal, ...transformed.map(({ path }) => path)];
  const differing = transformed.filter(({ blob }, at) => raw[at] !== blob);
  if (differing.length === 0) return unequal;
  const sums = (await run('xargs -0 sha256sum -z --', differing.map(({ path }) => `./${path}\0`).join('')))?.split(
    '\0',
  );
  const pointers = new Map<string, string>();
  for await (const { blob, text } of readBlobs(context, { repository, blobs: differing.map(({ blob }) => blob) }))
    pointers.set(blob, POINTER.exec(`${text.trimEnd()}\n`)?.[1] ?? '');
  const isPointer = ({ blob }: Row, at: number): boolean =>
    pointers.get(blob) === sums?.[at]?.slice(0, 64) && pointers.get(blob) !== '';
  return [...unequal, ...differing.filter((row, at) => !isPointer(row, at)).map(({ path }) => path)];
}
