import { headOf } from '@klaus/core/cut-text';
import { resolve, relative, sep } from 'node:path';
import type { AgentCall, AgentCallKind } from '@klaus/core/agent';
import { createTwoFilesPatch } from 'diff';
import { readForeignFileSync } from '../../system/index.ts';

type Input = Readonly<Record<string, unknown>>;

/** Tools by their effect. Others are `other`: the user decides. */
const KINDS: Readonly<Record<string, AgentCallKind>> = {
  Bash: 'execute',
  PowerShell: 'execute',
  Monitor: 'execute',
  Read: 'read',
  NotebookRead: 'read',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  LSP: 'search',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'delegate',
  Task: 'delegate',
  ...Object.fromEntries(
    'BashOutput KillShell TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch ReportFindings StructuredOutput ListMcpResourcesTool'
      .split(' ')
      .map((name) => [name, 'think' as const]),
  ),
};

/** Characters of an argument in a title. */
const MAX_TITLE = 200;

/** A call of a tool of Claude Code, in terms of its effect. */
export function toAgentCall(
  { id, name, input }: { id: string; name: string; input: Input },
  { workspace, cwd = workspace }: { workspace: string; cwd?: string },
): AgentCall {
  const known = Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other';
  const kind = isElsewhere(input) && known !== 'execute' ? 'other' : known;
  const named = ['file_path', 'notebook_path', 'path'].map((key) => input[key]).filter(isText);
  // A path that the gate cannot judge must not be left out: without one, the complete workspace is meant.
  const paths =
    kind === 'execute'
      ? []
      : [...named, ...(named.length === 0 && cwd !== workspace ? [cwd] : [])].map((path) => resolve(cwd, path));
  const subject = [input['command'], input['url'], input['query'], input['description'], ...named].find(isText);
  const diff = kind === 'edit' ? toDiff(input, { path: paths[0], workspace }) : undefined;
  return {
    id,
    kind,
    title: subject === undefined ? name : `${name} ${toLine(subject)}`,
    paths,
    ...(kind === 'execute' && isText(input['command']) ? { command: input['command'] } : {}),
    ...(kind === 'fetch' && isText(input['url']) ? { url: input['url'] } : {}),
    ...(name === 'WebFetch' && isText(input['url']) ? { sends: { fetches: input['url'] } } : {}),
    ...(name === 'WebSearch' && isText(input['query']) ? { sends: { searches: input['query'] } } : {}),
    ...(kind === 'delegate'
      ? { agent: isText(input['subagent_type']) ? input['subagent_type'] : 'general-purpose' }
      : {}),
    diff,
    input: { tool: name, ...input },
    state: 'waiting',
    output: '',
  };
}

/** True if the files depend on the home folder of the program, or on a pattern that leaves the folder. */
function isElsewhere({ pattern, glob, ...input }: Input): boolean {
  const isHome = ['file_path', 'notebook_path', 'path'].some((key) => isText(input[key]) && input[key].startsWith('~'));
  return isHome || [pattern, glob].some((given) => isText(given) && /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(given));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function toLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > MAX_TITLE ? `${headOf(line, MAX_TITLE)}…` : line;
}

interface Edit {
  old_string?: unknown;
  new_string?: unknown;
}

/** The change for the user. Nothing is decided by it. */
function toDiff(
  { content, edits, new_source: source, ...edit }: Input,
  { path, workspace }: { path: string | undefined; workspace: string },
): string | undefined {
  if (path === undefined) return undefined;
  const shown = path.startsWith(workspace + sep) ? relative(workspace, path) : path;
  const patch = (before: string, after: string): string =>
    createTwoFilesPatch(`a/${shown}`, `b/${shown}`, before, after, undefined, undefined, { context: 3 });
  if (typeof content === 'string') return patch(path.startsWith(workspace + sep) ? readText(path) : '', content);
  if (typeof source === 'string') return patch('', source);
  const all = (Array.isArray(edits) ? edits : [edit]) as readonly Edit[];
  const patches = all.flatMap(({ old_string: before, new_string: after }) =>
    typeof before === 'string' && typeof after === 'string' ? [patch(before, after)] : [],
  );
  return patches.length > 0 ? patches.join('\n') : undefined;
}

/** Empty if it cannot be read. */
function readText(path: string): string {
  try {
    return readForeignFileSync(path).text;
  } catch {
    return '';
  }
}
