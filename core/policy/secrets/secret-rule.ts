/**
 * One kind of secret, as data: a regular expression is compiled when one of the rule's keywords is first seen.
 */
export interface SecretRule {
  readonly name: string;
  /** Source of a regular expression. Absent where the path alone decides. */
  readonly pattern?: string;
  /**
   * Looks for the secrets itself, in place of a pattern.
   *
   * @param places Where keywords of the rule begin; given only to a rule with `isPlaced`, and where that is known.
   */
  readonly find?: (text: string, places?: readonly number[]) => Iterable<readonly [start: number, end: number]>;
  /** Wants to know the places of its keywords. One rule of a set can. */
  readonly isPlaced?: boolean;
  /** Flags in addition to `g`. */
  readonly flags?: string;
  /** Lower case. The pattern is tried if the text contains one of them, in any case; without keywords, always. */
  readonly keywords: readonly string[];
  /**
   * Number of the group that is the secret. Default: the group named `value`, else the first group that
   * matched, else all that matched.
   */
  readonly group?: number;
  /** Bits of Shannon entropy for each character that the secret must exceed. */
  readonly entropy?: number;
  /** Source of a regular expression for paths; without it every path will do. */
  readonly path?: string;
  /** What is not meant, although it matches. */
  readonly allow?: readonly SecretAllowance[];
  /** A run of `[\w.-]` before what matched, at most 50 long, belongs to it. */
  readonly hasPrefix?: boolean;
}

/** What is no secret. One of the lists must fit, or with `all` each of them. */
export interface SecretAllowance {
  /** The text that the patterns are tried on: the secret (default), the match, or its complete lines. */
  readonly target?: 'match' | 'line';
  readonly patterns?: readonly string[];
  /** Lower case; parts of the secret. */
  readonly stopwords?: readonly string[];
  readonly paths?: readonly string[];
  readonly all?: boolean;
}
