// Covers adapters/sandboxes: a sample of ways out of the sandbox.
import { declareEscapes } from './suite.ts';

// A sample of each kind; `npm run test:escape` runs all cases.
await declareEscapes({ every: 53, driver: 'bubblewrap' });
