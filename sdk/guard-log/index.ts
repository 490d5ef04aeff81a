export { type DecisionQuery, GuardLog, type RatesQuery } from './guard-log.ts';
export {
  dismissGuardState,
  foldGuardStates,
  type GuardAlert,
  type GuardState,
  readGuardStates,
  toGuardAlerts,
} from './guard-states.ts';
export { type GuardDecision, type GuardRates, toDecider } from './guard-rates.ts';
