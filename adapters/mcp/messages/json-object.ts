/** An object of JSON, whose fields are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;
