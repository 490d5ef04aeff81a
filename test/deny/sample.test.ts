import { declareDenials } from './suite.ts';

// A few of every kind; `npm run test:deny` tries them all, in every way.
declareDenials(11);
