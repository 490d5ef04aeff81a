export { combine, decide } from './gate.ts';
export { toDefaultGrant } from './grant.ts';
export { createRedactor, type Redactor, type RedactorOptions, type SecretHit } from './redactor.ts';
export { RULES } from './rules.ts';
export type { CallFacts, GateContext, Rule } from './rule.ts';
export { SECRET_RULES, type SecretRule } from './secret-rules.ts';
