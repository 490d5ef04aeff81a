import { z } from 'zod';
import { blobSchema } from './messages/blob.ts';
import { fileChangeSchema } from './changes/change.ts';
import { commandSchema } from './command.ts';
import { envelopeSchema, eventBodySchema } from './events/event.ts';
import { checkSchema, claimSchema, evidenceSchema, receiptSchema } from './events/evidence.ts';
import { authoritySchema, grantSchema } from './authority/grant.ts';
import { hostEnvelopeSchema, hostEventBodySchema } from './events/host-event.ts';
import { limitsSchema } from './settings/limits.ts';
import { messageSchema, partSchema } from './messages/message.ts';
import { policyFileSchema } from './settings/policy-file.ts';
import { toConfigSchema } from './settings/settings.ts';
import { usageSchema } from './events/usage.ts';
import { findingSchema } from './authority/verdict.ts';

// Not exported by the package's index: it registers names for the shapes, which only generators need.

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Shapes that have a name in the reference. All others are written where they are used. */
const SHAPES = {
  Authority: authoritySchema,
  Blob: blobSchema,
  Check: checkSchema,
  Claim: claimSchema,
  Evidence: evidenceSchema,
  FileChange: fileChangeSchema,
  Finding: findingSchema,
  Grant: grantSchema,
  Limits: limitsSchema,
  Message: messageSchema,
  Part: partSchema,
  Receipt: receiptSchema,
  Usage: usageSchema,
} as const;

for (const [id, schema] of Object.entries(SHAPES)) z.globalRegistry.add(schema, { ...schema.meta(), id });

/** Every event with its envelope: one definition for each type. */
export function toEventsJsonSchema(): JsonSchema {
  const events = eventBodySchema.options.map((body) => toRecord(envelopeSchema, body, body.shape.type.value));
  return toDocument(z.union(events), 'Event', 'One durable record of a session.');
}

/** Every host event with its envelope. The names of the definitions start with `host:`, because some types are also types of events. */
export function toHostEventsJsonSchema(): JsonSchema {
  const events = hostEventBodySchema.options.map((body) =>
    toRecord(hostEnvelopeSchema, body, `host:${body.shape.type.value}`),
  );
  const description = 'One record of the host chain, which is separate from the chains of the sessions.';
  return toDocument(z.union(events), 'HostEvent', description);
}

function toRecord(envelope: z.ZodObject, body: z.ZodObject, id: string): z.ZodObject {
  return z.object({ ...envelope.shape, ...body.shape }).meta({ id, description: body.description });
}

export function toPolicyJsonSchema(): JsonSchema {
  return toDocument(policyFileSchema, 'Policy', "A policy file: the user's own or a project's.");
}

export function toCommandsJsonSchema(): JsonSchema {
  return toDocument(commandSchema, 'Command', 'A request to a session.');
}

export function toConfigJsonSchema(): JsonSchema {
  return toDocument(toConfigSchema(), 'Configuration', "Klaus's configuration file.");
}

function toDocument(schema: z.ZodType, title: string, description: string): JsonSchema {
  // `input`: readers must accept fields that a later version adds.
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return { $schema, title, description, ...rest } as JsonSchema;
}

/** The bounds of safe integers are of no use to a reader. */
function dropNoise(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
