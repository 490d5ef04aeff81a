import { z } from 'zod';

export const hunkKindSchema = z
  .enum(['text', 'created', 'deleted', 'binary', 'symlink', 'mode', 'type'])
  .describe(
    '`text`: lines of a file. `binary`: content without lines or with too many. `type`: a file, folder or link replaces an entry of another type. All kinds except `text` cover the complete entry.',
  );

export const hunkSchema = z.object({
  id: z.string().describe('`path#n`, from 1. The same change has the same id.'),
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  kind: hunkKindSchema,
  oldStart: z
    .int()
    .describe('First old line, from 1, as in a unified diff: the line before the hunk when it has no old lines.'),
  oldLines: z.int(),
  newStart: z.int().describe('First new line, when every hunk of the file is accepted.'),
  newLines: z.int(),
  lines: z
    .array(z.string())
    .describe(
      'Each line starts with a space, `-` or `+` and has no line feed. A line that starts with a backslash marks the line before it as having no line feed in the file.',
    ),
  note: z.string().optional().describe('Description of a change that cannot be shown as lines.'),
  hidden: z
    .literal(true)
    .optional()
    .describe('The change puts content in place that is not shown: it is binary or too large.'),
});
/** The smallest part of a change that can be accepted or rejected. */
export type Hunk = z.infer<typeof hunkSchema>;

/** True for a hunk that puts content in place which a user does not see. Only an explicit answer accepts it. */
export function isHidden({ hidden, kind }: Hunk): boolean {
  // Stored hunks of the kind `binary` may lack the mark.
  return hidden === true || kind === 'binary';
}

/** True for a hunk whose new lines can be edited. */
export function isEditable(hunk: Hunk | undefined): boolean {
  return hunk !== undefined && (hunk.kind === 'text' || hunk.kind === 'created') && hunk.note === undefined;
}
