import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { VERSION } from '@klaus/sdk/version';

/**
 * Asks the daemon about an event, as the installed hook does.
 *
 * @param event The standard input of the hook.
 * @returns The object that the hook prints.
 * @throws Error if the daemon does not answer with one.
 */
export async function askHook(socket: string, event: Uint8Array, project: string | undefined): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    'content-length': event.length,
    'klaus-version': VERSION,
    ...(project === undefined ? {} : { 'klaus-project': Buffer.from(project).toString('latin1') }),
  };
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ socketPath: socket, method: 'POST', path: '/api/hooks/claude-code', headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      buffer(answer).then((body) => resolve({ status, text: body.toString('utf8') }), reject);
    });
    sent.on('error', reject);
    sent.end(event);
  });
  const answer: unknown = JSON.parse(text);
  if (status === 200) return answer;
  const { title = 'The daemon refused the event.', detail = '' } = answer as { title?: string; detail?: string };
  throw new Error(`${title} ${detail}`.trim());
}
