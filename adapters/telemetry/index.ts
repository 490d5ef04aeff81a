export { createTracing } from './tracing.ts';
export type { Tracing, TracingOptions } from './tracing.ts';
