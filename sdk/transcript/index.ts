export { describeChain } from './describe-chain.ts';
export { describeCall, describeParts } from './describe-call.ts';
export { describeEscalation, describeProcessChange, describeProcessState } from './describe-call.ts';
export { describeOutputPart } from './describe-output-part.ts';
export { describeFact, type FactLine } from './describe-fact.ts';
export { toEvidenceLines } from './evidence-lines.ts';
export {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatUsage,
  formatUsd,
} from './format.ts';
export { findModelFix, toFailedRequest, type FailedRequest, type FixCommands } from './model-fix.ts';
export { describeUninstalled, toFetch } from './uninstalled.ts';
export { toMarkdown } from './markdown.ts';
export { toTranscript, type Entry } from './transcript.ts';
export { describeAmount, describeUse, describeUsed, formatAmount, toMore } from '@klaus/core/limit-text';
