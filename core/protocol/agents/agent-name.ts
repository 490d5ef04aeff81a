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

const PROJECT_PREFIX = 'project/';

/** How a definition of a project is named, so that it never has the name of an agent of the user. */
export function toProjectAgent(name: string): string {
  return PROJECT_PREFIX + name;
}

/** The name in `project/NAME`; undefined for another text. */
export function fromProjectAgent(reference: string): string | undefined {
  return reference.startsWith(PROJECT_PREFIX) ? reference.slice(PROJECT_PREFIX.length) : undefined;
}

/** How an agent is named where it is used: by its name, or `project/NAME` for the definition of the project. */
export const agentReferenceSchema = z
  .string()
  .refine((text) => agentNameSchema.safeParse(fromProjectAgent(text) ?? text).success, {
    error: 'a name has lower-case letters, digits and single hyphens, and can begin with `project/`',
  });
