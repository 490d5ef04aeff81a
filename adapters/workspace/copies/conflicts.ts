import { tryGit } from './git.ts';

/** One place where both sides changed the same lines. */
export interface ConflictHunk {
  /** First line of the hunk in the file with both sides, from 1. */
  line: number;
  /** Text of the repository's branch. */
  target: string;
  /** Text that both sides had. */
  base: string;
  /** Text of the working copy. */
  copy: string;
}

export interface ConflictFile {
  path: string;
  /** Git's messages, such as that one side deleted the file. */
  messages: string[];
  /** Empty for a conflict without lines: a deleted, renamed or binary file. */
  hunks: ConflictHunk[];
}

/** @param output Of `git merge-tree --write-tree --name-only -z` with exit code 1. */
export async function readConflicts(folder: string, output: string): Promise<ConflictFile[]> {
  const end = output.indexOf('\0\0');
  const [tree = '', ...names] = output.slice(0, end).split('\0');
  const messages = toMessages(output.slice(end + 2).split('\0'));
  return Promise.all(
    [...new Set(names)].map(async (path) => ({
      path,
      messages: messages
        .filter((one) => one.paths.includes(path) && one.kind !== 'Auto-merging')
        .map((one) => one.text),
      hunks: toHunks((await tryGit(folder, ['cat-file', 'blob', `${tree}:${path}`])) ?? ''),
    })),
  );
}

/** The fields of the messages: number of paths, the paths, the kind, the text. */
function toMessages(fields: readonly string[]): { paths: string[]; kind: string; text: string }[] {
  const messages = [];
  for (let at = 0; at < fields.length - 1;) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    messages.push({ paths, kind: fields[at + 1 + count] ?? '', text: (fields[at + 2 + count] ?? '').trimEnd() });
    at += count + 3;
  }
  return messages;
}

/** The conflicts in a text with the markers of Git's style `diff3`. */
export function toHunks(text: string): ConflictHunk[] {
  const hunks: ConflictHunk[] = [];
  let open: ConflictHunk | undefined;
  let side: 'target' | 'base' | 'copy' = 'target';
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('<<<<<<< ')) {
      open = { line: index + 1, target: '', base: '', copy: '' };
      side = 'target';
    } else if (!open) continue;
    else if (line.startsWith('||||||| ')) side = 'base';
    else if (line === '=======') side = 'copy';
    else if (line.startsWith('>>>>>>> ')) {
      hunks.push(open);
      open = undefined;
    } else open[side] += `${line}\n`;
  }
  return hunks;
}

/** True for a text in which a conflict is not solved yet. */
export function hasMarkers(text: string): boolean {
  return /^(?:<{7}|>{7}) /m.test(text);
}
