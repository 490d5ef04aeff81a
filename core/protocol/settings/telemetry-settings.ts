import { z } from 'zod';
import { defineSetting } from './setting.ts';

/** Settings of what is exported to OpenTelemetry. */
export const TELEMETRY_SETTINGS = {
  'telemetry.traces': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_OTEL',
    description:
      'Whether runs are told to an OpenTelemetry collector as spans. The standard variables say where it is: OTEL_EXPORTER_OTLP_ENDPOINT and its like.',
    project: 'never',
  }),
  'telemetry.content': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_OTEL_CONTENT',
    description: 'Whether those spans hold what was said, asked and answered too, as it stands in the log.',
    project: 'never',
  }),
} as const;
