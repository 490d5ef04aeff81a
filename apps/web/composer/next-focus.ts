interface NextFocus {
  /** True: also on a phone, where a keyboard on the screen then covers a part of the page. */
  onTouch: boolean;
}

let wanted: NextFocus | undefined;

/** The message field of the page that opens next gets the focus. A field that is already shown gets a signal instead. */
export function focusNextField(next: NextFocus = { onTouch: false }): void {
  wanted = next;
}

/** Set once after {@link focusNextField}. */
export function takeNextFocus(): NextFocus | undefined {
  const was = wanted;
  wanted = undefined;
  return was;
}
