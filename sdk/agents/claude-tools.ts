/** Tools of Claude Code, by the tools here that do the same. A definition in `.claude/agents` names them. */
export const CLAUDE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file', 'apply_patch'],
  MultiEdit: ['edit_file', 'apply_patch'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['search_files'],
  Bash: ['run_command', 'process_output', 'process_control'],
  BashOutput: ['process_output'],
  KillShell: ['process_control'],
  TodoWrite: ['todo_write'],
  ExitPlanMode: ['present_plan'],
};
