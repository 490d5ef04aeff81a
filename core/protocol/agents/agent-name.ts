import { z } from 'zod';

/** Words that commands and capabilities use. An agent with such a name could not be addressed. */
export const RESERVED_AGENT_NAMES: ReadonlySet<string> = new Set([
  'all',
  'default',
  'help',
  'klaus',
  'list',
  'main',
  'new',
  'none',
  'parent',
  'self',
  'user',
]);

/**
 * The name of an agent: lower-case letters, digits and single hyphens, at most 64 characters. It names a file, so it
 * contains no path.
 */
export const agentNameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'a name has lower-case letters, digits and single hyphens')
  .refine((name) => !RESERVED_AGENT_NAMES.has(name), 'this name is reserved');
