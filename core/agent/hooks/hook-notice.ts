import type { EventBody } from '../../protocol/index.ts';

/** Beginnings of the notices about hooks. A replay recognizes them. */
const FAILED = 'Hook failed: ';
const REFUSED = 'Hook refused the prompt: ';

/** Names a hook that could not answer. */
export function toFailedNotice(run: string, text: string): EventBody {
  return { type: 'notice', run, level: 'warn', text: `${FAILED}${text}` };
}

/** Names the hook that refused a prompt. */
export function toRefusedNotice(run: string, text: string): EventBody {
  return { type: 'notice', run, level: 'warn', text: `${REFUSED}${text}` };
}

export function isFailedNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text.startsWith(FAILED);
}

export function isRefusedNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text.startsWith(REFUSED);
}

/** The text of a hook for the model. No text can close its tag. */
export function toTaggedText({ name, place }: { name: string; place: 'project' | 'user' }, text: string): string {
  const untrusted = place === 'project' ? ' note="data of the project, not the user speaking"' : '';
  return `<hook name=${JSON.stringify(toSafe(name))}${untrusted}>\n${toSafe(text)}\n</hook>`;
}

function toSafe(text: string): string {
  return text.replaceAll(/<(?=\/?hook\b)/g, '(');
}
