/**
 * Shell functions that run a hook of the repository as Git does: in the top folder of the working tree, with the index of
 * the commit, and without the settings that prevent Git from running programs. The hook runs in the sandbox.
 *
 * `run_hook NAME [ARGUMENT…]` exits with 4 if the hook fails. The output of the hook goes to standard error.
 *
 * @source githooks(5)
 */
export const RUN_HOOK = `
without_settings() {
  env -u GIT_CONFIG_COUNT -u GIT_LITERAL_PATHSPECS -u GIT_OPTIONAL_LOCKS "$@"
}
hooks=$(without_settings git rev-parse --git-path hooks)
run_hook() {
  hook=$(cd "$GIT_WORK_TREE" && cd "$hooks" 2>/dev/null && pwd)/$1 || return 0
  if [ ! -f "$hook" ] || [ ! -x "$hook" ]; then return 0; fi
  name=$1
  shift
  code=0
  (
    cd "$GIT_WORK_TREE"
    GIT_EDITOR=: GIT_PREFIX= without_settings env -u GIT_DIR -u GIT_WORK_TREE "$hook" "$@"
  ) </dev/null >&2 || code=$?
  if [ "$code" -ne 0 ]; then echo "The hook $name failed with exit code $code." >&2; exit 4; fi
}
`;

export const HOOK_FAILED = 4;
