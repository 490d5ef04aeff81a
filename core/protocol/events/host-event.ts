import { z } from 'zod';
import { limitsSchema } from '../settings/limits.ts';
import { modeSchema } from '../authority/mode.ts';

/** Version of the shapes of host events. */
export const HOST_EVENT_VERSION = 1;

const session = { session: z.string() };
/** Where the chain of a session ended at that moment. What is cut off later, this still knows of. */
const end = {
  records: z.int().describe('Records that the session had then.'),
  head: z.string().describe('SHA-256 of the last of them.'),
};
const by = z.string().describe('Who did it: a door, or `klaus` for what the engine settles itself.');

export const sessionAnchored = z
  .object({
    type: z.literal('session.anchored'),
    ...session,
    ...end,
    after: z.string().describe('The session event that it was made with, such as `run.finished`.'),
  })
  .describe("Where a session's chain ended: when it was opened or closed, a run ended, or a question was asked.");

export const sessionDeleted = z
  .object({ type: z.literal('session.deleted'), ...session, ...end, by })
  .describe('A session was deleted. Nothing else of it is left.');

export const sessionExported = z
  .object({ type: z.literal('session.exported'), ...session, ...end, format: z.string(), by })
  .describe('A whole session was given out as one document. Recorded before the first byte.');

export const approvalSettled = z
  .object({
    type: z.literal('approval.answered'),
    ...session,
    ...end,
    approval: z.string(),
    answer: z.enum(['approved', 'rejected', 'expired', 'superseded']),
    by,
    scope: z.string().optional().describe('Present when the answer holds for longer than once.'),
  })
  .describe('A question of a session was settled.');

export const approvalForgotten = z
  .object({
    type: z.literal('approval.forgotten'),
    workspace: z.string().describe('Absolute real path.'),
    approval: z.string(),
    agent: z.string(),
    by,
  })
  .describe('An approval that held for every session on a workspace holds no longer.');

export const grantReplaced = z
  .object({ type: z.literal('grant.changed'), ...session, ...end, reason: z.string() })
  .describe('The authority of a session changed: a grant was revoked or an approval widened it.');

export const sessionReset = z
  .object({
    type: z.literal('session.changed'),
    ...session,
    ...end,
    mode: modeSchema.optional(),
    limits: limitsSchema.optional(),
    model: z.string().optional(),
  })
  .describe(
    'Mode, limits or model of one session were changed: what it may do, and spend. Only what changed is there.',
  );

export const workspacePutBack = z
  .object({ type: z.literal('workspace.restored'), ...session, ...end, kind: z.string(), files: z.int(), by })
  .describe('Files of a workspace were put back to an earlier state.');

export const configurationChangeSchema = z.object({
  key: z.string().describe('The setting.'),
  before: z.string().nullable().describe('Null where it was unset. Of a secret only that it is set.'),
  after: z.string().nullable(),
});
export type ConfigurationChange = z.infer<typeof configurationChangeSchema>;

export const policySourceSchema = z.object({
  path: z.string().describe('The file.'),
  hash: z.string().describe('SHA-256 of its text.'),
});
export type PolicySource = z.infer<typeof policySourceSchema>;

export const configurationChanged = z
  .object({
    type: z.literal('configuration.changed'),
    workspace: z.string().describe('Absolute real path: each workspace is compared with its own last run.'),
    hash: z
      .string()
      .describe('SHA-256 over the settings and policy files that hold now: the same ones have the same hash.'),
    changes: z
      .array(configurationChangeSchema)
      .describe(
        'Settings with a bearing on safety, money or privacy that differ from the last run there; for the first, from the defaults.',
      ),
    policies: z.array(policySourceSchema).describe('The policy files in force.'),
  })
  .describe('Work in a workspace goes on under other settings or another policy than the last time.');

export const databaseRecovered = z
  .object({
    type: z.literal('database.recovered'),
    damaged: z.array(z.string()).describe('Names of the files that were damaged; they are kept under other names.'),
    sessions: z
      .array(z.object({ ...session, saved: z.int(), head: z.string(), lostFrom: z.int().optional() }))
      .describe('Records saved of each session, the hash of the last, and the first one that is lost.'),
    host: z.object({ saved: z.int(), lostFrom: z.int().optional() }).describe('The same of this chain.'),
  })
  .describe('A damaged database was replaced by what could be read of it.');

export const hostEventBodySchema = z.discriminatedUnion('type', [
  sessionAnchored,
  sessionDeleted,
  sessionExported,
  approvalSettled,
  approvalForgotten,
  grantReplaced,
  sessionReset,
  workspacePutBack,
  configurationChanged,
  databaseRecovered,
]);

export const hostEnvelopeSchema = z.object({
  v: z.literal(HOST_EVENT_VERSION),
  seq: z.int().describe('From 1, without gaps, over all sessions.'),
  prev: z.string().describe('SHA-256 of the previous record; 64 zeros for the first.'),
  at: z.number().describe('Unix milliseconds.'),
});

export const hostEventSchema = z.intersection(hostEnvelopeSchema, hostEventBodySchema);

/** What is said; the store adds the envelope. */
export type HostEventBody = z.infer<typeof hostEventBodySchema>;
export type HostEventType = HostEventBody['type'];
/** A fact about this machine's store, in a chain of its own beside those of the sessions. */
export type HostEvent = z.infer<typeof hostEnvelopeSchema> & HostEventBody;
export type HostEventOf<T extends HostEventType> = z.infer<typeof hostEnvelopeSchema> &
  Extract<HostEventBody, { type: T }>;
