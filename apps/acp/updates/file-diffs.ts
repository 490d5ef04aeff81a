import type { ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk/unstable';
import { join } from 'node:path';

/** Lines of the hunks of one file. */
interface FileDiff {
  path: string;
  /** First new line of the first hunk, from 1. */
  line: number;
  hunks: { old: string[]; new: string[] }[];
  isNew: boolean;
  isDeleted: boolean;
}

/** The complete diff of each content, which also has the numbers of its lines. */
const SOURCES = new WeakMap<ToolCallContent, { diff: string; workspace: string }>();

/** The unified diff of which a content is a part, with the files that it changes. Undefined for other contents. */
export function findUnifiedDiff(content: ToolCallContent) {
  const source = SOURCES.get(content);
  if (!source) return undefined;
  const changes = parse(source.diff).map(({ path, isNew, isDeleted }) => ({
    path: join(source.workspace, path),
    operation: isNew ? ('add' as const) : isDeleted ? ('delete' as const) : ('modify' as const),
  }));
  return { diff: source.diff, changes };
}

/**
 * The changes of a unified diff as contents of a tool call, one for each hunk, because a diff has no complete files.
 *
 * @param workspace Absolute path, to which the paths of the diff are relative.
 */
export function toDiffContents(diff: string, workspace: string): ToolCallContent[] {
  const contents = parse(diff).flatMap(({ path, hunks, isNew }) =>
    hunks.map((hunk): ToolCallContent => ({
      type: 'diff',
      path: join(workspace, path),
      oldText: isNew ? null : toText(hunk.old),
      newText: toText(hunk.new),
    })),
  );
  for (const content of contents) SOURCES.set(content, { diff, workspace });
  return contents;
}

/** The first changed line of each file of a unified diff. */
export function toDiffLocations(diff: string, workspace: string): ToolCallLocation[] {
  return parse(diff).map(({ path, line }) => ({ path: join(workspace, path), line: Math.max(1, line) }));
}

function parse(diff: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = diff.split('\n');
  // Lines of the current hunk that are still to come: a changed line can look like a header.
  let [old, fresh] = [0, 0];
  let from = '';
  for (const [at, line] of lines.entries()) {
    const hunk = files.at(-1)?.hunks.at(-1);
    const header = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk && (old > 0 || fresh > 0)) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === '\\') continue;
      if (sign !== '+') {
        hunk.old.push(text);
        old -= 1;
      }
      if (sign !== '-') {
        hunk.new.push(text);
        fresh -= 1;
      }
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      from = toPath(line);
    } else if (line.startsWith('+++ ')) {
      const to = toPath(line);
      const [isNew, isDeleted] = [from === '/dev/null', to === '/dev/null'];
      files.push({ path: isDeleted ? from : to, line: 1, hunks: [], isNew, isDeleted });
    } else if (header) {
      [old, fresh] = [Number(header[1] ?? 1), Number(header[3] ?? 1)];
      const file = files.at(-1);
      if (file?.hunks.length === 0) file.line = Number(header[2]);
      file?.hunks.push({ old: [], new: [] });
    }
  }
  return files;
}

/** `--- a/src/x.js` as `src/x.js`. */
function toPath(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, '')
    .replace(/^[ab]\//, '');
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
