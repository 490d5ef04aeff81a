import type { HostEventOf } from '@klaus/sdk';

const DEFAULT_URL = 'http://homeassistant.local:8123';
/** Milliseconds. */
const TIMEOUT_MS = 5_000;
/** Posts that may be open: a host that does not answer costs no memory. */
const MAX_OPEN = 20;

/**
 * Sends decisions of the guard to a webhook of Home Assistant, if `WEBHOOK_ID_AGENT_LOGS` is set. It never delays a
 * verdict: no call waits for it, and what cannot be sent is dropped.
 */
export function createAgentLog(
  env: Readonly<Record<string, string | undefined>>,
): ((event: HostEventOf<'guard.decided'>) => void) | undefined {
  const id = env['WEBHOOK_ID_AGENT_LOGS'];
  if (id === undefined || id === '') return undefined;
  const url = new URL(`/api/webhook/${encodeURIComponent(id)}`, env['HOME_ASSISTANT_URL'] ?? DEFAULT_URL);
  let open = 0;
  return ({ verdict, tool, event, rule, reason, text, workspace, at }) => {
    if (open >= MAX_OPEN) return;
    open += 1;
    const body = JSON.stringify({
      agent: rule,
      level: verdict === 'allow' ? 'info' : 'warning',
      decision: verdict,
      tool: tool ?? event,
      project: workspace,
      message: `${text}: ${reason}`,
      timestamp: new Date(at).toISOString(),
    });
    const headers = { 'content-type': 'application/json' };
    fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then((answer) => answer.body?.cancel())
      .catch(() => {})
      .finally(() => (open -= 1));
  };
}
