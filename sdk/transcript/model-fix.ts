import { isOutage, type EventOf, type ModelFailureCause, type ModelFailureCode } from '@klaus/core/protocol';

/** A request to the model that failed. */
export interface FailedRequest {
  code: ModelFailureCode;
  status: number | undefined;
  cause: ModelFailureCause | undefined;
}

/** How a user interface names what the user can do, such as `klaus login` or `/login`. */
export interface FixCommands {
  login: string;
  doctor: string;
  model: string;
  config: string;
  /** What continues the run once the model is available again. */
  retry: string;
}

/** Undefined for an answer, and for a request that the user cancelled. */
export function toFailedRequest({ outcome, status, cause }: EventOf<'model.attempted'>): FailedRequest | undefined {
  return outcome === 'ok' || outcome === 'cancelled' ? undefined : { code: outcome, status, cause };
}

/** What the user can do about a model that failed, in complete sentences. Undefined: the server has said it, or no cause is known. */
export function findModelFix({ code, status, cause }: FailedRequest, commands: FixCommands): string | undefined {
  const fix = cause === undefined ? undefined : CAUSE_FIXES[cause];
  if (fix !== undefined) return fix(commands);
  if (cause !== undefined) return undefined;
  if (code === 'auth' && status === 403) {
    return `The provider does not permit this request with this key. \`${commands.doctor}\` shows which key is set. Or choose another \`${commands.model}\`.`;
  }
  const texts = [CODE_FIXES[code]?.(commands), isOutage(code) ? commands.retry : undefined];
  return texts.filter((text) => text !== undefined).join(' ') || undefined;
}

type Fix = (commands: FixCommands) => string;

const CODE_FIXES: Partial<Readonly<Record<ModelFailureCode, Fix>>> = {
  auth: ({ doctor, login, model }) =>
    `The provider does not accept the key. \`${doctor}\` shows which key is set. \`${login}\` stores another one. Or choose another \`${model}\`.`,
  context_window: ({ model }) =>
    `Start a new session, or continue with a \`${model}\` that has a larger context window.`,
  connection: ({ doctor }) => `\`${doctor}\` checks whether the address of the model can be reached.`,
  malformed: ({ config }) => `The answer is not that of a model. \`${config}\` shows the address.`,
};

const CAUSE_FIXES: Partial<Readonly<Record<ModelFailureCause, Fix>>> = {
  unknown_model: ({ model }) =>
    `The provider does not have this model, or not for this account. Choose another \`${model}\`.`,
  no_credit: ({ model }) =>
    `The account has no credit, or its quota is used up. Check the account, or choose another \`${model}\`.`,
  blocked: ({ config }) =>
    `The answer is a page of a firewall or a proxy, not of the model. \`${config}\` shows the address and the proxy.`,
  wrong_address: ({ config }) =>
    `The server does not have this path. \`${config}\` shows the address: some servers need \`/v1\` at its end.`,
  output_limit: () => 'Set `maxOutputTokens` to what the server allows.',
};
