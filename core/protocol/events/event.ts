import { z } from 'zod';
import { approvalAnswered, approvalAsked, approvalChanged, grantChanged, grantEscalated } from './approval-event.ts';
import { childClosed, childFinished, childOpened } from './child-event.ts';
import {
  compactionRequested,
  contextCompacted,
  contextPinned,
  contextUnpinned,
  messageAdded,
} from './context-event.ts';
import { contentRefused } from './refusal-event.ts';
import { modelAttempted, modelRequested, turnFinished, turnStarted } from './model-event.ts';
import { processChanged } from './process-event.ts';
import { runnerOpened } from './runner-event.ts';
import { runFinished, runStarted, usageCounted } from './run-event.ts';
import { sessionChanged, sessionClosed, sessionOpened } from './session-event.ts';
import { gateDecided, toolFinished, toolStarted, toolWaiting } from './tool-event.ts';
import {
  evidenceVerified,
  workingCopyEnded,
  workspaceCommitted,
  workspaceRestored,
  workspaceSnapshotted,
} from './workspace-event.ts';

/** Version of the event shapes. A change of a name or a meaning raises it and adds an upcaster. */
export const EVENT_VERSION = 3;

/** `prev` of the first record of a session. */
export const FIRST_PREV = '0'.repeat(64);

export const notice = z
  .object({
    type: z.literal('notice'),
    run: z.string().optional(),
    level: z.enum(['info', 'warn', 'error']),
    text: z.string(),
  })
  .describe('A message for the user that changes no state.');

export const eventBodySchema = z.discriminatedUnion('type', [
  sessionOpened,
  sessionChanged,
  sessionClosed,
  runStarted,
  runFinished,
  runnerOpened,
  turnStarted,
  modelRequested,
  modelAttempted,
  turnFinished,
  messageAdded,
  gateDecided,
  toolStarted,
  toolWaiting,
  toolFinished,
  approvalAsked,
  approvalAnswered,
  approvalChanged,
  grantChanged,
  grantEscalated,
  childOpened,
  childFinished,
  childClosed,
  workspaceSnapshotted,
  workspaceRestored,
  workspaceCommitted,
  workingCopyEnded,
  evidenceVerified,
  compactionRequested,
  contextCompacted,
  contextPinned,
  contextUnpinned,
  contentRefused,
  processChanged,
  usageCounted,
  notice,
]);

export const envelopeSchema = z.object({
  v: z.literal(EVENT_VERSION),
  seq: z.int().describe('From 1, without gaps. One process at a time appends to a session.'),
  prev: z.string().describe('SHA-256 of the previous record; 64 zeros for the first.'),
  session: z.string(),
  at: z.number().describe('Unix milliseconds.'),
});

export const eventSchema = z.intersection(envelopeSchema, eventBodySchema);

/** An event as the loop appends it. The store adds the envelope. */
export type EventBody = z.infer<typeof eventBodySchema>;
export type EventType = EventBody['type'];
export type Envelope = z.infer<typeof envelopeSchema>;
/** One durable, immutable record of a session. */
export type Event = Envelope & EventBody;
export type EventOf<T extends EventType> = Envelope & Extract<EventBody, { type: T }>;
