import type { Intent } from '../ports/tool.ts';
import type { ReadyCall } from '../calls/judged-call.ts';

/** A call as hooks of Claude Code know it. */
export interface HookedCall {
  /** A name of Claude Code, if it has a tool that does the same. */
  tool_name: string;
  tool_input: Readonly<Record<string, unknown>>;
}

/** The names of Claude Code, by the tools here that do the same, the first one in events. */
const CLAUDE_NAMES: Readonly<Record<string, readonly string[]>> = {
  read_file: ['Read'],
  write_file: ['Write'],
  edit_file: ['Edit', 'MultiEdit'],
  apply_patch: ['Edit', 'MultiEdit', 'Write'],
  delete_file: ['Edit', 'Write'],
  list_files: ['Glob', 'LS'],
  search_files: ['Grep'],
  run_command: ['Bash'],
  process_output: ['BashOutput'],
  process_control: ['KillShell'],
  todo_write: ['TodoWrite'],
  present_plan: ['ExitPlanMode'],
  spawn_agent: ['Task'],
  use_skill: ['Skill'],
};

/** All names by which matchers can mean a tool. Tools that run commands of their own are `Bash` too. */
export function toToolNames(name: string, { command }: Pick<Intent, 'command'>): string[] {
  const known = Object.hasOwn(CLAUDE_NAMES, name) ? CLAUDE_NAMES[name]! : [];
  return [...new Set([name, ...known, ...(command === undefined ? [] : ['Bash'])])];
}

/** The events of a call: one for each file that it changes, so that a hook that looks at one path sees all of them. */
export function toHookedCalls({ call, input, intent }: ReadyCall, workspace: string): HookedCall[] {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const tool_name = toToolNames(call.name, intent)[1] ?? call.name;
  const toAbsolute = (path: string): string => (path.startsWith('/') ? path : `${workspace}/${path}`);
  const files = [
    ...new Set([...(intent.edits ?? []).map(({ path }) => path), ...(intent.changes ?? []).map(({ path }) => path)]),
  ].map(toAbsolute);
  const read = intent.access.flatMap((access) => (access.kind === 'fs' ? [access.path] : []));
  const toInput = (file: string | undefined): HookedCall => ({
    tool_name,
    tool_input: {
      ...given,
      ...(intent.command === undefined ? {} : { command: intent.command }),
      ...(file === undefined ? {} : { file_path: file }),
      ...toEditFields(given),
    },
  });
  if (files.length > 0) return files.map(toInput);
  return [toInput(intent.command === undefined ? read[0] : undefined)];
}

/** The texts of an edit under the names of Claude Code. */
function toEditFields({ edits }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Array.isArray(edits)) return {};
  const all = (edits as { old?: unknown; new?: unknown; all?: unknown }[]).map((edit) => ({
    old_string: edit.old,
    new_string: edit.new,
    replace_all: edit.all === true,
  }));
  return { edits: all, ...(all.length === 1 ? all[0] : {}) };
}
