/** The two parts of the name of a model behind `ai/`. */
export interface AiModelName {
  /** A short name such as `mistral`, or the name of a package. */
  provider: string;
  /** The provider's own id, which can contain slashes. */
  id: string;
}

const NAME = /^((?:@[\w-][\w.-]*\/)?[\w-][\w.-]*)\/(.+)$/;

/** `PROVIDER/ID`; undefined for other text. The name of a scoped package contains a slash itself. */
export function toAiModelName(text: string): AiModelName | undefined {
  const [, provider, id] = NAME.exec(text) ?? [];
  return provider === undefined || id === undefined ? undefined : { provider, id };
}
