import type { PROTOCOL_VERSION } from '../contract/index.ts';

/** `PROTOCOL_VERSION` of the contract, whose module also loads all schemas. The compiler keeps them equal. */
export const PROTOCOL: typeof PROTOCOL_VERSION = 1;
