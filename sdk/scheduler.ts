export {
  EmbeddedScheduler,
  openTemporalScheduler,
  type EmbeddedOptions,
  type TemporalOptions,
  type TemporalScheduler,
  type TemporalTls,
} from '@klaus/adapters/scheduler';
export type {
  RunAttempt,
  RunOutcome,
  RunScheduler,
  RunSession,
  RunStatus,
  RunWorker,
  WakeReason,
} from '@klaus/core/agent';
