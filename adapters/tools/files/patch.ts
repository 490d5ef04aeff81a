import { headOf } from '@klaus/core/cut-text';
import type { KlausError } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';
import type { FilePatch, Hunk } from './hunk.ts';
import { parseUnifiedDiff } from './unified-diff.ts';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';

/**
 * Parses a patch in either form: `*** Begin Patch` … `*** End Patch`, or a unified diff.
 *
 * @throws KlausError `tool.failed` with the invalid line.
 */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const begin = lines.findIndex((line) => line.trim() === BEGIN);
  const patches = begin >= 0 ? parseSections(lines, begin + 1) : parseUnifiedDiff(lines);
  if (patches.length > 0) return patches;
  throw toolFailed(`The patch contains no file. Begin it with ${BEGIN}, or use a unified diff with --- and +++ lines.`);
}

function parseSections(lines: readonly string[], from: number): FilePatch[] {
  const patches: FilePatch[] = [];
  let current: FilePatch | undefined;
  let hunk: Hunk | undefined;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === END) return patches.map((patch) => checkPatch(patch));
    const section = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line);
    const move = /^\*\*\* Move to: (.+)$/.exec(line);
    if (section) {
      current = { kind: section[1]!.toLowerCase() as FilePatch['kind'], path: section[2]!.trim(), hunks: [] };
      if (current.kind === 'add') current.content = '';
      patches.push(current);
      hunk = undefined;
    } else if (!current) {
      if (line.trim() !== '') throw invalidLine(at, line, 'expected a line such as *** Update File: PATH');
    } else if (move && current.kind === 'update' && current.hunks.length === 0) {
      current.moveTo = move[1]!.trim();
    } else if (current.kind === 'add') {
      if (line.startsWith('+')) current.content += `${line.slice(1)}\n`;
      else if (line.trim() !== '') throw invalidLine(at, line, 'lines of an added file begin with +');
    } else if (current.kind === 'delete') {
      if (line.trim() !== '') throw invalidLine(at, line, 'a deleted file has no lines');
    } else hunk = addUpdateLine(current, hunk, { line, at });
  }
  throw toolFailed(`The patch has no ${END}: it may have been cut off. Nothing was changed.`);
}

function addUpdateLine(
  patch: FilePatch,
  open: Hunk | undefined,
  { line, at }: { line: string; at: number },
): Hunk | undefined {
  const begin = (): Hunk => {
    const hunk: Hunk = { headers: [], lines: [], atEnd: false };
    patch.hunks.push(hunk);
    return hunk;
  };
  if (line.startsWith('@@')) {
    // Several @@ lines in a row narrow the location.
    const hunk = open && open.lines.length === 0 ? open : begin();
    const numbered = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line);
    const header = line.slice(2).trim();
    if (numbered) hunk.line = Number(numbered[1]);
    else if (header !== '') hunk.headers.push(header);
    return hunk;
  }
  if (line.trim() === '*** End of File') {
    if (!open) throw invalidLine(at, line, 'it ends no hunk');
    open.atEnd = true;
    return undefined;
  }
  const kind = line[0];
  if (line === '') {
    // An empty line of context often lacks its space. One after the last hunk is a separator.
    if (open) open.lines.push({ kind: ' ', text: '' });
    return open;
  }
  if (kind !== ' ' && kind !== '-' && kind !== '+')
    throw invalidLine(at, line, 'lines of a hunk begin with a space, - or +');
  const hunk = open ?? begin();
  hunk.lines.push({ kind, text: line.slice(1) });
  return hunk;
}

function checkPatch(patch: FilePatch): FilePatch {
  for (const hunk of patch.hunks) {
    while (hunk.lines.length > 1 && hunk.lines.at(-1)!.kind === ' ' && hunk.lines.at(-1)!.text === '' && !hunk.atEnd)
      hunk.lines.pop();
  }
  patch.hunks = patch.hunks.filter((hunk) => hunk.lines.some((line) => line.kind !== ' '));
  if (patch.kind === 'update' && patch.hunks.length === 0 && patch.moveTo === undefined) {
    throw toolFailed(`The patch updates ${patch.path} but has no + or - line for it.`);
  }
  return patch;
}

function invalidLine(at: number, line: string, why: string): KlausError {
  return toolFailed(`Line ${at + 1} of the patch is invalid: ${JSON.stringify(headOf(line, 120))}; ${why}.`);
}
