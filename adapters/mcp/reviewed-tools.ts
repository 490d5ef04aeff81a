import { headOf } from '@klaus/core/cut-text';
import type { ToolContext } from '@klaus/core/agent';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { findChanged, toPinDiff, toPinned, type PinStore } from './tool-pins.ts';

/** Characters of a diff in a question. */
const MAX_DIFF = 6_000;

/** Asks the user about a change. */
export type AskUser = (message: string, options: { from: string }) => ReturnType<ToolContext['ask']>;

/**
 * The tools of one server as the user knows them: a description is an instruction to the model, and a server can change
 * it at any time. One that changed is left out until the user accepts it.
 */
export class ReviewedTools {
  readonly #name: string;
  readonly #pins: PinStore | undefined;
  /** Texts that the user did not accept, so that each is asked about once. */
  readonly #declined = new Set<string>();
  readonly #notices: string[] = [];
  #changed: ServerTool[] = [];
  #isReviewed = true;

  constructor(name: string, pins: PinStore | undefined) {
    this.#name = name;
    this.#pins = pins;
  }

  /** Whose text the descriptions are; undefined if the user has accepted them. */
  get source(): string | undefined {
    if (this.#isReviewed) return undefined;
    return `descriptions of the MCP server ${this.#name} (\`klaus mcp trust ${this.#name}\` shows and accepts them)`;
  }

  /** True if the user has marked the tool as one that only reads. What its server says about it does not count. */
  isReading(name: string): boolean {
    return this.#pins?.readReading().includes(name) ?? false;
  }

  /** The tools that may be used: those that the user has accepted, or all of a server of which the user has seen none. */
  select(tools: readonly ServerTool[]): ServerTool[] {
    const pinned = this.#pins?.read();
    if (!pinned) {
      if (this.#isReviewed)
        this.#notices.push(
          `The user has not seen the descriptions of the tools of the MCP server ${this.#name}: they are untrusted. \`klaus mcp trust ${this.#name}\` shows and accepts them.`,
        );
      this.#isReviewed = false;
      this.#changed = [];
      return [...tools];
    }
    this.#isReviewed = true;
    const changed = new Set(findChanged(pinned, toPinned(tools)));
    this.#changed = tools.filter(({ name }) => changed.has(name));
    return tools.filter(({ name }) => !changed.has(name));
  }

  /** Asks about the tools that changed. Returns true if the user accepts them. */
  async ask(ask: AskUser | undefined): Promise<boolean> {
    const pinned = this.#pins?.read();
    const present = toPinned(this.#changed);
    const open = Object.keys(present).filter((name) => !this.#declined.has(present[name]!));
    if (!pinned || open.length === 0) return false;
    const diff = toPinDiff(pinned, present, open);
    const names = open.map((name) => headOf(name, 100)).join(', ');
    const shown =
      diff.length > MAX_DIFF
        ? `${headOf(diff, MAX_DIFF)}\n[… \`klaus mcp trust ${this.#name}\` shows all of it]`
        : diff;
    const message = `These tools are not as they were when you saw them: ${names}. Accept them as they are now?\n\n${shown}`;
    const answer = await ask?.(message, { from: `Klaus, about the MCP server ${this.#name}` });
    if (answer?.action === 'accept') {
      const accepted = Object.fromEntries(open.map((name) => [name, present[name]!]));
      // A mark of the user is about the tool as it was.
      const reading = this.#pins?.readReading().filter((name) => !open.includes(name)) ?? [];
      this.#pins?.write({ ...pinned, ...accepted }, reading);
      return true;
    }
    for (const name of open) this.#declined.add(present[name]!);
    this.#notices.push(
      `Tools of the MCP server ${this.#name} are not as they were when the user saw them, and are left out: ${open.length}. \`klaus mcp trust ${this.#name}\` shows the changes.`,
    );
    return false;
  }

  /** Sentences for the user, each once. */
  takeNotices(): string[] {
    return this.#notices.splice(0);
  }
}
