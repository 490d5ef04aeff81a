/**
 * Keeps the keys of an input method from the page, such as the Enter that ends a composition and the letters in it: they
 * belong to the field. Safari marks that Enter only by its code.
 */
export function ignoreComposition(): void {
  addEventListener(
    'keydown',
    (event) => {
      // oxlint-disable-next-line typescript/no-deprecated -- Safari has no other sign of it
      if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
