/** A failure that the agent sees: its text, and what belongs to it. */
export class ToolError extends Error {
  readonly output: object | undefined;
  constructor(message: string, output?: object) {
    super(message);
    this.output = output;
  }
}
