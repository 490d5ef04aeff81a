import type { Access, ContextEntry, ErrorSummary, Findings, StackFrame } from '../contract/index.ts';

export interface DebugServerOptions {
  /** The thrown value; undefined for `implement`, and for an investigation without an error. */
  error: unknown;
  /** The items by name, without `ContextItem` around them. Live references. */
  context: Readonly<Record<string, unknown>>;
  /** Descriptions of items. */
  descriptions?: Readonly<Record<string, string>>;
  /** Default `read`. */
  access?: Access;
  /** Milliseconds for one evaluation. Default 5000. */
  evalTimeoutMs?: number;
  /** Evaluations that are allowed. Default: no limit. */
  maxEvals?: number;
  /** Values, and patterns for values, that are masked in addition to the built-in rules. */
  redact?: readonly (string | RegExp)[];
  onReport?: (findings: Findings) => void;
  /** Offers `set_result` and `fail_implementation`. */
  implement?: {
    /** The reasons why a value is refused; empty for a valid one. */
    validate: (value: unknown) => Promise<readonly string[]>;
    /** Called with a valid result. */
    onResult: (value: unknown) => void;
    onRefused: (reason: string) => void;
    /** Calls of `set_result` that are allowed. Default 5. */
    attempts?: number;
  };
}

/** An MCP server on 127.0.0.1 through which an agent looks into this process. */
export interface DebugServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/mcp` */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  /** What the input of the CLI says about the error and its context. */
  readonly callStack: readonly StackFrame[];
  readonly context: readonly ContextEntry[];
  readonly error: ErrorSummary | undefined;
  /** 16 hexadecimal digits; equal for errors with the same cause. */
  readonly fingerprint: string;
  /** Also ends running evaluations. Never rejects. */
  close(): Promise<void>;
}
