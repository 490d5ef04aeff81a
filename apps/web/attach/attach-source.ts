import type { Scope } from '../composer/mcp-prompts.ts';

/** What can be attached in addition to files. */
export const ATTACH_SOURCES = ['diff', 'commit', 'failure', 'issue'] as const;
export type AttachSource = (typeof ATTACH_SOURCES)[number];

/** Props of the form of one source. */
export interface SourceProps {
  /** Name of the draft. */
  draft: string;
  scope: Scope;
}
