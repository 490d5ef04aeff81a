/**
 * The version of the API in `/health`. A change of a route or an event raises it, an addition does not. Clients refuse to
 * use a server of another version.
 */
export const API_VERSION = 2;
