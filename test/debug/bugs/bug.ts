/** A bug of a published package that throws inside of it. */
export interface Bug {
  /** Name of the package in its registry. */
  name: string;
  buggy: string;
  fixed: string;
  /** The commit that fixed it; frame and variables are those that it changes. */
  commit: string;
  /** JavaScript: a module that imports `LIB`. Python: a program that imports the package. */
  code: string;
  /** Name of the function; empty if it has none. */
  frame: string;
  variables: readonly string[];
  /** Why the frame or its variables are not reached. */
  missed?: string;
}
