import { z } from 'zod';
import { summaryMessageSchema } from './status-message.ts';

export const rootCauseSchema = z.object({
  /** Path relative to the project, or absolute. */
  file: z.string(),
  /** From 1. */
  line: z.int().positive(),
  explanation: z.string(),
  /** From 0 to 1. */
  confidence: z.number().min(0).max(1),
});

export const evidenceSchema = z.object({
  /** What was looked at: an expression, a variable, or a place in a source. */
  source: z.string(),
  /** What was found there. */
  finding: z.string(),
});

export const fixSchema = z.object({
  /** A unified diff against the files of the project. It is not applied. */
  unifiedDiff: z.string(),
  risk: z.enum(['low', 'medium', 'high']),
});

/** What the agent reports: the input of the tool `report`. */
export const findingsSchema = z.object({
  /** The answer in prose, as Markdown. */
  text: z.string(),
  rootCause: rootCauseSchema.optional(),
  evidence: z.array(evidenceSchema).default([]),
  fix: fixSchema.optional(),
});

/** What `klendathu-cli --json` prints on its standard output. */
export const reportSchema = findingsSchema.extend({
  stats: summaryMessageSchema.omit({ type: true, timestamp: true }),
});

export type RootCause = z.infer<typeof rootCauseSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;
export type Fix = z.infer<typeof fixSchema>;
export type Findings = z.infer<typeof findingsSchema>;
export type ReportData = z.infer<typeof reportSchema>;
