import type { Component, Focusable } from '../screen/index.ts';

/** A component that takes the place of the input until it is closed. */
export interface Dialog extends Component, Focusable {
  handleInput(data: string): void;
}

/** What every dialog needs. */
export interface DialogHost {
  /** Shows a dialog instead of the present one. */
  open(dialog: Dialog): void;
  /** Returns to the input. */
  close(): void;
  requestRender(): void;
  /** True while a key is handled that has arrived together with others: no dialog of single keys uses it. */
  readonly isBurst: boolean;
  /** Rows of the terminal. */
  readonly rows: number;
}
