/** What the server says of itself, one line an entry. Holds no content of sessions. */
export interface Log {
  debug(text: string, fields?: Readonly<Record<string, unknown>>): void;
  info(text: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(text: string, fields?: Readonly<Record<string, unknown>>): void;
  error(text: string, fields?: Readonly<Record<string, unknown>>): void;
}
