import type { OnAsk } from '@klaus/sdk';
import type { ClientSettings, PromptRequest, SessionClient, SessionSummary } from '../client/session-client.ts';
import type { Output } from '../output/output.ts';
import { canAsk } from '../output/show-output.ts';
import { EXIT } from '../program/exit-codes.ts';
import type { Options } from '../program/options.ts';
import { toLimits } from '../program/run-options.ts';
import { noteHandedOver, runSession } from './run-session.ts';

/** Whether a user at this terminal answers approvals. Without one, they are denied unless the user chose to wait. */
export function toOnAsk(options: Options, settings: ClientSettings): { onAsk: OnAsk; asks: boolean } {
  const chosen = options.onAsk ?? settings.onAsk;
  if (chosen) return { onAsk: chosen, asks: false };
  const asks = canAsk(options);
  return { onAsk: asks ? 'wait' : 'deny', asks };
}

interface SendOptions extends Pick<PromptRequest, 'parts' | 'delivery' | 'onAsk'> {
  client: SessionClient;
  session: SessionSummary;
  options: Options;
  output: Output;
  asks: boolean;
}

/** Sends a prompt to an existing session, with the changes of the options, and works on it. Returns the exit code. */
export async function sendPrompt(given: SendOptions): Promise<number> {
  const { client, session, options, output, asks, parts, delivery, onAsk } = given;
  const { isHandedOver } = await client.prompt(session.id, {
    parts,
    delivery,
    onAsk,
    waitForModelMs: options.waitForModel,
    pin: options.pin,
    model: options.model,
    mode: options.approve,
    limits: toLimits(options),
  });
  if (isHandedOver) {
    noteHandedOver(output, { session: session.id, sent: 'message' });
    return EXIT.done;
  }
  return runSession({ client, session, show: options, output, asks, sent: 'message' });
}
