import { KlausError, messageOf } from '@klaus/core/protocol';
import type { TemporalOptions } from './temporal-options.ts';

/** Status codes of gRPC. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** The status of a call to the engine, from the error or its causes. */
function statusOf(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'number') return code;
  }
  return undefined;
}

/** True when the engine has no open workflow of that id. */
export function isUnknownWorkflow(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** Describes a failed call to the engine so that a user knows what to do. */
export function toSchedulerError(
  error: unknown,
  { address, namespace }: Pick<TemporalOptions, 'address' | 'namespace'>,
) {
  const status = statusOf(error);
  const text = messageOf(error);
  if (isMissingNamespace(error, status))
    return new KlausError('config', `Temporal at ${address} has no namespace \`${namespace}\`.`, {
      hint: `Create it: \`temporal operator namespace create --namespace ${namespace} --retention 24h\`.`,
      cause: error,
    });
  if (status === PERMISSION_DENIED || status === UNAUTHENTICATED)
    return new KlausError('auth', `Temporal at ${address} refused the request for the namespace \`${namespace}\`.`, {
      hint: 'Check the API key or the client certificate, and the role that it has in this namespace.',
      cause: error,
    });
  const isLost = status === undefined || status === UNAVAILABLE || status === DEADLINE_EXCEEDED || status === CANCELLED;
  if (isLost)
    return new KlausError('scheduler.failed', `Temporal at ${address} cannot be reached: ${text}`, {
      hint: 'Check that it runs, that the address is right, and that both sides use TLS or neither does.',
      retryable: true,
      cause: error,
    });
  return new KlausError('scheduler.failed', `Temporal at ${address} rejected a request: ${text}`, { cause: error });
}

function isMissingNamespace(error: unknown, status: number | undefined): boolean {
  if (error instanceof Error && error.name === 'NamespaceNotFoundError') return true;
  return status === NOT_FOUND && /namespace/i.test(String((error as Error).message));
}
