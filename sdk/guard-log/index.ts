export { type DecisionQuery, GuardLog, type RatesQuery } from './guard-log.ts';
export { type GuardDecision, type GuardRates, toDecider } from './guard-rates.ts';
