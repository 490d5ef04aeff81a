export { EmbeddedScheduler, type EmbeddedOptions } from './embedded/embedded-scheduler.ts';
