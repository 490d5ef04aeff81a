import { z } from 'zod';

export const hunkKindSchema = z
  .enum(['text', 'created', 'deleted', 'binary', 'symlink', 'mode', 'type'])
  .describe(
    '`text`: lines of a file; `binary`: a content without lines, or with too many; `type`: a file, folder or link that takes the place of another kind. All but `text` stand for the whole of what they name.',
  );

export const hunkSchema = z.object({
  id: z.string().describe('`path#n`, from 1; the same for the same change.'),
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  kind: hunkKindSchema,
  oldStart: z.int().describe('First line, from 1, as in a unified diff: the line before when there are no lines.'),
  oldLines: z.int(),
  newStart: z.int().describe('The same afterwards, when every hunk of the file is taken.'),
  newLines: z.int(),
  lines: z
    .array(z.string())
    .describe(
      'Each with a blank, `-` or `+` in front and without its line feed; a line that begins with a backslash says that the one before it has none.',
    ),
  note: z.string().optional().describe('What happens, for what cannot be shown in lines.'),
});
/** The smallest part of a change that can be accepted or rejected by itself. */
export type Hunk = z.infer<typeof hunkSchema>;

/** True for a hunk that has lines of its own to put others in place of. */
export function isEditable(hunk: Hunk | undefined): boolean {
  return hunk !== undefined && (hunk.kind === 'text' || hunk.kind === 'created') && hunk.note === undefined;
}
