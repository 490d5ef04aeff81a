import { decideCall } from '../calls/decide-call.ts';
import { findOutcome } from '../calls/find-outcome.ts';
import { loadInstructions } from '../context/instructions.ts';
import { toReceipt } from '../evidence/check-receipt.ts';
import { compareEvidence } from '../evidence/compare-evidence.ts';
import { openLayersOf, openSnapshotsOf } from '../folders/open-folders.ts';
import { planRetry } from '../model/plan-retry.ts';
import { findKnownCommits } from '../places/known-commits.ts';
import { reportUnprotected } from '../places/report-unprotected.ts';
import { applyAccepted } from '../workspace/apply-accepted.ts';
import { guardWorkspace } from '../workspace/guard-workspace.ts';
import { reviewChanges } from '../workspace/review-changes.ts';
import { makeCheckpoint } from './make-checkpoint.ts';
import type { Activities } from './work.ts';

/** Performs the activities in the real workspace. */
export const LIVE_ACTIVITIES: Activities = {
  openSnapshots: openSnapshotsOf,
  openLayers: openLayersOf,
  judge: decideCall,
  recover: findOutcome,
  reviewChanges,
  applyAccepted,
  guardWorkspace,
  reportUnprotected,
  findKnownCommits,
  loadInstructions,
  checkpoint: makeCheckpoint,
  toReceipt,
  closeEvidence: compareEvidence,
  planRetry,
};
