import type { Tool } from '@klaus/core/agent';

/** One use of a tool. The tests of all tools and the reference page derive from it. */
export interface ToolExample<Input = unknown> {
  /** Files of the workspace, which is a Git repository with one commit. */
  files?: Readonly<Record<string, string>>;
  /** The authority of the session, if the default is too narrow. */
  grant?: string;
  /** Names of npm packages that the workspace has installed. */
  packages?: readonly string[];
  /** A program that it runs, which is not on every machine. */
  program?: string;
  /** Calls that come before, one in each turn. */
  before?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** Pages of a web server by path. Its address replaces `{{site}}` in the input and in the settings. */
  pages?: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
  /** Settings that it needs. */
  settings?: Readonly<Record<string, string>>;
  /** True for a call that asks the user in every mode. */
  asks?: true;
  /** True for a call that needs a server: the test of its tool has one. */
  isOnline?: true;
  input: Input;
  /** Fields of the input that accept any text, because they have no effect. */
  freeText?: readonly string[];
  /** What the output contains. */
  output: string | RegExp;
}

export interface BuiltinTool<Input = unknown> extends Tool<Input> {
  readonly example: ToolExample<Input>;
}

/** Declares a built-in tool; the identity function that gives `input` and `example` their type. */
export function defineBuiltinTool<Input>(tool: BuiltinTool<Input>): BuiltinTool<Input> {
  return tool;
}
