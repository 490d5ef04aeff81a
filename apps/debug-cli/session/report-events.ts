import { cutText } from '@klaus/sdk/cut-text';
import type { Event } from '@klaus/sdk';
import { isRecord } from '@klaus/sdk/is-record';
import type { Status } from '../program/status.ts';

const PREVIEW = 200;

/** Reports an event of the log as a status message, if it is one. */
export function reportEvent(status: Status, event: Event): void {
  if (event.type === 'turn.finished') {
    status.send({ type: 'turn', turnNumber: event.turn, stopReason: event.stopReason });
  } else if (event.type === 'message.added' && event.message.origin === 'model') {
    for (const part of event.message.parts) {
      if (part.type === 'call') status.send({ type: 'tool_call', toolName: part.name, input: toRecord(part.input) });
    }
  } else if (event.type === 'tool.finished') {
    status.send({
      type: 'tool_result',
      toolName: event.name,
      resultPreview: toPreview(event.output),
      ...(event.outcome === 'ok' ? {} : { isError: true }),
    });
  } else if (event.type === 'model.attempted' && event.outcome !== 'ok' && event.outcome !== 'cancelled') {
    const more = event.retryInMs === undefined ? '' : '; it is repeated';
    status.log(`A request to ${event.model} failed: ${event.message ?? event.outcome}${more}`, 'warning');
  } else if (event.type === 'notice') {
    status.log(event.text, event.level === 'info' ? 'info' : 'warning');
  }
}

function toRecord(input: unknown): Record<string, unknown> {
  return isRecord(input) ? input : { input };
}

function toPreview(text: string): string {
  return cutText(text, PREVIEW);
}
