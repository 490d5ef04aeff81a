/** One day. An event that names an object must follow its upload within half of it. */
export const GRACE_MS = 86_400_000;
