export { EmbeddedScheduler, type EmbeddedOptions } from '@klaus/adapters/scheduler';
export type {
  RunAttempt,
  RunOutcome,
  RunScheduler,
  RunSession,
  RunStatus,
  RunWorker,
  WakeReason,
} from '@klaus/core/agent';
