/** The start of every script: creates a private index with the last checkpoint or HEAD. */
export const PREPARE = `
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# A copy of the user's index has the file stats, so that Git need not read all files. It keeps its time stamp, which
# Git compares to detect files that changed in the same second.
if [ -f "$GIT_DIR/index" ]; then cp -p "$GIT_DIR/index" "$tmp/index"; fi
export GIT_INDEX_FILE="$tmp/index"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
previous=$(git rev-parse -q --verify "$KLAUS_REF^{commit}" || true)
base=\${previous:-$head}
if [ -z "$base" ]; then git read-tree --empty
else
  git diff-index --cached -z --name-only "$base" -- >"$tmp/other"
  if [ -s "$tmp/other" ]; then
    # Replacing few entries one by one is faster than reading all trees.
    if [ "$(tr -cd '\\0' <"$tmp/other" | wc -c)" -gt 500 ]; then git read-tree --reset "$base"
    else
      (cd "$(git rev-parse --show-toplevel)" &&
        git restore --staged --source="$base" --pathspec-from-file="$tmp/other" --pathspec-file-nul)
    fi
  fi
fi
`;

/** Lists all changes. An empty name marks the end. */
export const SURVEY = `
git status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=all -- .
printf '\\0'
`;
export const SURVEY_END = '\0';

/** Reads the reply to the survey: a line with `none`, or `take` and then the paths to commit. */
export const COMMIT = `
# Counts the changes of a commit against HEAD. Git quotes names with a line break, so that each name is one line.
report() {
  echo "commit $1 $(git diff-tree -r --name-only "\${head:-$(git hash-object -t tree /dev/null)}" "$1" | wc -l)"
}
keep() {
  if [ -n "$previous" ]; then report "$previous"; fi
  exit 0
}
read -r answer
if [ "$answer" != take ]; then keep; fi
# Exit code 1 means that single files could not be read.
failed=
git add -A --ignore-errors --pathspec-from-file=- --pathspec-file-nul || { [ $? -eq 1 ] && failed=yes; }
# An empty name, then the files that could not be added.
if [ -n "$failed" ]; then
  printf '\\0'
  git update-index -q --refresh >/dev/null || true
  git diff-files -z --name-only --relative --ignore-submodules=all -- .
  git ls-files -z --others --exclude-standard -- .
  echo
fi
tree=$(git write-tree)
if [ -n "$base" ] && [ "$tree" = "$(git rev-parse "$base^{tree}")" ]; then echo same; keep; fi
name=$(git config user.name || true)
email=$(git config user.email || true)
export GIT_AUTHOR_NAME="\${name:-$KLAUS_NAME}" GIT_AUTHOR_EMAIL="\${email:-$KLAUS_EMAIL}"
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
commit=$(git commit-tree --no-gpg-sign \${base:+-p "$base"} -m "$KLAUS_MESSAGE" "$tree")
git update-ref "$KLAUS_REF" "$commit" "\${previous:-$(printf '%s' "$commit" | tr '0-9a-f' 0)}"
report "$commit"
`;
