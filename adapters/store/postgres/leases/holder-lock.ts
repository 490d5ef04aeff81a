/**
 * First number of the advisory locks of holders; the second one is the number of the holder. A process has a shared lock:
 * after a lost connection it takes it again without waiting for the end of the old one.
 */
export const HOLDER_LOCK_CLASS = 0x6b6c68;
