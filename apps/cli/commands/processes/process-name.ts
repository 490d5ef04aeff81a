/** Explains the argument of `klaus logs` and `klaus stop`. */
export const PROCESS_NAME =
  'PROCESS is SESSION/p1, where the beginning of the session id is enough, or p1 if only one such process exists.';
