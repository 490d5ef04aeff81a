import { type HrTime, type Link, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FinishedSpan, SpanId } from './finished-span.ts';

/** Milliseconds for which the end of a process waits for the collector. */
const FLUSH_MS = 1_500;
/** Most spans in the queue; further ones are dropped. */
const MAX_QUEUE = 4_096;

/**
 * Sends spans to a collector in the background, as OTLP over HTTP with JSON. Failures of the collector are ignored.
 * Address, headers, time-out and resource come from the standard variables: `OTEL_EXPORTER_OTLP_ENDPOINT` (default
 * `http://localhost:4318`), `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` …
 *
 * @param version Version of Klaus.
 */
export function createSpanSink(version: string) {
  const resource = resourceFromAttributes({ 'service.name': 'klaus', 'service.version': version }).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  );
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), maxQueueSize: MAX_QUEUE });
  const origin = { resource, instrumentationScope: { name: 'klaus', version } };
  return {
    export(spans: readonly FinishedSpan[]): void {
      for (const span of spans) processor.onEnd(toReadable(span, origin));
    },
    /** Sends the queue, for at most 1.5 seconds. */
    async close(): Promise<void> {
      const flushed = processor.shutdown().catch(() => {});
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
      await Promise.race([flushed, late]);
      clearTimeout(timer);
    },
  };
}

type Origin = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

function toReadable(span: FinishedSpan, origin: Origin): ReadableSpan {
  const { trace, parent, failure } = span;
  return {
    name: span.name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => toContext(span),
    ...(parent === undefined ? {} : { parentSpanContext: toContext({ trace, span: parent }) }),
    startTime: toTime(span.startedAt),
    endTime: toTime(span.endedAt),
    duration: toTime(Math.max(0, span.endedAt - span.startedAt)),
    status: failure === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: failure },
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
    ),
    links: span.links.map((link): Link => ({
      context: toContext(link),
      attributes: { ...link.attributes } as Link['attributes'] & object,
    })),
    events: [],
    ended: true,
    ...origin,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function toContext({ trace, span }: SpanId) {
  return { traceId: trace, spanId: span, traceFlags: TraceFlags.SAMPLED };
}

function toTime(ms: number): HrTime {
  const full = Math.trunc(ms);
  return [Math.trunc(full / 1_000), (full % 1_000) * 1e6 + Math.round((ms - full) * 1e6)];
}
