import type { App } from '../app/app.ts';

/** Notes what a session may do, its mode, and its grant in the notation of `--grant`. */
export async function showGrant(app: App, session: string): Promise<void> {
  const { workspace, grant, mode } = await app.client.chatState(session);
  const { describeGrant, toGrantText } = await import('@klaus/sdk');
  for (const { text } of describeGrant(grant, { workspace, now: Date.now() })) app.note(text);
  app.note(`Mode ${mode}`);
  app.note(toGrantText(grant));
}
