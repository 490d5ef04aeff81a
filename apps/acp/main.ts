import type { AcpOptions } from './connection/acp-options.ts';
import { answerInitialize } from './connection/early-initialize.ts';

/** Speaks the Agent Client Protocol until the editor ends the connection, and then ends every run of it. */
export async function runAcp(options: AcpOptions): Promise<void> {
  const close = (): void => void options.stdin.destroy();
  options.signal.addEventListener('abort', close, { once: true });
  if (options.signal.aborted) close();
  const streams = await answerInitialize(options);
  const { serveEditor } = await import('./connection/serve-editor.ts');
  await serveEditor(streams, options);
}
