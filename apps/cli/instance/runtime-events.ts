import { headOf } from '@klaus/sdk/cut-text';
import { toText, type Event, type EventOf } from '@klaus/sdk';

/** An event in the words of the socket protocol. */
export type RuntimeEvent =
  | { type: 'status'; status: 'starting' | 'running' | 'waiting'; detail?: string }
  | {
      type: 'message';
      role: string;
      origin: string;
      text: string;
      calls?: { id: string; name: string; input: unknown }[];
    }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }
  | { type: 'result'; result: string; turns: number; toolCalls: number; usd: number | null }
  | { type: 'error'; message: string; code: string }
  | { type: 'claude-session'; claudeSessionId: string; agent: string; resumed: boolean }
  | { type: 'done'; status: 'done' | 'failed' | 'interrupted'; outcome: string; reason: string };

/** Characters of a call's result in a `log`. */
const MAX_OUTPUT = 2_000;

/**
 * Folds the log of one session, from its first event on, into runtime events. Events that the protocol has no word for
 * give none.
 */
export function createRuntimeEvents(): (event: Event) => RuntimeEvent[] {
  let answer = '';
  const toMessage = ({ message }: EventOf<'message.added'>): RuntimeEvent => {
    const text = toText(message);
    const calls = message.parts.flatMap((part) =>
      part.type === 'call' ? [{ id: part.id, name: part.name, input: part.input }] : [],
    );
    if (message.origin === 'model') answer = text;
    const { role, origin } = message;
    return { type: 'message', role, origin, text, ...(calls.length > 0 ? { calls } : {}) };
  };
  return (event) => {
    switch (event.type) {
      case 'session.opened':
        return [{ type: 'status', status: 'starting', detail: event.agent ?? 'klaus' }];
      case 'run.started':
        return [{ type: 'status', status: 'running', detail: event.trigger }];
      case 'approval.asked':
        return [{ type: 'status', status: 'waiting', detail: event.title }];
      case 'approval.answered':
        return [{ type: 'status', status: 'running', detail: event.answer }];
      case 'runner.opened':
        return [
          { type: 'claude-session', claudeSessionId: event.agentSession, agent: event.agent, resumed: event.resumed },
        ];
      case 'message.added':
        return [toMessage(event)];
      case 'tool.finished':
        return [toLog(event)];
      case 'model.attempted':
        return event.outcome === 'ok' ? [] : [{ type: 'log', level: 'warn', message: event.message ?? event.outcome }];
      case 'notice':
        return [{ type: 'log', level: event.level, message: event.text }];
      case 'run.finished':
        return toEnd(event, answer);
      default:
        return [];
    }
  };
}

function toLog({ name, outcome, output }: EventOf<'tool.finished'>): RuntimeEvent {
  const message = `${name} ${outcome}: ${headOf(output, MAX_OUTPUT)}`;
  return { type: 'log', level: outcome === 'ok' ? 'info' : 'warn', message };
}

function toEnd(event: EventOf<'run.finished'>, answer: string): RuntimeEvent[] {
  const { outcome, reason, turns, toolCalls, usd, error } = event;
  const isCancelled = outcome === 'cancelled';
  const status = outcome === 'done' ? 'done' : isCancelled ? 'interrupted' : 'failed';
  const end: RuntimeEvent = { type: 'done', status, outcome, reason };
  if (outcome === 'done') return [{ type: 'result', result: answer, turns, toolCalls, usd }, end];
  return isCancelled ? [end] : [{ type: 'error', message: reason, code: error?.code ?? outcome }, end];
}
