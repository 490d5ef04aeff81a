/**
 * What `/health` says of the API: raised when a route or an event means something else than before, never for what is
 * only added. A client of another version is told so by its own program.
 */
export const API_VERSION = 2;
