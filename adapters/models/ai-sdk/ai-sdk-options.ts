/** A provider of the AI SDK: an object with `languageModel`, such as `mistral` of `@ai-sdk/mistral`. */
export interface AiProvider {
  /** @returns A model of version 3 or 4 of the specification. */
  languageModel(id: string): unknown;
}

/** What the settings say about a provider. */
export interface AiProviderSettings {
  /** Its package. Default: `@ai-sdk/NAME`. */
  package?: string;
  /** Passed to its `create` function: `baseURL`, `apiKey`, `headers` and what else it knows. */
  options?: Readonly<Record<string, unknown>>;
}

export interface AiSdkOptions {
  /** Folder of the user, absolute, with `node_modules`. Packages come from nowhere else. */
  folder: string;
  /** By name. They replace packages. */
  providers?: Readonly<Record<string, AiProvider>>;
  settings?: Readonly<Record<string, AiProviderSettings>>;
}
