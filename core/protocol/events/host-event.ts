import { z } from 'zod';
import { checkSchema } from './evidence.ts';
import { recordedLimitsSchema } from '../settings/limits.ts';
import { modeSchema } from '../authority/mode.ts';
import { reviewSchema } from '../authority/review.ts';

/** Version of the shapes of host events. */
export const HOST_EVENT_VERSION = 1;

const session = { session: z.string() };
/** The end of the session's chain at the time of the event. It reveals records that are removed from the end later. */
const end = {
  records: z.int().describe('Number of records of the session at that time.'),
  head: z.string().describe('SHA-256 of the last of these records.'),
};
const by = z.string().describe('The door that did it, or `klaus` for the engine itself.');

export const sessionAnchored = z
  .object({
    type: z.literal('session.anchored'),
    ...session,
    ...end,
    after: z.string().describe('Type of the session event with which it was appended, such as `run.finished`.'),
  })
  .describe(
    "The end of a session's chain when the session was opened or closed, a run ended, or an approval was asked for.",
  );

export const sessionDeleted = z
  .object({
    type: z.literal('session.deleted'),
    ...session,
    ...end,
    by,
    remembered: z
      .array(z.object({ approval: z.string(), hash: z.string() }))
      .optional()
      .describe(
        'Its approvals for the project, which remain, each with the SHA-256 of its row. Absent: an earlier version did not record them.',
      ),
  })
  .describe('A session was deleted. This is the only record of it.');

export const sessionExported = z
  .object({ type: z.literal('session.exported'), ...session, ...end, format: z.string(), by })
  .describe('A complete session was exported as one document. The event is appended before the first byte is written.');

export const sessionMoved = z
  .object({
    type: z.literal('session.moved'),
    ...session,
    ...end,
    place: z
      .string()
      .describe('Where it runs: a state folder as `host:path`, or a database as `postgres://host:port/name`.'),
    by,
  })
  .describe('A session was moved. Its records remain, and it does not run here any more.');

export const sessionImported = z
  .object({
    type: z.literal('session.imported'),
    ...session,
    ...end,
    place: z.string().describe('From where it was copied, as in `session.moved`.'),
    hostRecords: z.int().describe('Number of records of the host chain there.'),
    hostHead: z.string().describe('SHA-256 of the last of them. That chain has the earlier records about the session.'),
    isCopy: z.boolean().describe('True for a copy that does not run here.'),
    by,
  })
  .describe('Records of a session were copied from another store, whose host chain covers them.');

export const approvalSettled = z
  .object({
    type: z.literal('approval.answered'),
    ...session,
    ...end,
    approval: z.string(),
    answer: z.enum(['approved', 'rejected', 'expired', 'superseded']),
    by,
    scope: z.string().optional().describe('Present when the answer applies to more than one call.'),
  })
  .describe('An approval of a session was answered.');

const approvalRescoped = z
  .object({
    type: z.literal('approval.changed'),
    ...session,
    ...end,
    approval: z.string(),
    scope: z.string().describe('`once`: it was revoked.'),
    by,
  })
  .describe('The scope of a given approval was changed later.');

export const approvalForgotten = z
  .object({
    type: z.literal('approval.forgotten'),
    workspace: z.string().describe('Absolute real path.'),
    approval: z.string(),
    agent: z.string(),
    by,
  })
  .describe('An approval for every session of a workspace was revoked.');

export const grantReplaced = z
  .object({ type: z.literal('grant.changed'), ...session, ...end, reason: z.string() })
  .describe('The authority of a session changed: a grant was revoked or an approval widened it.');

export const sessionReset = z
  .object({
    type: z.literal('session.changed'),
    ...session,
    ...end,
    mode: modeSchema.optional(),
    limits: recordedLimitsSchema.optional(),
    model: z.string().optional(),
  })
  .describe('Mode, limits or model of a session changed. Only the changed fields are present.');

export const workspacePutBack = z
  .object({ type: z.literal('workspace.restored'), ...session, ...end, kind: z.string(), files: z.int(), by })
  .describe('Files of a workspace were restored to an earlier state.');

export const configurationChangeSchema = z.object({
  key: z.string().describe('The setting.'),
  before: z.string().nullable().describe('Null where it was unset. For a secret, only that it is set.'),
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
    workspace: z.string().describe('Absolute real path. Each workspace is compared with its own last run.'),
    hash: z
      .string()
      .describe('SHA-256 over the settings and policy files in force. The same files and settings have the same hash.'),
    changes: z
      .array(configurationChangeSchema)
      .describe(
        'Settings that affect safety, cost or privacy and differ from the last run in this workspace, or from the defaults for the first run.',
      ),
    policies: z.array(policySourceSchema).describe('The policy files in force.'),
  })
  .describe('A run in a workspace started with other settings or another policy than the last run.');

const lost = {
  lostFrom: z.int().optional(),
  last: z.int().optional(),
  anchor: z.object(end).optional(),
};

