export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/** The server lacks what the check needs. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** @throws CheckFailed with the text, unless the condition holds. */
export function need(condition: boolean, text: string): asserts condition {
  if (!condition) throw new CheckFailed(text);
}
