import { declareEscapes } from './suite.ts';

// A few of every kind; `npm run test:escape` runs them all.
await declareEscapes(13);
