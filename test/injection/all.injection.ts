import { declareBadInput } from './bad-input.ts';
import { declareInjections } from './suite.ts';

declareInjections(1);
declareBadInput({ every: 1 });
