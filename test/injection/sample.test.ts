// Covers core/policy, adapters/tools: a sample of injected instructions, and bad input for every tool.
import { declareBadInput } from './bad-input.ts';
import { declareInjections } from './suite.ts';

// A few of every kind; `npm run test:injection` tries them all.
declareInjections(71);
declareBadInput({ every: 6 });
