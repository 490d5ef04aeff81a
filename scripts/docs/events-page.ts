import { envelopeSchema, eventBodySchema, hostEnvelopeSchema, hostEventBodySchema } from '../../core/protocol/index.ts';
import {
  toCommandsJsonSchema,
  toEventsJsonSchema,
  toHostEventsJsonSchema,
  type JsonSchema,
} from '../../core/protocol/json-schema.ts';
import { toPage } from './markdown.ts';
import { toFieldTable, toShape } from './shape.ts';

const ENVELOPE = new Set([...Object.keys(envelopeSchema.shape), 'type']);

const HOST_ENVELOPE = new Set([...Object.keys(hostEnvelopeSchema.shape), 'type']);

const EVENTS: ReadonlySet<string> = new Set(eventBodySchema.options.map((event) => event.shape.type.value));

/** `docs/reference/events.md`: every event, every command, and the shapes they share. */
export function toEventsPage(): string {
  const events = toEventsJsonSchema();
  const commands = toCommandsJsonSchema();
  const host = hostEventBodySchema.options.map(
    (body) => toHostEventsJsonSchema().$defs![`host:${body.shape.type.value}`]!,
  );
  const definitions = { ...commands.$defs, ...events.$defs };
  const isEvent = ([name]: [string, unknown]) => EVENTS.has(name);
  const types = Object.entries(definitions).filter(isEvent);
  const shapes = Object.entries(definitions).filter((entry) => !isEvent(entry));
  return toPage(
    '# Events and commands',
    'The log of a session consists of events. `klaus run --json` prints them, one JSON object per line. A field with `?` may be absent. Readers must ignore unknown fields.',
    'JSON Schemas: [events](events.schema.json), [commands](commands.schema.json), [host events](host-events.schema.json).',
    '## Events',
    'Every event has these fields.',
    toFieldTable(toEnvelope(types[0]![1])),
    ...types.flatMap(([name, schema]) => [`### ${name}`, schema.description ?? '', toFieldTable(schema, ENVELOPE)]),
    '## Host events',
    'Records that outlive a session are in the host chain, one for each machine. `klaus audit show --host --json` prints them. Every host event has these fields.',
    toFieldTable(toEnvelope(host[0]!, HOST_ENVELOPE)),
    ...host.flatMap((schema, index) => [
      `### host: ${hostEventBodySchema.options[index]!.shape.type.value}`,
      schema.description ?? '',
      toFieldTable(schema, HOST_ENVELOPE),
    ]),
    '## Commands',
    'A command is a request to a session. It is stored in the inbox until the process that holds the session turns it into events.',
    ...(commands.oneOf ?? []).flatMap((member) => {
      const command = member as JsonSchema;
      const { const: type } = command.properties!['type'] as JsonSchema;
      return [`### ${String(type)}`, command.description ?? '', toFieldTable(command, new Set(['type']))];
    }),
    '## Shapes',
    ...shapes
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, schema]) => [
        `### ${name}`,
        ...(schema.description ? [schema.description] : []),
        toShape(schema),
      ]),
  );
}

function toEnvelope(event: JsonSchema, envelope: ReadonlySet<string> = ENVELOPE): JsonSchema {
  const inEnvelope = ([name]: [string, unknown]) => envelope.has(name);
  const properties = Object.fromEntries(Object.entries(event.properties ?? {}).filter(inEnvelope));
  return {
    required: Object.keys(properties),
    properties: { ...properties, type: { type: 'string', description: 'The type of the event.' } },
  };
}
