/** Most commits between the known ones and a tip. */
export const MAX_COMMITS = 20_000;
/** Larger content is compared with that of known commits only. */
const MAX_BYTES = 1_024 * 1_024;

/** Ends the first part of an answer. */
export const PART = '\0\0part';
/** The last line of the new commits. Without it, Git could not read all of them. */
export const COMPLETE = 'complete\n';

/** What a script of Git does for a request, see `DialogueOptions`. */
export const CASES = {
  /**
   * The changes of the new commits, each with its parents, and the types of the arguments. Both are read at the same time.
   * The input is the commits, and known ones with `^`. Without a commit among the arguments, there may be no changes.
   */
  commits: `
    exec 3<&0
    head -c "$size" <&3 | {
      git rev-list --topo-order --ignore-missing --max-count=${MAX_COMMITS} --stdin && printf '${COMPLETE.trim()}\\n'
    } | git diff-tree --stdin --always -r -c --root --raw --no-abbrev -z --no-renames --format='%H %P' &
    types=$(printf '%s\\n' "$@" | git cat-file --batch-check='%(objecttype) %(objectname) %(rest)') || exit 9
    wait $! || case $types in *commit*) exit 9 ;; esac
    printf '\\000\\000part%s\\n' "$types"`,
  /** The entries of the present index. */
  index: 'git ls-files --stage -z || exit 9',
  /** The entries of a tree. */
  tree: 'git ls-tree -r -z "$1" || exit 9',
  /** The content that the commits of the input have at the paths. */
  history: `
    head -c "$size" | git rev-list --full-history --ignore-missing --stdin -- "$@" |
      git diff-tree --stdin -r -m --root --raw --no-abbrev -z --no-renames -- "$@"`,
  /** The blobs of the input, unless they are large. */
  blobs: `
    head -c "$size" | git cat-file --batch-check='%(objectname) %(objectsize)' |
      awk '$2 ~ /^[0-9]+$/ && $2 <= ${MAX_BYTES} { print $1 }' | git cat-file --batch | base64`,
};
