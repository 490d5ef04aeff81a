/** The log of the server. It has no content of sessions. */
export interface Log {
  debug(text: string, fields?: Readonly<Record<string, unknown>>): void;
  info(text: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(text: string, fields?: Readonly<Record<string, unknown>>): void;
  error(text: string, fields?: Readonly<Record<string, unknown>>): void;
}
