import { z } from 'zod';
import { defineSetting } from '../setting.ts';

/** Settings of what is exported to OpenTelemetry. */
export const TELEMETRY_SETTINGS = {
  'telemetry.traces': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_OTEL',
    description:
      'Send runs as spans to an OpenTelemetry collector. The standard variables, such as OTEL_EXPORTER_OTLP_ENDPOINT, set its address.',
  }),
  'telemetry.content': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_OTEL_CONTENT',
    description: 'Include messages, tool inputs and tool outputs in these spans, as they are in the log.',
  }),
} as const;
