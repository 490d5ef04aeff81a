import { runGit, tryGit } from './git.ts';

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
  /** The sides that have a file at this path. Without one, only an edit in the working copy solves the conflict. */
  sides: Side[];
}

export const SIDES = ['target', 'copy'] as const;
export type Side = (typeof SIDES)[number];

/** A merge that Git could not complete: its tree has the files with conflict markers. Commits by side. */
export type ConflictedMerge = Readonly<Record<Side, string>> & { tree: string; conflicts: ConflictFile[] };

/**
 * @param output Of `git merge-tree --write-tree --name-only -z` with exit code 1.
 * @param commits The merged commits.
 */
export async function readConflicts(
  folder: string,
  output: string,
  commits: Readonly<Record<Side, string>>,
): Promise<ConflictedMerge> {
  const end = output.indexOf('\0\0');
  const [tree = '', ...names] = output.slice(0, end).split('\0');
  const messages = toMessages(output.slice(end + 2).split('\0'));
  const conflicts = await Promise.all(
    [...new Set(names)].map(async (path): Promise<ConflictFile> => {
      const found = await Promise.all(
        SIDES.map(async (side) => (await findEntry(folder, commits[side], path))?.type === 'blob'),
      );
      return {
        path,
        messages: messages
          .filter((one) => one.paths.includes(path) && one.kind !== 'Auto-merging')
          .map((one) => one.text),
        hunks: toHunks((await tryGit(folder, ['cat-file', 'blob', `${tree}:${path}`])) ?? ''),
        sides: SIDES.filter((_, at) => found[at]),
      };
    }),
  );
  return { ...commits, tree, conflicts };
}

/** An entry of a tree: a file, a symlink, a submodule or a folder. */
export async function findEntry(folder: string, tree: string, path: string) {
  const { code, stdout } = await runGit(folder, ['--literal-pathspecs', 'ls-tree', '-z', tree, '--', path]);
  const [fields = '', name] = stdout.split('\0')[0]!.split('\t');
  if (code !== 0 || name !== path) return undefined;
  const [mode = '', type = '', id = ''] = fields.split(' ');
  return { mode, type, id };
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
  return splitConflicts(text).filter((part) => typeof part !== 'string');
}

/** A text with the markers of Git's style `diff3` as its conflicts and the texts between them, in order. */
export function splitConflicts(text: string): (string | ConflictHunk)[] {
  const parts: (string | ConflictHunk)[] = [];
  let plain = '';
  /** The lines of an open conflict, which are plain text if it does not end. */
  let raw = '';
  let open: ConflictHunk | undefined;
  let side: 'target' | 'base' | 'copy' = 'target';
  for (const [index, line] of text.split(/(?<=\n)/).entries()) {
    if (line.startsWith('<<<<<<< ') && (!open || side === 'target')) {
      plain += raw;
      raw = line;
      open = { line: index + 1, target: '', base: '', copy: '' };
      side = 'target';
      continue;
    }
    if (!open) {
      plain += line;
      continue;
    }
    raw += line;
    if (side === 'target' && line.startsWith('||||||| ')) side = 'base';
    else if (side === 'base' && /^=======\r?\n?$/.test(line)) side = 'copy';
    else if (side === 'copy' && line.startsWith('>>>>>>> ')) {
      parts.push(...(plain === '' ? [] : [plain]), open);
      [plain, raw, open] = ['', '', undefined];
    } else open[side] += line;
  }
  plain += raw;
  return plain === '' ? parts : [...parts, plain];
}

/** True for a text in which a conflict is not solved yet. */
export function hasMarkers(text: string): boolean {
  return /^(?:<{7}|>{7}) /m.test(text);
}
