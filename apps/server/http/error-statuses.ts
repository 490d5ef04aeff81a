import type { ErrorCode } from '@klaus/sdk';

/** HTTP statuses of the errors of the engine. */
export const ERROR_STATUSES: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  config: 409,
  auth: 409,
  'model.unknown': 400,
  'model.failed': 502,
  limit: 409,
  denied: 403,
  'sandbox.unavailable': 409,
  'sandbox.failed': 500,
  'workspace.missing': 404,
  'workspace.refused': 403,
  'workspace.outside': 403,
  'workspace.conflict': 409,
  'store.busy': 409,
  'store.corrupt': 500,
  'store.full': 507,
  'tool.unknown': 400,
  'tool.input': 400,
  'tool.failed': 500,
  cancelled: 409,
  timeout: 504,
  internal: 500,
};
