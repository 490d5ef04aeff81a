import type { Event, EventOf } from '@klaus/sdk';

export function toMessageText({ message }: EventOf<'message.added'>): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The answer of a run so far: the text of the last message without calls, with the messages whose continuation it is. */
export function createFinalAnswer() {
  let text = '';
  let isCut = false;
  const begin = () => {
    text = '';
    isCut = false;
  };
  return {
    get text() {
      return text;
    },
    /** True if the answer was cut at its token limit: the next message continues it, in the middle of a word. */
    get isCut() {
      return isCut;
    },
    begin,
    add(event: Event): void {
      if (event.type === 'run.started') begin();
      else if (event.type === 'turn.finished')
        isCut = event.stopReason === 'max_tokens' || event.stopReason === 'pause_turn';
      else if (event.type === 'message.added') {
        const { origin, parts } = event.message;
        if (origin === 'user' || origin === 'steer') begin();
        else if (origin === 'model' && parts.some((part) => part.type === 'call')) begin();
        else if (origin === 'model') text = isCut ? text + toMessageText(event) : toMessageText(event);
      }
    },
  };
}
