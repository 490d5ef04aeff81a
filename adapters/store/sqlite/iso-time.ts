/** ISO 8601 in UTC of Unix milliseconds. */
export function toIso(at: number): string {
  return new Date(at).toISOString();
}
