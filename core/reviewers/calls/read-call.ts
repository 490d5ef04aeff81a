import type { ReviewedCall } from './reviewed-call.ts';

/** What a call does, by the fields of its input: the names of tools differ between programs. */
export type ReadCall =
  | { kind: 'command'; command: string }
  | { kind: 'read' | 'edit'; path: string }
  | { kind: 'search' }
  | { kind: 'other' };

const READS = /^(?:Read|NotebookRead|read_file|view|open_file)$/;
const SEARCHES = /^(?:Grep|Glob|LS|LSP|list_files|search_files|find_files|tool_search)$/;
const EDITS = /^(?:Edit|MultiEdit|Write|NotebookEdit|write_file|edit_file|create_file|delete_file)$/;

export function readCall({ tool, input, root }: Pick<ReviewedCall, 'tool' | 'input' | 'root'>): ReadCall {
  const text = (name: string) => (typeof input[name] === 'string' ? input[name] : undefined);
  const command = text('command');
  if (command !== undefined) return { kind: 'command', command };
  const path = text('file_path') ?? text('notebook_path') ?? text('path');
  if (SEARCHES.test(tool)) return { kind: 'search' };
  if (path === undefined) return { kind: 'other' };
  const absolute = path.startsWith('/') ? path : `${root}/${path}`;
  if (READS.test(tool)) return { kind: 'read', path: normalize(absolute) };
  return EDITS.test(tool) ? { kind: 'edit', path: normalize(absolute) } : { kind: 'other' };
}

/** Without `.`, `..` and empty parts. Links are not followed: the caller resolves them. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
