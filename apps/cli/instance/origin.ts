/** As `isUlid` of the engine, which is not loaded for it. */
export function isUlid(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

/**
 * From where a session is started: the instance and its current session, as the variables of the process name them.
 * Other texts are ignored.
 */
export function toOrigin(env: Readonly<NodeJS.ProcessEnv>): { instance?: string; startedBy?: string } {
  const { KLAUS_INSTANCE_ID: instance = '', KLAUS_SESSION_ID: startedBy = '' } = env;
  return { ...(isUlid(instance) ? { instance } : {}), ...(isUlid(startedBy) ? { startedBy } : {}) };
}
