/**
 * The models of sessions that a command opens for its own calls: `klaus fetch`, `klaus sandbox run`, and the verification
 * of `klaus mcp`. No user works in such a session, so it is never the latest one of a folder.
 */
export const SERVICE_MODELS = {
  fetch: 'scripted/fetch',
  sandbox: 'scripted/sandbox',
  verification: 'scripted/none',
} as const;

const NAMES: ReadonlySet<string> = new Set(Object.values(SERVICE_MODELS));

/** True for the model of a session that a command opened for its own calls. @param model Full name. */
export function isServiceModel(model: string | null | undefined): boolean {
  return NAMES.has(model ?? '');
}
