// Covers core/policy/secrets, adapters/workspace/secrets, adapters/sandboxes/protection: a sample of ways to read a secret.
import { declareDenials } from './suite.ts';

// A few of every kind; `npm run test:deny` tries them all, in every way.
declareDenials(59);
