/** A session as a test that replays it with a script. */
export interface ExportedTest {
  /** Content by path, relative to the test's folder. */
  files: ReadonlyMap<string, Uint8Array>;
  /** What the test omits, or requires; sentences for the user. */
  notes: readonly string[];
}
