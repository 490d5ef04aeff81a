import { z } from 'zod';
import type { Diagnostic } from './diagnostics.ts';

const reportSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullish(),
        severity: z.number(),
        message: z.string(),
        line: z.number().optional(),
        column: z.number().optional(),
      }),
    ),
  }),
);

/**
 * Parses the output of `eslint --format json`. Undefined for other output.
 *
 * @param root Absolute path of the workspace, which is removed from the paths.
 */
export function toEslintDiagnostics(stdout: string, root: string): { files: number; found: Diagnostic[] } | undefined {
  const report = reportSchema.safeParse(parse(stdout));
  if (!report.success) return undefined;
  const found = report.data.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, message, line = 0, column = 0 }) => ({
      path: filePath.startsWith(`${root}/`) ? filePath.slice(root.length + 1) : filePath,
      line,
      column,
      severity: severity >= 2 ? ('error' as const) : ('warning' as const),
      code: ruleId ?? '',
      message: message.replaceAll(/\s+/g, ' '),
    })),
  );
  return { files: report.data.length, found };
}

/** A plug-in may have written lines before the report. */
function parse(stdout: string): unknown {
  const begin = stdout.startsWith('[') ? 0 : stdout.indexOf('\n[') + 1;
  try {
    return JSON.parse(stdout.slice(begin));
  } catch {
    return undefined;
  }
}
