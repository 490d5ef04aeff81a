import { isLocal } from '../access/request-guard.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';

export const hookHandlers = {
  claudeCodeHook({ body }, { hooks, version }, { request }) {
    if (!isLocal(request)) {
      throw new Refusal(403, 'forbidden', {
        title: 'Hooks are answered only over the Unix socket.',
        detail: 'Only programs of the user who runs the server may use them.',
      });
    }
    if (hooks === undefined || (request.headers['klaus-version'] ?? version) !== version) {
      throw new Refusal(409, 'config', {
        title: 'This server does not judge these hooks.',
        detail: `It has version ${version}. Run \`klaus guard install\` again.`,
      });
    }
    return hooks(JSON.stringify(body), toText(request.headers['klaus-project']));
  },
} satisfies PartialHandlers;

/** A path in a header is UTF-8, which Node reads as Latin-1. */
function toText(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? Buffer.from(header, 'latin1').toString('utf8') : undefined;
}
