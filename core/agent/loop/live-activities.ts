import { findOwnState } from '../authors/own-state.ts';
import { decideCall } from '../calls/decide-call.ts';
import { findOutcome } from '../calls/find-outcome.ts';
import { readChildEnd } from '../children/child-end.ts';
import { closeChildOf, closeChildren } from '../children/close-child.ts';
import { toChildOpened } from '../children/plan-child.ts';
import { loadInstructions } from '../context/instructions.ts';
import { toReceipt } from '../evidence/check-receipt.ts';
import { compareEvidence } from '../evidence/compare-evidence.ts';
import { openLayersOf, openSnapshotsOf } from '../folders/open-folders.ts';
import { runAfterCall } from '../hooks/after-call.ts';
import { keepWorking, submitPrompt } from '../hooks/session-hooks.ts';
import { planFallback, triesFirst } from '../model/fallback.ts';
import { planRetry } from '../model/retry.ts';
import { findKnownCommits } from '../places/known-commits.ts';
import { askUser } from '../questions/ask-user.ts';
import { reportUnprotected } from '../places/report-unprotected.ts';
import { applyAccepted } from '../workspace/apply-accepted.ts';
import { findRejected } from '../workspace/find-rejected.ts';
import { guardWorkspace } from '../workspace/guard-workspace.ts';
import { reviewChanges } from '../workspace/review-changes.ts';
import { makeCheckpoint } from './make-checkpoint.ts';
import type { Activities } from './work.ts';

/**
 * Performs the activities in the real workspace. Names that are not needed before the first request to the model are
 * read in a call, so that the program loads their modules only then.
 */
export const LIVE_ACTIVITIES: Activities = {
  openSnapshots: openSnapshotsOf,
  openLayers: openLayersOf,
  judge: (...call) => decideCall(...call),
  recordChild: (...call) => toChildOpened(...call),
  readChildEnd: (...call) => readChildEnd(...call),
  closeChildOf: (...call) => closeChildOf(...call),
  closeChildren: (...call) => closeChildren(...call),
  recover: (...call) => findOutcome(...call),
  reviewChanges: (...call) => reviewChanges(...call),
  applyAccepted: (...call) => applyAccepted(...call),
  guardWorkspace: (...call) => guardWorkspace(...call),
  findRejected: (...call) => findRejected(...call),
  findOwnState: (...turn) => findOwnState(...turn),
  reportUnprotected: (...call) => reportUnprotected(...call),
  findKnownCommits: (...call) => findKnownCommits(...call),
  loadInstructions,
  askUser: (...call) => askUser(...call),
  afterCall: (...call) => runAfterCall(...call),
  submitPrompt: (...call) => submitPrompt(...call),
  keepWorking: (...call) => keepWorking(...call),
  checkpoint: (...call) => makeCheckpoint(...call),
  toReceipt: (...call) => toReceipt(...call),
  closeEvidence: (...call) => compareEvidence(...call),
  planRetry,
  planFallback: (...failed) => planFallback(...failed),
  triesFirst,
};
