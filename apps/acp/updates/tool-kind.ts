import type { ToolKind } from '@agentclientprotocol/sdk/unstable';

/** The kind of each tool, by which an editor chooses an icon. Other tools are `other`. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  git_status: 'read',
  git_diff: 'read',
  git_log: 'read',
  process_output: 'read',
  write_file: 'edit',
  edit_file: 'edit',
  apply_patch: 'edit',
  prettier_format: 'edit',
  delete_file: 'delete',
  list_files: 'search',
  search_files: 'search',
  recall: 'search',
  tool_search: 'search',
  memory_search: 'search',
  run_command: 'execute',
  run_tests: 'execute',
  npm_run: 'execute',
  tsc_check: 'execute',
  eslint_check: 'execute',
  run_node_script: 'execute',
  run_python_script: 'execute',
  process_control: 'execute',
  git_checkpoint: 'execute',
  git_commit: 'execute',
  git_branch: 'execute',
  todo_write: 'think',
  get_context_info: 'think',
};

export function toToolKind(name: string): ToolKind {
  return KINDS[name] ?? 'other';
}
