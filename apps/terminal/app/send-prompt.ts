import type { Part } from '@klaus/sdk';
import { toEdited, toParts } from '../composer/prompt-parts.ts';
import type { Entered } from '../screen/index.ts';
import type { App } from './app.ts';

/** Sends a prompt with what is attached. One that cannot be sent is in the input again, unless the user has begun another one. */
export async function sendPrompt(app: App, entered: Entered, delivery: 'steer' | 'queue'): Promise<void> {
  const parts = toParts(entered, app.attached);
  app.attached = [];
  try {
    await app.link.send(parts, delivery);
  } catch (error) {
    if (app.composer.getText() === '') putBack(app, parts);
    throw error;
  }
}

function putBack(app: App, parts: readonly Part[]): void {
  const { text, attached } = toEdited(parts, app.attached.length + 1);
  app.attached.push(...attached);
  app.composer.setText(text);
}
