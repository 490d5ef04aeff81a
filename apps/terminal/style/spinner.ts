const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
/** Milliseconds of one frame. */
const FRAME_MS = 120;

/** The frame of the animation of what is running. @param now Unix milliseconds. */
export function toSpinner(now: number): string {
  return FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]!;
}
