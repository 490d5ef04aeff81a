// Covers core/policy, core/agent/state, adapters/tools/web: a sample of the ways to send data out after reading a page.
import { declareExfiltration } from './suite.ts';

// `npm run test:exfiltration` tries all of them.
declareExfiltration({ attacks: 9, twins: 8, proofs: 4 });
