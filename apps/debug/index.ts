export { arm, armFor } from './capture/lazy-arm.ts';
export type { Armed, ArmOptions } from './capture/arm.ts';
export { ContextCallable, ContextItem } from './investigate/context.ts';
export type { Context } from './investigate/context.ts';
export { investigate } from './investigate/investigate.ts';
export type { Investigation } from './investigate/investigate.ts';
export { KlendathuError } from './investigate/klendathu-error.ts';
export type { InvestigateOptions, LogEvent, Mode, RunOptions, RunParts } from './investigate/options.ts';
export { Report } from './investigate/report.ts';
export type { Stats } from './investigate/report.ts';
export { implement } from './implement/implement.ts';
export type { Implementation, ImplementOptions } from './implement/implement.ts';
export type { SchemaInput, SchemaOutput } from './implement/schema-input.ts';
export type { HookOptions } from './hooks/background.ts';
export { install } from './hooks/install.ts';
export type { InstallOptions } from './hooks/install.ts';
export { expressErrorHandler, fastifyPlugin, honoOnError } from './hooks/servers.ts';
export { wrap } from './hooks/wrap.ts';
export type {
  Access,
  Budget,
  Evidence,
  FailureCode,
  Findings,
  Fix,
  ReportData,
  RootCause,
  StatusMessage,
  Summary,
} from './contract/index.ts';
