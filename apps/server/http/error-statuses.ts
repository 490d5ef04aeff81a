import type { ErrorCode } from '@klaus/sdk';

/** Something that the server does not control failed: a program, a service, a model, or a file of the project. */
const DEPENDENCY_FAILED = 424;

/** The status of each code. 5xx is only for a fault of the server itself, or of its database or scheduler. */
export const ERROR_STATUSES: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  config: 409,
  auth: 409,
  'model.unknown': 400,
  'model.failed': DEPENDENCY_FAILED,
  'runner.failed': DEPENDENCY_FAILED,
  'mcp.failed': DEPENDENCY_FAILED,
  'mcp.lost': DEPENDENCY_FAILED,
  'scheduler.failed': 502,
  'format.failed': DEPENDENCY_FAILED,
  limit: 409,
  denied: 403,
  'sandbox.unavailable': 409,
  'sandbox.failed': DEPENDENCY_FAILED,
  'workspace.missing': 404,
  'workspace.refused': 403,
  'workspace.outside': 403,
  'workspace.conflict': 409,
  'copy.refused': 409,
  'copy.blocked': 409,
  'copy.missing': 404,
  'session.moved': 409,
  'session.differs': 409,
  'undo.nothing': 409,
  'store.busy': 409,
  'store.corrupt': 500,
  'store.full': 507,
  'tool.unknown': 400,
  'tool.input': 400,
  'tool.cut': 400,
  'tool.failed': DEPENDENCY_FAILED,
  cancelled: 409,
  timeout: DEPENDENCY_FAILED,
  internal: 500,
};