export const databaseRecovered = z
  .object({
    type: z.literal('database.recovered'),
    damaged: z.array(z.string()).describe('Names of the damaged files. They were renamed and not deleted.'),
    sessions: z
      .array(z.object({ ...session, saved: z.int(), head: z.string(), ...lost }))
      .describe(
        'For each session, the number of saved records, the hash of the last one, the first one that was left out, the number of the last one that is known to have existed, and the last end of its chain that the host chain contained before.',
      ),
    host: z
      .object({ saved: z.int(), ...lost })
      .omit({ anchor: true })
      .describe('The same for the host chain.'),
    unread: z
      .array(z.string())
      .optional()
      .describe('Other tables of which rows could not be read. Absent: none, or the version did not record it.'),
  })
  .describe('A damaged database was replaced by the records that could be read from it.');

const agentUsed = z
  .object({
    type: z.literal('agent.used'),
    agent: z.string().describe('Its name; `klaus` for the built-in one.'),
    by,
  })
  .describe('A chat with an agent ended normally. Only logs of earlier versions have it.');

const modeChosen = z
  .object({
    type: z.literal('mode.chosen'),
    mode: modeSchema,
    setting: modeSchema
      .optional()
      .describe(
        'The setting `approve` of the user at that time; the choice is void once it has another value. Absent where an option, a variable or a project file overrode it.',
      ),
    person: z.string().describe('Who signed in to the server; empty for the user who runs Klaus.'),
    by,
  })
  .describe('A user chose an approval mode. New sessions of this user begin with it.');

const guarded = {
  workspace: z.string().describe('Absolute real path of the project.'),
  guarded: z.string().describe('Id of the session of Claude Code.'),
};

const guardDecided = z
  .object({
    type: z.literal('guard.decided'),
    ...guarded,
    event: z.string().describe('The event of the hook, such as `PreToolUse`.'),
    agent: z.string().optional().describe('Type of the subagent; absent for the main one.'),
    call: z.string().optional().describe('Id of the tool call.'),
    tool: z.string().optional().describe('Name of the tool.'),
    text: z.string().describe('The call or message in one line, at most 500 characters. Secrets are redacted.'),
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: z.string().describe('Name of the rule or reviewer that decided.'),
    reason: z.string(),
    reviews: z.array(reviewSchema).optional().describe('What the reviewers found, in order.'),
    key: z.string().optional().describe('Hash of the call, for `guard.observed` of the kind `allowed`.'),
  })
  .describe('The guard decided about a call, or an end of a turn, of Claude Code.');

const guardObserved = z
  .object({
    type: z.literal('guard.observed'),
    ...guarded,
    what: z.enum(['started', 'prompt', 'edited', 'checked', 'failed', 'allowed']),
    text: z.string().describe('At most 500 characters. Secrets are redacted.'),
    passed: z.boolean().optional().describe('For `checked`: whether all checks passed.'),
    checks: z.array(checkSchema).optional().describe('For `checked`: what was checked.'),
    doubt: z.string().optional().describe('For `checked`: why its exit code proves nothing.'),
    state: z
      .string()
      .optional()
      .describe('Digest of the files of the project that are not ignored: for `checked` as the checks saw them.'),
  })
  .describe(
    'What the guard saw: a session started, a prompt of the user, an edit, a check, a failed call; or a call that the user allowed for an hour, by its hash.',
  );

const guardChanged = z
  .object({
    type: z.literal('guard.changed'),
    workspace: z
      .string()
      .describe(
        'Absolute real path of the project. For settings of the user or the machine, the folder of the settings.',
      ),
    of: z
      .string()
      .describe('Absolute path of the settings file with the hooks. For a missed session, its id in Claude Code.'),
    place: z.enum(['user', 'project', 'managed']).optional().describe('Whose settings they are.'),
    state: z
      .enum(['on', 'off', 'removed', 'missed', 'dismissed'])
      .describe(
        '`on` installed and intact; `off` calls are not judged, or all are denied; `removed` uninstalled; `missed` a session ran without the guard; `dismissed` the user has seen the report.',
      ),
    reason: z.string(),
    hook: z.string().optional().describe('SHA-256 of the installed hook program.'),
  })
  .describe('The guard was installed, switched off, restored or removed, or a session of Claude Code ran without it.');

export const hostEventBodySchema = z.discriminatedUnion('type', [
  sessionAnchored,
  sessionDeleted,
  sessionExported,
  sessionMoved,
  sessionImported,
  approvalSettled,
  approvalRescoped,
  approvalForgotten,
  grantReplaced,
  sessionReset,
  workspacePutBack,
  configurationChanged,
  databaseRecovered,
  agentUsed,
  modeChosen,
  guardDecided,
  guardObserved,
  guardChanged,
]);

export const hostEnvelopeSchema = z.object({
  v: z.literal(HOST_EVENT_VERSION),
  seq: z.int().describe('From 1, without gaps, over all sessions.'),
  prev: z.string().describe('SHA-256 of the previous record; 64 zeros for the first.'),
  at: z.number().describe('Unix milliseconds.'),
});

export const hostEventSchema = z.intersection(hostEnvelopeSchema, hostEventBodySchema);

/** A host event as it is appended. The store adds the envelope. */
export type HostEventBody = z.infer<typeof hostEventBodySchema>;
export type HostEventType = HostEventBody['type'];
/** A record of this machine's store. The host chain is separate from the chains of the sessions. */
export type HostEvent = z.infer<typeof hostEnvelopeSchema> & HostEventBody;
export type HostEventOf<T extends HostEventType> = z.infer<typeof hostEnvelopeSchema> &
  Extract<HostEventBody, { type: T }>;
