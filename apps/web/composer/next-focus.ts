let isWanted = false;

/** The message field of the page that opens next gets the focus. */
export function focusNextField(): void {
  isWanted = true;
}

/** True once after {@link focusNextField}. */
export function takeNextFocus(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}
