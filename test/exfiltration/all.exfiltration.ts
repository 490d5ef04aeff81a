import { declareExfiltration } from './suite.ts';

declareExfiltration({ attacks: 1, twins: 1, proofs: 1 });
