/** A coding agent as it is started without a person. */
export interface Agent {
  /** What is typed after `--peer`. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The program with its arguments before the prompt. */
  readonly command: readonly string[];
  /** Files below its empty HOME, by path, that point it to a model at `url`. */
  files(url: string): Readonly<Record<string, string>>;
  /** What it needs in its environment beyond HOME, PATH and the like. */
  env(url: string): Readonly<Record<string, string>>;
}

/** An agent that the npm registry has, as it was last looked at. */
export interface Peer extends Omit<Agent, 'command'> {
  readonly package: string;
  /** `pack` takes the package alone, for one whose dependencies are all in its bundle and do not install. */
  readonly fetch: 'install' | 'pack';
  /** The program and its words, when the package lies in `folder`. */
  toCommand(folder: string): readonly string[];
}
