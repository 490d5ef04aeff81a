type Write = (text: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The log of the server. It has no content of sessions. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>;
