export { EmbeddedScheduler, type EmbeddedOptions } from './embedded/embedded-scheduler.ts';
export type { TemporalOptions, TemporalTls } from './temporal/temporal-options.ts';
export { openTemporalScheduler, type TemporalScheduler } from './temporal/temporal-scheduler.ts';
