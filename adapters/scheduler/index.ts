export { EmbeddedScheduler, type EmbeddedOptions } from './embedded/embedded-scheduler.ts';
export { VERSION as TEMPORAL_VERSION } from './temporal/packages.ts';
export type { TemporalOptions, TemporalTls, TenantShare } from './temporal/temporal-options.ts';
export { openTemporalScheduler, type TemporalScheduler } from './temporal/temporal-scheduler.ts';
