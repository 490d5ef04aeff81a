import { z } from 'zod';

/**
 * One piece of authority. Absence is denial. Paths are absolute; a path covers everything below it.
 * `host: '*'` is any host, `port: 0` any port.
 */
export const authoritySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fs'),
    path: z.string().describe('Absolute; covers everything below it.'),
    rights: z.enum(['r', 'rw', 'rwx']),
  }),
  z.object({
    kind: z.literal('net'),
    host: z.string().describe('`*` is any host.'),
    port: z.int().describe('0 is any port.'),
  }),
  z.object({ kind: z.literal('exec') }).describe('Any command, but only inside the sandbox.'),
  z.object({ kind: z.literal('tool'), name: z.string().describe('One tool, or every tool with `*`.') }),
]);
export type Authority = z.infer<typeof authoritySchema>;

export const grantSchema = z.object({ authorities: z.array(authoritySchema) });
/** What a session may do: typed data that the host computes, never prompt text. */
export type Grant = z.infer<typeof grantSchema>;

/** One thing a call is about to touch; the gate asks the grant about each. */
export const accessSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fs'), path: z.string(), right: z.enum(['r', 'w']) }),
  z.object({ kind: z.literal('net'), host: z.string(), port: z.int() }),
  z.object({ kind: z.literal('exec'), command: z.string() }),
]);
export type Access = z.infer<typeof accessSchema>;
